"""The campaign that the roles of the route table meet: it is about the hidden split of the small task."""

from dataclasses import asdict
from io import BytesIO

from server.annotation.answers import receive
from server.annotation.answers.rules import GivenAnswer
from server.annotation.answers.tickets import Ticket
from server.annotation.assignments import progress, taking
from server.annotation.campaigns import (
    consents,
    creation,
    people,
    personal_links,
    service as campaigns,
    uploads,
)
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationRound, Annotator, AnnotatorKey, RoundDataSet, UnitAnswer
from server.annotation.results import answer_rows
from server.core import db
from server.core.errors import FileProblem
from server.core.zips import WEB_LIMITS, unpacked, write_members
from server.jobs import service as jobs
from tests.server.job_runs import change_jobs
from tests.server.small_task import TEXTS
from tests.server.world import DURING, World

OWN_KEY, FREE_KEY = "own-key", "free-key"
"""The keys of the links of the annotator, and of a person who has not come yet."""
SECRET = b"goldcrest"
"""A word of the annotator's comment and of the text that they wrote, which only they may read, and people
who may see the gold."""
UNSHOWN = b"dunnock"
"""A word of a column that annotators do not see."""
CONFIG = """\
[campaign]
slug = "{slug}"
title = "How similar are they?"
contact = "https://forest.example/campaign"
languages = ["en"]
text_language = "en"
consent = {{ en = "consent.md" }}
guide = {{ en = "Rate the *meaning*." }}
scale = {{ min = 0, max = 4, step = 1 }}
labels.en = {{ "0" = "unrelated", "4" = "the same" }}
level = "p2s"
split = "test"
[entry.students]
kind = "personal"
[entry.crowd]
kind = "crowd"
lease_hours = 2
person = "PID"
done = "C1DONE"
failed = "C2GATE"
back = "https://platform.example/complete?cc={{code}}"
[[round]]
slug = "rate"
kind = "rate"
units = "pairs.tsv"
show = ["left", "right"]
ask = {{ comment = true, cannot_judge = true }}
answers = 2
assignment = 2
[[round]]
slug = "write"
kind = "write"
units = "phrases.tsv"
noun.en = "phrase"
answers = 1
assignment = 1
"""


def write_campaign_zip(slug: str) -> bytes:
    """A campaign about the pairs of the small task, and about a phrase."""
    rows = [("key", "left", "right", "source")]
    rows += [(f"News-{i}", left, right, UNSHOWN.decode()) for i, (left, right) in enumerate(TEXTS, start=1)]
    files = {
        "annotation.toml": CONFIG.format(slug=slug),
        "consent.md": "Your ratings will be published.",
        "pairs.tsv": "".join("\t".join(row) + "\n" for row in rows),
        "phrases.tsv": f"key\tleft\twanted\tsource\nphrase-1\tall at sea\t4\t{UNSHOWN.decode()}\n",
    }
    target = BytesIO()
    write_members(target, [(name, text.encode()) for name, text in files.items()])
    return target.getvalue()


def open_campaign(world: World) -> None:
    """An open campaign with two links; the annotator has consented and answered a step of each round."""
    session, ada = world.session, world.actor("ada")
    with unpacked(BytesIO(write_campaign_zip("harbour")), WEB_LIMITS) as folder:
        prepared = creation.prepare_campaign(folder)
    with db.writing(session):
        campaign = creation.add_campaign(session, ada, world.task, prepared, DURING)
        for key in (OWN_KEY, FREE_KEY):
            (link,) = people.add_annotators(session, ada, campaign.entries[0], [Invitee(key)], DURING)
            _set_key(world, link.annotator, key)
        annotator = people.get_annotator(session, campaign, "A001")
        consents.give_consent(session, annotator, 1, "en", world.user("annotator").id, DURING)
        said = f"a {SECRET.decode()}"
        for round_, given in zip(
            campaign.rounds, (GivenAnswer(3, said), GivenAnswer(None, written=said)), strict=True
        ):
            campaigns.open_round(session, ada, round_, DURING)
            assignment = taking.take_assignment(session, annotator, round_, DURING)
            step = progress.next_step(session, assignment)
            assert step is not None
            ticket = Ticket(personal_links.hash_key(OWN_KEY), step.id, DURING, "0" * 16, None)
            stored = receive.receive_answer(session, ticket, given, DURING)
            session.get_one(UnitAnswer, stored.answer_id).texts_sha256 = "0" * 64  # without its random salt
        _add_data_set(world, campaigns.get_round(campaign))


def reject_upload(world: World) -> None:
    """An upload by ada that has a problem, as a job leaves it."""
    problem = FileProblem("annotation.toml", None, "no_file", "there is no such file")
    refused = {"message": "The campaign has 1 problem.", "problems": [asdict(problem)], "count": 1}
    upload = uploads.CampaignUpload(world.storage.put(b"no campaign"))
    with db.writing(world.session):
        job_id = uploads.queue_upload(world.session, world.actor("ada"), world.task, upload, DURING)
        jobs.record_result(world.session, job_id, {"refused": refused})
        change_jobs(world.session, [job_id], "done", finished_at=DURING)


def _add_data_set(world: World, round_: AnnotationRound) -> None:
    """A data set with a word that only those may read who may see the gold, in place of what a job makes."""
    target = BytesIO()
    write_members(target, [("harbour/test.tsv", UNSHOWN)])
    state = answer_rows.hash_state(world.session, [round_])
    world.session.add(
        RoundDataSet(
            round_id=round_.id,
            options={"seed": 7},
            answers_sha256=state,
            sha256=world.storage.put(target.getvalue()),
            made_at=DURING,
        )
    )


def _set_key(world: World, annotator: Annotator, key: str) -> None:
    """Give a link a key that the tests know."""
    row = world.session.query(AnnotatorKey).filter_by(annotator_id=annotator.id).one()
    row.sha256 = personal_links.hash_key(key)
