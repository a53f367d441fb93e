"""Verifying annotators' answers against the audit log: each of its hashes over answers is computed again."""

from collections import defaultdict

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.activity.entry_sentences import read_row_id
from server.annotation.models import Campaign
from server.annotation.results.answer_hashes import HASH_ACTION, hash_answers
from server.audit.chain import ChainProblems
from server.audit.raw_rows import StoredEntry


class AnswersCheck:
    """Collects the entries with a hash over the answers of a campaign."""

    def __init__(self, session: Session, problems: ChainProblems) -> None:
        self.session, self.problems = session, problems
        self.count = 0
        """The number of answers that a hash covers."""
        self._entries: defaultdict[tuple[int, str], list[tuple[int, StoredEntry]]] = defaultdict(list)

    def notice(self, number: int, entry: StoredEntry) -> None:
        """Remember an entry with a hash over answers, until its campaign or task is deleted."""
        if entry.task_id is None:
            return
        key = entry.task_id, str(entry.details.get("campaign"))
        if entry.action == HASH_ACTION:
            self._entries[key].append((number, entry))
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
                self.problems.add(f"entry {entries[0][0]}: the campaign {slug} of task {task_id} is missing")
                continue
            uptos = {number: read_row_id(entry.details.get("upto")) or 0 for number, entry in entries}
            hashes = hash_answers(self.session, campaign_id, set(uptos.values()))
            for number, entry in entries:
                computed = hashes[uptos[number]]
                if (computed.count, computed.sha256) != (
                    entry.details.get("count"),
                    entry.details.get("sha256"),
                ):
                    self.problems.add(
                        f"entry {number}: the answers of campaign {slug} up to {computed.upto} were changed: "
                        f"there are {computed.count}, and the entry says {entry.details.get('count')}"
                    )
            self.count += max(computed.count for computed in hashes.values())
