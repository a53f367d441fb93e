"""`assay audit verify`: checks the whole audit log against files, receipts, releases and gold versions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.activity import verify_documents
from server.activity.entry_sentences import read_row_id
from server.activity.verify_files import FileCheck
from server.activity.verify_releases import ReleaseCheck
from server.annotation.models import Campaign
from server.annotation.results.answer_hashes import HASH_ACTION, hash_answers
from server.audit import chain as audit_chain
from server.audit.models import AuditEntry
from server.tasks.models import Task


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and which problems were found."""

    entries: int
    head: audit_chain.ChainHead | None
    files: int
    releases: int
    answers: int
    """The number of annotators' answers that a hash in the log covers."""
    receipts: verify_documents.DocumentResults
    seals: verify_documents.DocumentResults
    outside: verify_documents.DocumentResults
    golds: int
    inside: int
    """The number of problems without those of outside documents."""
    unopened: Sequence[str]
    """Keys in the database whose private keys cannot be decrypted, so they may not be the site's own."""
    problems: audit_chain.ChainProblems

    @property
    def witnessed(self) -> int:
        """The newest entry that a valid document names: no entry up to it was removed or rewritten."""
        return max(self.receipts.newest, self.seals.newest, self.outside.newest)


def verify_log(session: Session, outside: Iterable[verify_documents.UnverifiedDocument]) -> Verification:
    """Check everything in one snapshot of the database."""
    problems = audit_chain.ChainProblems()
    deletions = DeletionCheck(session, problems)
    files, releases = FileCheck(session, problems, deletions.deleted), ReleaseCheck(session, problems)
    answers = AnswersCheck(session, problems)

    def see(entry: AuditEntry) -> None:
        deletions.notice(entry)
        files.notice(entry)
        releases.notice(entry)
        answers.notice(entry)

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


class DeletionCheck:
    """Collects the entries of deleted and of published tasks."""

    def __init__(self, session: Session, problems: audit_chain.ChainProblems) -> None:
        self.problems = problems
        self.deleted = set(session.scalars(select(Task.id).where(Task.state == "deleted")))
        """The tasks whose files and releases no longer exist."""
        self.entered: set[int] = set()
        self.published: set[int] = set()

    def notice(self, entry: AuditEntry) -> None:
        """Remember an entry about a task's state."""
        if entry.task_id is None:
            return
        if entry.action == "task.delete":
            self.entered.add(entry.task_id)
        at_once = entry.action == "task.import" and not entry.details.get("draft")
        if at_once or entry.action == "task.publish":
            self.published.add(entry.task_id)

    def finish(self) -> None:
        """Report deleted tasks that no entry deletes, or that were published."""
        for task_id in sorted(self.deleted - self.entered):
            self.problems.add(f"task number {task_id}: was deleted, but no entry says so")
        for task_id in sorted(self.deleted & self.published):
            self.problems.add(f"task number {task_id}: was deleted, although it was published")


class AnswersCheck:
    """Collects the entries with a hash over the answers of a campaign."""

    def __init__(self, session: Session, problems: audit_chain.ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.count = 0
        """The number of answers that a hash covers."""
        self._entries: defaultdict[tuple[int, str], list[AuditEntry]] = defaultdict(list)

    def notice(self, entry: AuditEntry) -> None:
        """Remember an entry with a hash over answers, until its campaign or task is deleted."""
        if entry.task_id is None:
            return
        key = entry.task_id, str(entry.details.get("campaign"))
        if entry.action == HASH_ACTION:
            self._entries[key].append(entry)
        elif entry.action == "campaign.delete":
            self._entries.pop(key, None)
        elif entry.action == "task.delete":
            for of_task in [key for key in self._entries if key[0] == entry.task_id]:
                del self._entries[of_task]

    def finish(self) -> None:
        """Compute each hash again, and report those that differ."""
        for (task_id, slug), entries in self._entries.items():
            campaign_id = self.session.scalar(
                select(Campaign.id).where(Campaign.task_id == task_id, Campaign.slug == slug)
            )
            if campaign_id is None:
                first = entries[0].number
                self.problems.add(f"entry {first}: the campaign {slug} of task {task_id} is missing")
                continue
            uptos = {entry.number: read_row_id(entry.details.get("upto")) or 0 for entry in entries}
            hashes = hash_answers(self.session, campaign_id, set(uptos.values()))
            for entry in entries:
                computed, said = hashes[uptos[entry.number]], entry.details.get("count")
                if (computed.count, computed.sha256) != (said, entry.details.get("sha256")):
                    self.problems.add(
                        f"entry {entry.number}: the answers of campaign {slug} up to {computed.upto} were "
                        f"changed: there are {computed.count}, and the entry says {said}"
                    )
            self.count += max(computed.count for computed in hashes.values())
