"""The whole story, in the order in which it is played."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.rehearsal import backups, checks, evidence, logs, moves, organizer, people, proofs, uploads
from tests.rehearsal.invented import Invented
from tests.rehearsal.play import Failed, Play, Rehearsal, Step
from tests.rehearsal.site import Site
from tests.server.mail_sink import Sink

STORY: tuple[Step, ...] = (
    ("a site begins", people.begin),
    ("the organizer hosts the task", people.host),
    ("people sign up, teams form", people.gather),
    ("teams add runs", people.name_runs),
    ("practice", uploads.practise),
    ("invalid files", uploads.refuse),
    ("runs", backups.send_meanwhile),
    ("second thoughts", uploads.change_minds),
    ("another key", proofs.rotate),
    ("deadline and extensions", uploads.close),
    ("late runs", uploads.come_late),
    ("receipts", proofs.collect),
    ("receipts verified", proofs.verify_receipts),
    ("nothing leaked", organizer.keep_secret),
    ("release without names", organizer.release_without_names),
    ("a gold fix", organizer.fix_gold),
    ("intervals", organizer.infer),
    ("the names", organizer.show_names),
    ("withdrawal", organizer.withdraw),
    ("end of the grace", organizer.end_grace),
    ("release again, gold opened", organizer.release_again),
    ("figures against scipy", checks.against_scipy),
    ("the log of the task", logs.read_log),
    ("the logs of the teams", logs.read_own_logs),
    ("intervals again", organizer.infer_again),
    ("export", moves.export),
    ("import into the second site", moves.bring),
    ("both sites compared", moves.compare_sites),
    ("evidence", evidence.take),
    ("computed offline", evidence.compute_offline),
    ("evidence of the second site", evidence.take_there),
    ("receipts against the opened gold", evidence.verify_with_gold),
    ("backup", backups.back_up),
    ("restored into a third site", backups.restore),
    ("audit chains", logs.verify_chains),
    ("receipts by mail", proofs.compare_mailed),
)


@contextmanager
def staged(folder: Path, invented: Invented, databases: Sequence[str]) -> Iterator[Play]:
    """Three future sites, each with the URL of an empty database, and the email server of all."""
    with ExitStack() as stack:
        sink = Sink()
        stack.callback(sink.stop)
        first = Site(folder / "first", databases[0], sink.url)
        second = Site(folder / "second", databases[1], sink.url, ASSAY_WORKERS="1")
        third = Site(
            folder / "third", databases[2], sink.url, like=first, ASSAY_WORKERS="1", ASSAY_JOBS="false"
        )
        for site in (first, second, third):
            stack.callback(site.stop)
        yield Play(folder, invented, first, second, third, sink)


def rehearse(play: Play, rehearsal: Rehearsal) -> None:
    """Run the whole rehearsal; a failure is reported with the ends of the sites' logs.

    Raises:
        Failed: a step did not go as it has to.
    """
    try:
        rehearsal.play(play, STORY)
    except Exception as error:
        tails = "".join(
            f"\n--- the end of the log of {site.address} ({site.kind}):\n{site.tail()}"
            for site in (play.first, play.second, play.third)
        )
        raise Failed(f"{type(error).__name__}: {error}{tails}") from error
