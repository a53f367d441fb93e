"""`assay demo`: a demo site with sample data, on this machine only."""

import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import click

from server.cli.common import flag_option, migrate_database, open_app
from server.cli.serve import require_free_port, serve
from server.core import clock, db, migrate
from server.core.config import Config, ConfigError
from server.demo.populate import ACCOUNTS, LINK_FILE, PASSWORD, populate_site


@click.command("demo")
@click.option("--data", type=click.Path(path_type=Path), default=Path(".demo"), help="The data folder.")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, help="The port.")
@flag_option("--load-only", "Load the sample data, and do not serve.")
def command(data: Path, port: int, load_only: bool) -> None:
    """Serve a demo site with sample data.

    The site has two invented tasks: one is in its grace period and has an annotation campaign, the other is
    finished and has 24 systems. The data stays in its folder, so that the next start is fast. To start from
    the beginning, remove the folder.

    \b
    Exit:  0 stopped, 2 usage
    """
    _remove_outdated(data)
    config = _config(data.resolve(), port)
    if load_only:
        _fill(config)
        click.echo(f"\n{_describe_accounts(config)}\n\n  The site is not served. `assay demo` serves it.\n")
        return
    require_free_port(config)
    if not _done_marker(config).exists():
        _fill_in_child_process(config)
    click.echo(
        f"\n  http://{config.host}:{config.port}/\n\n{_describe_accounts(config)}\n\n"
        "  Emails, such as the confirmation of a new account, are printed here and not sent.\n"
    )
    serve(config)


def _remove_outdated(data: Path) -> None:
    """Remove a complete demo whose database this version cannot migrate, so that it is made again."""
    if not (data / "filled").exists():
        return
    engine = db.open_engine(f"sqlite:///{data / 'assay.sqlite'}")
    revision = migrate.current_revision(engine)
    engine.dispose()
    if revision not in migrate.revisions():
        click.echo("The demo was made by another version. Making it again ...", err=True)
        shutil.rmtree(data)


def _fill(config: Config) -> None:
    """Fill an empty folder, and compute all figures; leave a filled one unchanged."""
    from server.job_handlers import HANDLERS
    from server.worker import Worker

    if migrate_database(config) is None:
        click.echo("Loading sample data: two tasks, 15 teams, 30 runs, and baselines ...", err=True)
        with open_app(config) as site:
            populate_site(site, clock.now())
            click.echo("Computing intervals, significance tests and agreement ...", err=True)
            worker = Worker(site, only=HANDLERS)
            while worker.step():
                pass
        _done_marker(config).touch()
    elif not _done_marker(config).exists():
        raise ConfigError(
            f"the demo in {config.data_dir} is incomplete: loading was interrupted. Remove the folder"
        )


def _fill_in_child_process(config: Config) -> None:
    """Fill in a child process: the store starts threads, which gunicorn's forked workers would not have."""
    command = [sys.executable, "-m", "server.cli", "demo", "--load-only", "--data", str(config.data_dir)]
    command += ["--port", str(config.port)]  # receipts name the address
    filling = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # noqa: S603  (our own words)
    if filling.returncode != 0:
        sys.exit(filling.returncode)


def _done_marker(config: Config) -> Path:
    """Return the path of the file that marks a folder as filled."""
    return config.data_dir / "filled"


def _config(data: Path, port: int) -> Config:
    data.mkdir(parents=True, exist_ok=True)
    key = data / "secret_key"
    if not key.exists():
        key.write_text(secrets.token_hex(), encoding="ascii")
        key.chmod(0o600)
    return Config(
        secret_key=key.read_text(encoding="ascii"),
        data_dir=data,
        database_url=f"sqlite:///{data / 'assay.sqlite'}",
        port=port,
        site_url=f"http://127.0.0.1:{port}",
        secure_cookies=False,
        demo=True,
    )


def _describe_accounts(config: Config) -> str:
    """List the accounts and the personal link of the demo."""
    lines = [f"  Accounts (all have the password {PASSWORD}):"]
    lines += [f"    {email:<20} {description}" for email, description in ACCOUNTS.items()]
    link = config.data_dir / LINK_FILE
    if link.exists():
        lines += ["", "  A personal link of an annotator, by which you can rate pairs:"]
        lines += [f"    {link.read_text(encoding='ascii')}"]
    return "\n".join(lines)
