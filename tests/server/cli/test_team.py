import pytest

from server.core import db
from tests.server.commands import Assay
from tests.server.world import World

pytestmark = pytest.mark.one_database


@pytest.fixture(autouse=True)
def waiting(world: World) -> None:
    """The team waits: bo its captain, cy in it."""
    with db.writing(world.session):
        world.task.registration = "approved"
        world.team.state = "waiting"


def test_team_list_shows_state_files_and_people(assay: Assay) -> None:
    listed = assay("team", "list", "small")
    assert (listed.exit_code, listed.stdout) == (0, "birch\twaiting\t0\tbo@example.org cy@example.org\n")


def test_approves_and_declines_and_names_a_captain(assay: Assay) -> None:
    assert assay("team", "approve", "small", "Birch").stdout == "birch is approved and can upload runs.\n"
    assert assay("team", "decline", "small", "birch", "--reason", "too late").stdout == "birch is declined.\n"
    assert assay("team", "decline", "small", "birch", "--reason", " ").exit_code == 2
    output = assay("team", "captain", "small", "birch", "cy@example.org").stdout
    assert output == "cy@example.org is now the captain of birch.\n"
    assert assay("team", "list", "small").stdout == "birch\tdeclined\t0\tcy@example.org bo@example.org\n"
    removed = assay("team", "remove", "small", "birch", "bo@example.org")
    assert removed.stdout == "bo@example.org is no longer in birch.\n"


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


def test_invitation_link_can_be_created_for_a_team(assay: Assay, world: World) -> None:
    made = assay("team", "invite", "small", "birch")
    assert made.exit_code == 0
    assert made.stdout.startswith("/tasks/small/join/")
    assert made.stderr.startswith("The link is valid until ")
    page = world.client("dee").get(made.stdout.strip())
    assert "You were invited to the team birch" in page.text


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
