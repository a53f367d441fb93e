"""Backups of the first site while it runs, and the site that one of them gives back."""

from concurrent.futures import ThreadPoolExecutor

from tests.rehearsal import uploads
from tests.rehearsal.browser import Browser
from tests.rehearsal.moves import OWN, PUBLIC
from tests.rehearsal.people import sign_in
from tests.rehearsal.play import Play, require

EARLY, LAST = "early.tar.gz", "last.tar.gz"


def send_meanwhile(play: Play) -> str:
    """The teams send their runs while the site is backed up."""
    file = play.folder / EARLY
    with ThreadPoolExecutor(1) as aside:
        backup = aside.submit(play.first.command, "backup", file)
        summary = uploads.send_all(play)
        backup.result()
    require("is intact" in play.first.command("backup", file, "--check"), "the backup is not whole")
    return f"{summary}; a backup made meanwhile is whole"


def back_up(play: Play) -> str:
    """The running site is backed up once more."""
    file = play.folder / LAST
    play.first.command("backup", file)
    return f"{file.stat().st_size:,} bytes while it runs"


def restore(play: Play) -> str:
    """The backup gives a site that shows the same bytes, and whose people are still known."""
    play.third.command("restore", play.folder / LAST)
    play.third.start()
    ada = Browser(play.third.address)
    sign_in(ada, "ada@example.org", "Ada")
    for path in (*PUBLIC, *OWN):
        require(play.ada.get(path).body == ada.get(path).body, f"{path} differs on the restored site")
    return f"{play.third.kind} at {play.third.address}: {len(PUBLIC) + len(OWN)} files are the same bytes"
