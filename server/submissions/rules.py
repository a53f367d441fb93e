"""Which submission counts: the newest that is not withdrawn, on time and late separately."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubmissionFacts:
    """A submission of one run and level; ids grow in the order in which files were stored."""

    id: int
    late: bool
    withdrawn: bool


def find_counting_id(files: Iterable[SubmissionFacts], *, late: bool) -> int | None:
    """Return the id of the submission that counts: the one that was stored last.

    Its time of arrival only decides whether it is late: a server's clock may step back, and then a newer file
    would have an earlier time. A late file never replaces one on time.
    """
    candidate_ids = [filed.id for filed in files if filed.late == late and not filed.withdrawn]
    return max(candidate_ids, default=None)
