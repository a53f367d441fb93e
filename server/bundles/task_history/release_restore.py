"""Restores a history's releases: boards, inferences, seals and pseudonyms."""

from collections.abc import Iterator
from typing import Any, cast

from sqlalchemy import select

from server.boards import service as boards
from server.boards.inference_json import read_inference, summarize_inference
from server.bundles.task_history.records import ReleaseRecord
from server.bundles.task_history.release_records import dump_files, dump_rules
from server.bundles.task_history.task_restore import RecordRestorer
from server.inferences import inference_inputs
from server.phases.feedback import Feedback
from server.phases.models import Phase
from server.releases import seals
from server.releases.models import (
    Inference,
    Pseudonym,
    Release,
    ReleaseNaming,
    ReleaseSeal,
    ReleaseWithdrawal,
)


class ReleaseRestorer(RecordRestorer):
    """Releases, and the names that stand in anonymous ones."""

    def restore_releases(self) -> None:
        """Every release, withdrawn ones too."""
        rows = [self._release(record) for record in self.history.releases]
        self.add(rows)
        for row, record in zip(rows, self.history.releases, strict=True):
            self.session.add_all(self._inferences(row, record))
            self.session.add_all(self._seals(row, record))
            self.attribute("release", row.id, record.made_by)
            if record.withdrawn_at is not None:
                reason, at = record.withdrawn_reason or "", record.withdrawn_at
                self.session.add(
                    ReleaseWithdrawal(release_id=row.id, reason=reason, made_by=None, made_at=at)
                )
                self.attribute("unrelease", row.id, record.withdrawn_by)
            if record.named_at is not None:
                self.session.add(ReleaseNaming(release_id=row.id, made_by=None, made_at=record.named_at))
                self.attribute("release-naming", row.id, record.named_by)

    def restore_inputs(self) -> None:
        """What boards were computed from, where the files here give the same ones; genres can follow."""
        inputs = {pair[0]: pair[1] for phase in self.phases.values() for pair in self._inputs(phase)}
        query = select(Inference).where(Inference.phase_id.in_([phase.id for phase in self.phases.values()]))
        for row in self.session.scalars(query):
            row.inputs = inputs.get((row.phase_id, row.board_sha256))

    def _inputs(self, phase: Phase) -> Iterator[tuple[tuple[int, str], dict[str, Any]]]:
        for baselines in (True, False):
            text = boards.board_text(self.session, phase, baselines=baselines)
            inputs = inference_inputs.collect_inputs(self.session, phase, baselines=baselines)
            yield (phase.id, seals.text_sha256(text)), inputs

    def _seals(self, release: Release, record: ReleaseRecord) -> list[ReleaseSeal]:
        """What was signed of it elsewhere, with that site's name and key in it."""
        return [
            ReleaseSeal(
                release_id=release.id,
                board_sha256=seal.board_sha256,
                text=self.plan.texts[seal.file],
                made_at=record.made_at if seal.board_sha256 == record.sha256 else record.named_at,
            )
            for seal in record.seals
        ]

    def _inferences(self, release: Release, record: ReleaseRecord) -> list[Inference]:
        """What was computed of it elsewhere, as it was."""
        return [
            Inference(
                phase_id=release.phase_id,
                release_id=release.id,
                board_sha256=inference.board_sha256,
                inputs=None,
                noted_at=inference.noted_at,
                text=self.plan.texts[inference.file],
                sha256=inference.sha256,
                shown=summarize_inference(read_inference(self.plan.texts[inference.file])),
                made_at=inference.made_at,
            )
            for inference in record.inferences
        ]

    def _release(self, record: ReleaseRecord) -> Release:
        return Release(
            phase_id=self.phases[record.phase].id,
            number=record.number,
            board=self.plan.texts[record.file],
            sha256=record.sha256,
            named_board=None if record.named_file is None else self.plan.texts[record.named_file],
            named_sha256=record.named_sha256,
            opens_gold=record.opens_gold,
            rules=dump_rules(record.rules),
            files=dump_files(record.published, {k: row.id for k, row in self.submissions.items()}),
            note=record.note,
            feedback=cast(Feedback | None, record.feedback),  # the plan was checked
            made_by=None,
            made_at=record.made_at,
        )

    def restore_pseudonyms(self) -> None:
        """The names of teams in anonymous releases, which later ones go on with."""
        self.add(
            [
                Pseudonym(
                    phase_id=self.phases[pseudonym.phase].id,
                    team_id=self.teams[pseudonym.team].id,
                    name=pseudonym.name,
                )
                for pseudonym in self.history.pseudonyms
            ]
        )
