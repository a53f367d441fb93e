import hashlib
import json
import re

import pytest
from sqlalchemy import text

from server.access import admins
from server.activity.actions import ACTIONS, PUBLIC_ACTIONS
from server.activity.service import PER_PAGE
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import CONSOLE
from server.gold.models import GoldVersion
from server.planning import extensions
from tests.server.audit.test_audit_chain import entries, story
from tests.server.planning.test_extensions import NEW
from tests.server.small_task import GOLD
from tests.server.visitors import words
from tests.server.world import DURING, LATE, World, max_queries

pytestmark = pytest.mark.one_database

LOG, TEAM_LOG = "/tasks/small/organize/log", "/tasks/small/team/log"


def sentences(page: str) -> list[str]:
    """The sentences of a page, newest first."""
    cells = re.findall(r'<td class="words">(.*?)</td>', page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", "", cell).split()) for cell in cells]


def is_read(world: World, entry: AuditEntry) -> bool:
    """Whether it is of the task, or of the keys that its receipts are signed with."""
    return entry.task_id == world.task.id or entry.action == "key.add"


def extend(world: World, name: str | None) -> None:
    team = None if name is None else world.team
    with db.writing(world.session):
        extensions.extend_deadline(world.session, world.actor("ada"), world.phase(), team, NEW, "ill", DURING)


def test_activity_log_lists_sentences_newest_first_for_organizers(world: World) -> None:
    file_id = story(world).id
    page = world.client("ada").get(LOG)
    said = sentences(page.text)
    assert said[0] == "ada withdrew release 1 of Evaluation."
    assert f"bo withdrew submission {file_id} for run one, Paragraph to sentence (birch)." in said
    assert said[-1] == "A command on the server imported the task."
    assert len(said) == len([entry for entry in entries(world) if is_read(world, entry)])
    assert re.search(
        r"\nA command on the server imported submission \d+ for run \S+, \S+",
        "\n".join(said),
    )
    assert not re.search(r"server uploaded|imported submission \d+.* accepted", "\n".join(said))
    head = entries(world)[-1]
    assert f"newest entry of this site’s log is {head.number}" in words(page)
    assert head.sha256 in page.text
    filtered = sentences(world.client("ada").get(f"{LOG}?kind=gold&team=x&before=-1").text)
    assert filtered == [line for line in said if "gold" in line]
    of_team = sentences(world.client("ada").get(f"{LOG}?team={world.team.id}").text)
    assert of_team == [line for line in said if line.startswith(("bo ", "cy "))]
    assert len(of_team) > 6


def test_team_sees_entries_about_itself_and_public_entries(world: World) -> None:
    story(world)
    extend(world, "birch")
    extend(world, None)
    of_birch, of_alder = (sentences(world.client(name).get(TEAM_LOG).text) for name in ("bo", "dee"))
    assert of_birch[0] == of_alder[0]
    assert of_birch[0].startswith("An organizer extended the deadline of Evaluation for all teams from")
    assert of_birch[1].startswith("An organizer extended the deadline of Evaluation for birch from")
    assert "bo uploaded" in of_birch[4]
    assert not [line for line in of_alder if "birch" in line or line.startswith(("bo ", "cy "))]
    assert of_alder[-2:] == ["dee created alder.", "A command on the server imported the task."]
    assert not [line for line in (*of_birch, *of_alder) if "ada" in line or "candidate" in line]


def test_activity_log_is_paginated(world: World) -> None:
    with db.writing(world.session):
        for _ in range(PER_PAGE):
            audit.record(world.session, world.actor("ada"), DURING, "runs.download", world.task.id, files=1)
    ada = world.client("ada")
    first = ada.get(LOG)
    before = re.search(r'rel="next" href="([^"]*)"', first.text)
    assert before is not None
    assert len(sentences(first.text)) == PER_PAGE
    second = ada.get(before[1])
    assert sentences(second.text)[-1] == "A command on the server imported the task."
    assert 'rel="next"' not in second.text
    with max_queries(world, 17):
        ada.get(LOG)


def test_downloaded_log_contains_everything_that_is_hashed(world: World) -> None:
    story(world)
    ada = world.client("ada")
    lines = [json.loads(line) for line in ada.get(f"{LOG}.jsonl").text.splitlines()]
    kept = [entry for entry in entries(world) if is_read(world, entry)]
    assert [line["sha256"] for line in lines] == [entry.sha256 for entry in kept]
    for line in lines:
        content = {key: value for key, value in line.items() if key not in ("sha256", "words")}
        as_told = json.dumps(
            content, sort_keys=True, ensure_ascii=False, separators=(",", ":")
        )  # in the help
        assert hashlib.sha256(as_told.encode()).hexdigest() == line["sha256"]
    table = ada.get(f"{LOG}.tsv")
    assert table.headers["Content-Disposition"] == 'attachment; filename="small.log.tsv"'
    rows = [line.split("\t") for line in table.text.splitlines()]
    assert [(row[0], row[2]) for row in rows[1:]] == [(str(line["number"]), line["words"]) for line in lines]
    assert {len(row) for row in rows} == {10}
    told_rows = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    for row, line in zip(told_rows, lines, strict=True):
        ids = [line[key] for key in ("task", "team") if line.get(key) is not None]
        assert [int(row[key]) for key in ("task", "team") if row[key]] == ids
        same = [row[key] == line[key] for key in ("at", "actor", "action", "previous", "sha256")]
        assert (all(same), json.loads(row["details"])) == (True, line["details"])


def test_entry_with_invalid_json_is_shown_and_invalid_query_parameters_are_ignored(
    world: World,
) -> None:
    story(world)
    extend(world, None)
    with db.writing(world.session):
        world.session.execute(text("UPDATE audit_entry SET details = '{' WHERE task_id IS NOT NULL"))
    ada = world.client("ada")
    queries = ("", "?kind=odd&before=x&team=-1", f"?before={'9' * 40}", f"?team={world.team.id}")
    for page in (f"{LOG}{query}" for query in queries):
        assert any("uploaded a submission" in line for line in sentences(ada.get(page).text))
    assert ada.get(f"{LOG}.tsv").status_code == ada.get(f"{LOG}.jsonl").status_code == 200
    assert "uploaded a submission" in world.client("bo").get(TEAM_LOG).text


def test_site_admin_sees_all_entries_with_numbers_in_place_of_task_names(world: World) -> None:
    file_id = story(world).id
    assert world.client("dee").get("/log/").status_code == 404
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
    page = world.client("dee").get("/log/")
    said = sentences(page.text)
    assert len(said) == len(entries(world))
    assert f"bo withdrew submission {file_id}." in said
    assert "birch" not in page.text


def test_audit_log_never_contains_gold_email_addresses_or_secrets(world: World) -> None:
    submission = story(world)
    world.upload(world.run(), "s2p", at=LATE)
    logged = json.dumps([[entry.actor, entry.action, entry.details] for entry in entries(world)])
    kept = [world.user(name) for name in ("ada", "bo", "cy", "dee")]
    secrets = [user.password for user in kept] + [user.fs_uniquifier for user in kept]
    secrets += [user.email for user in kept] + [value for values in GOLD.values() for value in values]
    secrets += [row.sha256 for row in world.session.query(GoldVersion)] + [submission.filename]
    assert [secret for secret in secrets if secret in logged] == []
    for entry in entries(world):
        assert set(entry.details) <= ACTIONS[entry.action].keys, entry.action
        if entry.action in PUBLIC_ACTIONS:
            assert "user" not in entry.details


def test_site_admin_does_not_see_the_slug_of_a_draft(world: World) -> None:
    with db.writing(world.session):
        admins.add_admin(world.session, CONSOLE, world.user("dee"), DURING)
        for slug in ("winter-2027", "small"):
            audit.record(world.session, world.actor("ada"), DURING, "task.copy", world.task.id, slug=slug)
    dee, column = world.client("dee"), '<td class="nowrap">small</td>'
    page = dee.get("/log/").text
    assert sentences(page)[:2] == ["ada copied the task to small.", "ada copied the task to (hidden)."]
    assert "winter-2027" not in page
    assert column in page
    with db.writing(world.session):
        world.task.state = "draft"
    page = dee.get("/log/").text
    assert sentences(page)[0] == "ada copied the task to (hidden)."
    assert column not in page
