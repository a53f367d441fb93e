from pathlib import Path

import pytest

from server.access import tasks
from server.app import create_app
from server.core import clock, db
from server.core.actors import Actor
from server.core.config import Config
from server.teams import invitations, service as teams
from server.web.context import site_of
from tests.server.commands import Assay
from tests.server.small_task import PASSWORD, TASK, write_bundle
from tests.server.visitors import Visitor

pytestmark = pytest.mark.one_database

APPROVED = TASK.replace("[board]", '[teams]\nregistration = "approved"\n\n[board]')


@pytest.fixture
def site(assay: Assay, config: Config, tmp_path: Path) -> Config:
    """A task with a team that waits: bo its captain, cy in it."""
    for name in ("bo", "cy", "dee"):
        assay("user", "add", f"{name}@example.org", "--name", name, "--password", PASSWORD)
    imported = assay("task", "import", write_bundle(tmp_path / "bundle", APPROVED), "--publish")
    assert imported.exit_code == 0, imported.output
    app = create_app(config)
    session = site_of(app).session()
    with app.app_context(), db.writing(session):
        task, bo, cy = tasks.get_task(session, "small"), Actor(user_id=1), Actor(user_id=2)
        team = teams.create_team(session, bo, task, "birch", clock.now())
        link = invitations.invite(session, bo, team, clock.now()).token
        invitations.join_team(session, cy, task, link, clock.now())
    site_of(app).session.remove()
    site_of(app).engine.dispose()
    return config


@pytest.mark.usefixtures("site")
def test_team_list_shows_state_files_and_people(assay: Assay) -> None:
    listed = assay("team", "list", "small")
    assert (listed.exit_code, listed.stdout) == (0, "birch\twaiting\t0\tbo@example.org cy@example.org\n")


@pytest.mark.usefixtures("site")
def test_approves_and_declines_and_names_a_captain(assay: Assay) -> None:
    assert assay("team", "approve", "small", "Birch").stdout == "birch is approved and can upload runs.\n"
    assert assay("team", "decline", "small", "birch", "--reason", "too late").stdout == "birch is declined.\n"
    assert assay("team", "decline", "small", "birch", "--reason", " ").exit_code == 2
    output = assay("team", "captain", "small", "birch", "cy@example.org").stdout
    assert output == "cy@example.org is now the captain of birch.\n"
    assert assay("team", "list", "small").stdout == "birch\tdeclined\t0\tcy@example.org bo@example.org\n"
    removed = assay("team", "remove", "small", "birch", "bo@example.org")
    assert removed.stdout == "bo@example.org is no longer in birch.\n"


@pytest.mark.usefixtures("site")
def test_deadline_is_extended_for_a_team_or_for_all(assay: Assay) -> None:
    extend = ("phase", "extend", "small", "evaluation")
    one = assay(*extend, "2998-03-15 23:59 AoE", "--team", "birch", "--reason", "an outage")
    assert one.stdout == "Evaluation closes for birch on 2998-03-16 11:59:00 UTC.\n"
    assert assay(*extend, "16 Mar 2997, 12:00 UTC", "--reason", "an outage").exit_code == 0
    assert "evaluation\t" in assay("phase", "list", "small").stdout
    assert "\t2997-03-16 12:00:00 UTC\n" in assay("phase", "list", "small").stdout
    wrong = assay(*extend, "soon", "--reason", "an outage")
    assert wrong.exit_code == 2
    assert "Enter a date and time in UTC" in wrong.stderr


@pytest.mark.usefixtures("site")
def test_phase_is_added_with_the_rules_that_the_page_begins_with(assay: Assay) -> None:
    add = ("phase", "add", "small", "later")
    at = ("--title", "Later", "--opens", "2997-05-01 00:00", "--closes", "2997-06-01 00:00")
    assert assay(*add, "test", *at).stdout == "Later was added to small.\n"
    assert assay("phase", "list", "small").stdout.splitlines()[-1] == (
        "later\tearly\t2997-05-01 00:00:00 UTC\t2997-06-01 00:00:00 UTC"
    )
    again = assay(*add, "test", *at)
    assert 'The task already has a phase "later".' in again.stderr
    assert assay("phase", "add", "small", "La ter", "test", *at).exit_code == 2
    assert "'dev' is not one of 'trial', 'training', 'test'" in assay(*add, "dev", *at).stderr


@pytest.mark.usefixtures("site")
def test_announcement_is_sent_edited_pinned_and_listed(assay: Assay) -> None:
    def list_them() -> list[list[str]]:
        return [
            line.split("\t")[:1] + line.split("\t")[2:]
            for line in assay("announcement", "list", "small").stdout.splitlines()
        ]

    for title, whom in (("One", ("--team", "birch")), ("Two", ())):
        sent = assay("announcement", "add", "small", title, "-", *whom, input="The *data* is out.\n")
        assert (sent.exit_code, "was published and is being sent." in sent.stdout) == (0, True), sent.output
    assert list_them() == [["2", "all", "-", "Two"], ["1", "chosen", "-", "One"]]
    edited = assay("announcement", "edit", "small", "1", "--title", "First", "--pin")
    assert edited.stdout == "Saved: title, pinned.\n"
    assert list_them()[0] == ["1", "chosen", "pinned", "First"]
    assert assay("announcement", "edit", "small", "1", "--pin").stdout == "Nothing was changed.\n"
    empty = assay("announcement", "edit", "small", "1", "--text", "-", input=" ")
    assert (empty.exit_code, "Enter a text." in empty.stderr) == (2, True)
    missing = assay("announcement", "edit", "small", "7", "--unpin")
    assert missing.stderr == "assay: There is no such announcement.\n"


def test_invitation_link_can_be_created_for_a_team(assay: Assay, site: Config) -> None:
    made = assay("team", "invite", "small", "birch")
    assert made.exit_code == 0
    assert made.stdout.startswith("/tasks/small/join/")
    assert made.stderr.startswith("The link is valid until ")
    app = create_app(site)
    dee = Visitor(app.test_client())
    dee.post("/sign-in", {"email": "dee@example.org", "password": PASSWORD})
    assert "You were invited to the team birch" in dee.get(made.stdout.strip()).text
    site_of(app).engine.dispose()


@pytest.mark.usefixtures("site")
def test_unknown_team_or_task_is_reported_in_one_line(assay: Assay) -> None:
    for arguments, words in (
        ("list nowhere", "There is no such task."),
        ("approve small elm", 'There is no team "elm" in small. `assay team list small` lists the teams'),
        ("captain small birch dee@example.org", "There is no such team member."),
        (
            "captain small birch x@example.org",
            "There is no account with the address x@example.org",
        ),
    ):
        result = assay("team", *arguments.split())
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"assay: {words}")
