import re
from datetime import timedelta

import pytest

from server.audit.models import AuditEntry
from server.core import db
from server.mail import service as mails
from server.mail.models import Announcement, Mail
from tests.server.mail_sink import Sink
from tests.server.programs import Program
from tests.server.visitors import filled_in, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/announcements"
WORD = {"audience": "*", "title": "Items 3 and 4", "text": "They are **swapped**.\n\n<b>Sorry</b>"}


def send(world: World, **changed: str) -> None:
    assert world.client("ada").post(PATH + "/new", {**WORD, "step": "send", **changed}).status_code == 302
    world.session.rollback()


def recipients(sink: Sink) -> list[str]:
    return sorted(mail["To"].split("@")[0] for mail in sink.mails)


def test_relative_links_of_an_announcement_lead_to_the_site_from_an_email(world: World, sink: Sink) -> None:
    links = (
        "![A lake](lake.png) [kit](starter-kit/check.py 'Begin') [rules](</tasks/small/rules>) [top](#data)\n"
        "[out](https://forest.example/a) [see][1] `f[0](rules)`\n\n[1]: ../other/?q=%C3%A5\n"
    )
    send(world, text=links)
    world.work(DURING)
    mail, task = sink.mails[0], "https://assay.test/tasks/small/"
    text, html = (mail.get_body((kind,)).get_content().replace("\r", "") for kind in ("plain", "html"))
    assert (
        f"![A lake]({task}pictures/lake.png) [kit]({task}starter-kit/check.py 'Begin') "
        f"[rules](<{task}rules>) [top]({task}#data)\n"
        "[out](https://forest.example/a) [see][1] `f[0](rules)`\n\n[1]: https://assay.test/tasks/other/?q=%C3%A5\n"
    ) in text
    addresses = re.findall('href="([^"]*)"', html)
    assert set(addresses) >= {
        f"{task}pictures/lake.png",
        f"{task}starter-kit/check.py",
        f"{task}rules",
        f"{task}#data",
        "https://forest.example/a",
        "https://assay.test/tasks/other/?q=%C3%A5",
    }
    assert all(address.startswith("https:") for address in addresses)
    assert "<img" not in html


def test_relative_links_of_an_announcement_lead_to_the_same_page_wherever_it_is_shown(world: World) -> None:
    ada = world.client("ada")
    text = "[rules](rules) [top](#data) [out](https://forest.example/a)"
    links = ("/tasks/small/rules", "/tasks/small/#data", "https://forest.example/a")
    preview = ada.post("/tasks/small/preview", {"text": text}).json["html"]
    send(world, text=text)
    for page in (preview, ada.get(PATH).text, world.client().get("/tasks/small/").text):
        assert [link for link in links if f'href="{link}"' not in page] == []


def test_announcement_is_previewed_before_it_is_sent(world: World, sink: Sink) -> None:
    world.found_team("dee", "alder")
    ada = world.client("ada")
    assert "pictures that you upload under Pictures and starter kit" in words(ada.get(PATH + "/new"))
    preview = ada.post(PATH + "/new", {**WORD, "step": "preview"})
    assert "It will be sent to 3 members of 2 teams and shown on the task’s page." in words(preview)
    assert "<strong>swapped</strong>" in preview.text
    assert world.session.query(Announcement).count() == 0
    hidden = dict(re.findall(r'type="hidden" name="(audience|title|text)" value="([^"]*)"', preview.text))
    assert hidden["text"].startswith("They are **swapped**.\n\n&lt;b&gt;")
    again = ada.post(PATH + "/new", {**WORD, "step": "change"})
    assert "They are **swapped**." in again.text
    assert 'value="preview"' in again.text

    sent = ada.post(PATH + "/new", {**WORD, "step": "send"}, follow_redirects=True)
    assert "The announcement was published and is being sent to 3 team members." in words(sent)
    ada.post(PATH + "/new", {**WORD, "step": "send"})  # a second click
    world.work(DURING)
    assert recipients(sink) == ["bo", "cy", "dee"]
    mail = sink.mails[0]
    text, html = mail.get_body(("plain",)).get_content(), mail.get_body(("html",)).get_content()
    assert mail["Subject"] == "Items 3 and 4"
    assert "They are **swapped**." in text
    assert "<strong>swapped</strong>" in html
    assert "<b>" not in html
    (one,) = world.session.query(Announcement)
    link = f"/tasks/small/#announcement-{one.id}"
    assert link in text
    assert f'id="announcement-{one.id}"' in world.client().get("/tasks/small/").text
    (entry,) = world.session.query(AuditEntry).filter_by(action="announcement.add")
    assert (entry.details["people"], entry.details["teams"]) == (3, 2)
    assert "swapped" not in str(entry.details)


def test_announcement_is_edited_and_marked_so_without_another_email(world: World, sink: Sink) -> None:
    send(world)
    send(world, title="Newer")
    world.work(DURING)
    announcement = world.session.query(Announcement).filter_by(title="Items 3 and 4").one()
    ada, path = world.client("ada"), f"{PATH}/{announcement.id}"
    form = {**filled_in(ada.get(path), "made_from"), "title": "Items 2 and 4", "pinned": "y"}
    saved = ada.post(path, form, follow_redirects=True)
    assert "Items 2 and 4 10 Mar 2026, 12:00 UTC, edited on 10 Mar 2026, 12:00 UTC pinned" in words(saved)
    page = world.client().get("/tasks/small/")
    assert page.text.index("Items 2 and 4") < page.text.index("Newer")
    assert "earlier announcement" not in page.text  # the newest is open, too
    (listed, newer) = world.client().get("/api/v1/tasks/small/announcements").json["items"]
    assert (listed["title"], listed["pinned"], newer["pinned"]) == ("Items 2 and 4", True, False)
    assert (listed["edited_at"], newer["edited_at"]) == (listed["made_at"], None)
    world.work(DURING)
    assert recipients(sink) == ["bo", "bo", "cy", "cy"]
    (entry,) = world.session.query(AuditEntry).filter_by(action="announcement.edit")
    assert entry.details == {"announcement": announcement.id, "changed": ["title", "pinned"]}
    outdated = ada.post(path, {**form, "title": "Items 1 and 4"})
    assert (outdated.status_code, "Nothing was saved" in words(outdated)) == (422, True)
    assert ada.get(f"{PATH}/99").status_code == 404


