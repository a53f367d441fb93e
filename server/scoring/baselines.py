"""The baselines that the site can compute, from the items of a split alone, and the others."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from scorer.baselines import run_file
from scorer.baselines.senses import parse_senses
from scorer.bundles import bundle
from scorer.errors import DataError
from server.core.errors import Conflict, NotFound
from server.core.i18n import N_
from server.core.storage import storage_of
from server.scoring.service import items_of
from server.tasks.models import Split

BaselineName = run_file.BaselineName
OWN_BASELINE = bundle.OWN_BASELINE
"""The kind of a baseline that the organizers computed themselves."""
BASELINES: Mapping[BaselineName, str] = {name: each.title for name, each in run_file.BASELINES.items()}
"""The names of the baselines, and of their runs, which pages show."""
BASELINE_DESCRIPTIONS: Mapping[BaselineName, str] = {
    "lcs": N_("the length of the longest common substring, compared with the length of both texts"),
    "gst": N_(
        "greedy string tiling: the share of the left text that is covered by common substrings of six "
        "characters or more"
    ),
    "tfidf": N_(
        "tf-idf: the sequences of three to five characters in the words of both texts; a sequence counts "
        "more, the fewer texts of the level have it"
    ),
}


def get_baseline_name(name: str) -> BaselineName:
    """Return the name of a known baseline.

    Raises:
        NotFound: there is none with this name.
    """
    for known in BASELINES:
        if known == name:
            return known
    raise NotFound.of("There is no such baseline. Choose one of: %(known)s.", known=", ".join(BASELINES))


def compute_baseline(session: Session, split: Split, name: BaselineName) -> bytes:
    """Compute the run file of a baseline for the items of a split.

    Raises:
        Conflict: the items have senses whose dictionary is not available.
    """
    level, task = split.level, split.level.task
    try:
        senses = (
            None
            if level.senses_sha256 is None
            else parse_senses(storage_of(session).get(level.senses_sha256), f"{level.slug}.senses")
        )
        text = run_file.baseline_run(
            name, items_of(session, split), scale=task.scale, senses=senses, oov=task.oov
        )
    except DataError as error:
        reason = error.problems[0].message
        raise Conflict.of(
            "%(baseline)s cannot be computed for %(level)s: %(reason)s.",
            baseline=BASELINES[name],
            level=level.title,
            reason=reason,
        ) from error
    return text.encode()
