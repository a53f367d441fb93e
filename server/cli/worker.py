"""`assay worker`: runs jobs until stopped."""

import signal
import threading

import click

from server.cli.common import open_site, prepare_data_folder
from server.core import logs, metrics
from server.core.config import from_env
from server.core.scratch import use_scratch


@click.command("worker")
@click.option("--parent", type=int, hidden=True, help="Stop when this process is no longer the parent.")
def command(parent: int | None) -> None:
    """Run background jobs, such as sending emails.

    The worker runs until you stop it. `assay serve` starts a worker itself. You can run several workers, also
    on several hosts. Each job is run by one of them; if that worker is killed, another one takes over.

    \b
    Exit:  0 stopped, 2 settings
    """
    from server.worker import run_worker

    config, stopped = from_env(), threading.Event()
    logs.start(config)
    metrics.start(config)
    if parent is None:
        metrics.start_alone(config)
    with open_site(config) as site:
        prepare_data_folder(config)
        use_scratch(config)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())
        if parent is None:
            click.echo("Assay is running jobs (press Ctrl-C to stop)")
        run_worker(site, stopped, parent)