def test_announcement_can_be_limited_to_teams_with_incomplete_runs(world: World, sink: Sink) -> None:
    world.found_team("dee", "alder")
    for level in ("p2s", "s2p"):
        world.upload(world.run(), level)
    audience = str(world.phase().id)
    preview = world.client("ada").post(PATH + "/new", {**WORD, "audience": audience, "step": "preview"})
    assert "It will be sent to 1 member of 1 team with incomplete runs in Evaluation." in words(preview)
    assert "alder" in words(preview)
    send(world, audience=audience)
    with db.writing(world.session):
        world.user("bo").mail_confirmations = False
    world.work(DURING)
    assert recipients(sink) == ["dee"]
    for name, sees in ((None, False), ("bo", False), ("dee", True), ("ada", True)):
        assert ("Items 3 and 4" in world.client(name).get("/tasks/small/").text) is sees


def test_interrupted_announcement_continues_and_nobody_gets_it_twice(
    world: World, sink: Sink, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.found_team("dee", "alder")
    send(world)
    put, seen = mails.queue_mail, []

    def dies_at_the_second(*arguments: object, **facts: object) -> object:
        seen.append(arguments)
        if len(seen) == 2:
            raise RuntimeError("killed")
        return put(*arguments, **facts)

    monkeypatch.setattr("server.mail.announcements.BATCH", 1)
    with monkeypatch.context() as patch:
        patch.setattr(mails, "queue_mail", dies_at_the_second)
        world.work(DURING)
    world.session.rollback()
    assert world.session.query(Mail).count() == 1
    world.work(DURING + timedelta(hours=1))
    assert recipients(sink) == ["bo", "cy", "dee"]


def test_person_who_opted_out_can_read_the_announcement_on_the_page(world: World, sink: Sink) -> None:
    with db.writing(world.session):
        world.user("cy").mail_announcements = False
    send(world)
    world.work(DURING)
    assert recipients(sink) == ["bo"]


@pytest.mark.parametrize(
    "changed",
    # A phase is chosen by its id: after it was removed, another one can have its short name.
    [{"audience": "evaluation"}, {"title": ""}, {"text": " "}, {"text": "x" * 5001}, {"step": ""}],
)
def test_incomplete_announcement_is_not_sent(world: World, changed: dict[str, str]) -> None:
    refused = world.client("ada").post(PATH + "/new", {**WORD, "step": "send", **changed})
    assert refused.status_code == 422
    assert world.session.query(Announcement).count() == 0


def test_announcement_to_incomplete_teams_has_no_recipients_if_all_are_complete(world: World) -> None:
    for level in ("p2s", "s2p"):
        world.upload(world.run(), level)
    form, ada = {**WORD, "audience": str(world.phase().id)}, world.client("ada")
    preview = ada.post(PATH + "/new", {**form, "step": "preview"})
    assert "No team with members has incomplete runs in Evaluation" in words(preview)
    assert 'value="send"' not in preview.text
    sent = ada.post(PATH + "/new", {**form, "step": "send"}, follow_redirects=True)
    assert "No team with members has incomplete runs in" in words(sent)
    assert world.session.query(Announcement).count() == 0


def test_announcement_to_chosen_teams_reaches_and_shows_these_alone(world: World, sink: Sink) -> None:
    team_id = str(world.found_team("dee", "alder").id)
    ada, chosen = world.client("ada"), {**WORD, "audience": "+", "teams": team_id}
    form = ada.get(f"{PATH}/new?team={team_id}")
    assert form.text.count("checked") == 2  # the audience, and the team
    preview = ada.post(PATH + "/new", {**chosen, "step": "preview"})
    assert "sent to 1 member of 1 team. Only these teams, the organizers and the observers" in words(preview)
    assert f'name="teams" value="{team_id}"' in preview.text
    send(world, **chosen)
    world.work(DURING)
    assert recipients(sink) == ["dee"]
    for name, sees in ((None, False), ("bo", False), ("cy", False), ("dee", True), ("ada", True)):
        page = world.client(name).get("/tasks/small/")
        assert ("Items 3 and 4" in page.text) is sees
        if name is not None:
            listed = Program(world, name, "read", "organize").get("/tasks/small/announcements").json["items"]
            assert [item["title"] for item in listed] == ["Items 3 and 4"] * sees


def test_announcement_needs_a_team_if_and_only_if_it_is_to_chosen_teams(world: World) -> None:
    refused = world.client("ada").post(PATH + "/new", {**WORD, "audience": "+", "step": "send"})
    assert refused.status_code == 422
    assert "Choose at least one team." in words(refused)
    team_id = str(world.found_team("dee", "alder").id)
    for step in ("preview", "send"):
        refused = world.client("ada").post(PATH + "/new", {**WORD, "teams": team_id, "step": step})
        assert refused.status_code == 422
        assert "You chose teams. Choose “Some teams” above, too" in words(refused)
    assert world.session.query(Announcement).count() == 0
