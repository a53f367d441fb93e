"""Exports a task's releases and pseudonyms as records."""

from collections.abc import Sequence

from sqlalchemy import select

from server.bundles.task_history.records import InferenceRecord, PseudonymRecord, ReleaseRecord, SealRecord
from server.bundles.task_history.release_records import parse_files, parse_rules
from server.bundles.task_history.task_export import RecordExporter
from server.phases.models import Phase
from server.releases import inferences, seals
from server.releases import service as releases
from server.releases.models import Inference, Pseudonym, Release, ReleaseSeal
from server.releases.service import ReleaseState
from server.submissions.models import Submission
from server.teams.models import Team


class ReleaseExporter(RecordExporter):
    """Releases, and the names that stand in anonymous ones."""

    numbers: dict[int, int]
    """What the history calls each submission."""

    def releases(self, submissions: Sequence[Submission]) -> list[ReleaseRecord]:
        """Every release, withdrawn ones too."""
        self.numbers = {submission.id: number for number, submission in enumerate(submissions, start=1)}
        phases = self.all(select(Phase).where(Phase.task_id == self.task.id).order_by(Phase.position))
        states_by_phase = releases.list_releases_by_phase(self.session, phases)
        ids = [state.release.id for states in states_by_phase.values() for state in states]
        inferred, signed = inferences.list_inferences(self.session, ids), seals.list_seals(self.session, ids)
        return [
            self._release(phase, state, inferred[state.release.id], signed[state.release.id])
            for phase in phases
            for state in reversed(states_by_phase[phase.id])
        ]

    def _release(
        self, phase: Phase, state: ReleaseState, inferred: list[Inference], signed: list[ReleaseSeal]
    ) -> ReleaseRecord:
        release, gone, named = state.release, state.withdrawal, state.naming
        by = self.people.who("release", release.id, release.made_by)
        return ReleaseRecord(
            phase=phase.slug,
            number=release.number,
            file=self.files.release(phase.slug, release.number, release.board),
            sha256=release.sha256,
            made_at=release.made_at,
            made_by=by,
            withdrawn_at=None if gone is None else gone.made_at,
            withdrawn_by=None if gone is None else self.people.who("unrelease", release.id, gone.made_by),
            withdrawn_reason=None if gone is None else gone.reason,
            feedback=release.feedback,
            named_file=self._named(phase, release),
            named_sha256=release.named_sha256,
            named_at=None if named is None else named.made_at,
            named_by=None if named is None else self.people.who("release-naming", release.id, named.made_by),
            opens_gold=release.opens_gold,
            rules=parse_rules(release.rules),
            published=parse_files(release.files, self.numbers),
            note=release.note,
            inferences=[
                InferenceRecord(
                    board_sha256=inference.board_sha256,
                    file=self.files.inference(
                        phase.slug, release.number, inference.board_sha256, inference.text
                    ),
                    sha256=inference.sha256,
                    noted_at=inference.noted_at,
                    made_at=inference.made_at,
                )
                for inference in inferred
                if inference.text is not None
                and inference.sha256 is not None
                and inference.made_at is not None
            ],
            seals=[
                SealRecord(
                    board_sha256=seal.board_sha256,
                    file=self.files.seal(phase.slug, release.number, seal.board_sha256, seal.text),
                    sha256=seals.text_sha256(seal.text),
                )
                for seal in signed
            ],
        )

    def _named(self, phase: Phase, release: Release) -> str | None:
        if release.named_board is None:
            return None
        return self.files.release(phase.slug, release.number, release.named_board, "-named")

    def pseudonyms(self) -> list[PseudonymRecord]:
        """The names of teams in anonymous releases."""
        query = (
            select(Phase.slug, Team.name, Pseudonym.name)
            .join(Phase, Phase.id == Pseudonym.phase_id)
            .join(Team, Team.id == Pseudonym.team_id)
            .where(Phase.task_id == self.task.id)
            .order_by(Phase.position, Team.id)
        )
        return [PseudonymRecord(*row) for row in self.session.execute(query)]
