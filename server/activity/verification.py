"""`assay audit verify`: checks the whole audit log against files, receipts, releases and gold versions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from server.activity import verify_documents
from server.activity.verify_answers import AnswersCheck
from server.activity.verify_deletions import DeletionCheck
from server.activity.verify_documents import DocumentResults, UnverifiedDocument
from server.activity.verify_files import FileCheck
from server.activity.verify_releases import ReleaseCheck
from server.audit import chain as audit_chain
from server.audit.chain import ChainHead, ChainProblems
from server.audit.raw_rows import StoredEntry


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and which problems were found."""

    entries: int
    head: ChainHead | None
    files: int
    releases: int
    answers: int
    """The number of annotators' answers that a hash in the log covers."""
    receipts: DocumentResults
    seals: DocumentResults
    outside: DocumentResults
    golds: int
    inside: int
    """The number of problems without those of outside documents."""
    unopened: Sequence[str]
    """Keys in the database whose private keys cannot be decrypted, so they may not be the site's own."""
    problems: ChainProblems

    @property
    def witnessed(self) -> int:
        """The newest entry that a valid document names: no entry up to it was removed or rewritten."""
        return max(self.receipts.newest, self.seals.newest, self.outside.newest)


def verify_log(session: Session, outside: Iterable[UnverifiedDocument]) -> Verification:
    """Check everything in one snapshot of the database."""
    problems = ChainProblems()
    deletions = DeletionCheck(session, problems)
    files, releases = FileCheck(session, problems, deletions.deleted), ReleaseCheck(session, problems)
    answers = AnswersCheck(session, problems)

    def see(number: int, entry: StoredEntry) -> None:
        deletions.notice(number, entry)
        files.notice(number, entry)
        releases.notice(number, entry)
        answers.notice(number, entry)

    walked = audit_chain.check_chain(session, problems, see)
    deletions.finish()
    files.finish(broken=walked.broken)
    releases.finish(broken=walked.broken)
    answers.finish()
    imported = {task_id for task_id, count in files.imported.items() if count}
    documents = verify_documents.DocumentVerifier(session, problems, walked.head)
    receipts = documents.verify(verify_documents.stream_receipts(session, imported))
    seals = documents.verify(verify_documents.stream_seals(session, imported))
    inside = problems.count
    return Verification(
        walked.count,
        walked.head,
        files.count,
        releases.count,
        answers.count,
        receipts,
        seals,
        documents.verify(outside),
        documents.golds.count,
        inside,
        verify_documents.list_unopenable_keys(session),
        problems,
    )
