"""`assay health`: asks the running site whether it is ready."""

import json
from contextlib import closing
from http.client import HTTPConnection, HTTPException

import click

from server.core.config import from_env

TIMEOUT = 10.0
"""How many seconds the site may take, whose checks give up earlier."""


@click.command("health")
@click.pass_context
def command(context: click.Context) -> None:
    """Ask the running site whether it is ready.

    It asks `assay serve` on ASSAY_HOST and ASSAY_PORT, and prints a line for each check. A site whose jobs
    are late is ready, because it can take uploads.

    \b
    Exit:  0 ready, 1 not ready or no answer, 2 settings
    """
    config = from_env()
    try:
        with closing(HTTPConnection(config.host, config.port, timeout=TIMEOUT)) as connection:
            connection.request("GET", "/health/ready")
            health = json.loads(connection.getresponse().read())
        for check in health["checks"]:
            click.echo(f"{check['name']:<9} {check['problem'] or 'ok'}")
        age = health["jobs"]["oldest_due_seconds"]
        waiting = "none is due" if age is None else f"one has been due for {age} s"
        click.echo(f"{'jobs':<9} {'late' if health['jobs']['late'] else 'ok'}: {waiting}")
        is_ready = health["ready"]
    except (OSError, HTTPException, ValueError, LookupError, TypeError) as error:
        click.echo(f"assay: no site answers on {config.host}, port {config.port}: {error}", err=True)
        is_ready = False
    context.exit(0 if is_ready else 1)
