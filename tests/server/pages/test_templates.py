"""Every file of templates/ is rendered with real data, in every state of a site, and lacks nothing.

The route table is played by each role before a release, after it and after its withdrawal, for several tests;
then the pages at other times, faults and an empty site. A template that nothing of this reaches fails, and so
does one that prints, or looks into, what its view has not given it.
"""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from server.access import tasks, terms
from server.annotation.campaigns import creation, service as campaigns
from server.annotation.models import Unit
from server.core import db
from server.core.storage import Storage
from server.mail import notices, team_mails
from server.releases import release_gold
from server.scoring import service as scoring
from server.teams import service as teams
from tests.field_formats import write_package
from tests.scorer.stages_campaign import write_stages
from tests.server.accounts.test_accounts_second_factor import recovery_codes, turn_on
from tests.server.annotation.answered import add_answered_campaign
from tests.server.annotation.small_campaign import add_campaign
from tests.server.annotation.test_decisions import DISAGREEMENTS
from tests.server.answers import CollectedAnswers, list_allowed
from tests.server.bundles.test_field_formats import host
from tests.server.mail_sink import Sink
from tests.server.pages.annotation.test_crowd import come
from tests.server.pages.annotation.test_gate import configure_gate
from tests.server.pages.annotation.test_passes import RATE, add_chain, answer_all, join
from tests.server.pages.annotation.test_stages import RESULTS as STAGES
from tests.server.players import Player, play, read_hidden_fields
from tests.server.route_cases import ANNOTATOR, WITHDRAWN
from tests.server.route_table import CASES
from tests.server.small_task import PASSWORD, variant
from tests.server.visitors import Visitor, filled_in
from tests.server.watching import watched
from tests.server.world import AFTER, CLOSES, DURING, GOOD, LATE, OPENS, World

pytestmark = pytest.mark.one_database

FOLDER = Path(__file__).parents[3] / "templates"
EVERY = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()} - {
    "_chart.html"
}
PAGES = tuple(case for case in CASES if not case.endpoint.startswith("api_"))
"""Programs are answered without templates."""
TIMES = {"early": OPENS - timedelta(days=1), "late": LATE, "over": AFTER}


def at_other_times(world: World) -> None:
    for at in TIMES.values():
        world.set_clock(at)
        for role in ("visitor", "member", "organizer"):
            player = Player(world, role)
            for case in list_allowed(PAGES, role):
                if case.method == "GET" and player.address(case).startswith("/tasks/"):
                    assert player.send(case).status_code < 500, (at, role, case)
    world.set_clock(DURING)


def with_files_of_runs(world: World) -> None:
    """Releases that publish files, one after the other, under another gold, which is public."""
    with db.writing(world.session):
        world.phase().runs_public = True
        release_gold.open_gold(world.session, world.actor("ada"), world.phase(), DURING)
    world.release(DURING)
    world.fix_gold("p2s", b"4\n3\n1.5\n0\n")
    world.release(DURING)
    for number in (2, 3):
        assert world.client().get(f"/tasks/small/boards/evaluation/releases/{number}").status_code == 200


def with_an_anonymous_release(world: World) -> None:
    """The page that asks before team names are revealed."""
    world.release(DURING, anonymous=True)
    assert world.client("ada").get("/tasks/small/organize/boards/evaluation/name").status_code == 200


def with_a_gold_that_takes_items_away(world: World) -> None:
    """A candidate that its page warns of."""
    version_id = world.bring_gold("p2s", b"4\n\n1.5\n0\n").id
    assert world.client("ada").get(f"/tasks/small/organize/gold/{version_id}").status_code == 200


def with_a_history_of_scores(world: World) -> None:
    """A team with two scores in a phase that shows them."""
    for data in (GOOD, b"4\n3\n1\n2\n"):
        world.upload(world.run("again", phase="practice"), "p2s", data)
    assert "<circle" in world.client("bo").get("/tasks/small/team/").text


def in_a_young_team(world: World) -> None:
    """What a captain and an organizer do with members."""
    stranger = world.user("admin").id
    token = world.link(by="other")
    assert world.client("admin").post(f"/tasks/small/join/{token}").status_code == 302
    for page in ("remove", "captain"):
        path = f"/tasks/small/team/members/{stranger}/{page}"
        assert world.client("other").get(path).status_code == 200
    team = teams.find_team_by_name(world.session, world.task, "alder")
    path, ada = f"/tasks/small/organize/teams/{team.id}/members/{stranger}/remove", world.client("ada")
    assert (ada.get(path).status_code, ada.post(path).status_code) == (200, 302)


def with_another_scorer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the gold's page says after an upgrade."""
    with monkeypatch.context() as patch:
        patch.setattr(scoring, "VERSION", "9.0.0")
        assert world.client("ada").get("/tasks/small/organize/gold").status_code == 200


def with_terms(world: World) -> None:
    """A task whose terms have to be accepted before its data is served."""
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "Do not share it.\n", DURING)
    bo = world.client("bo")
    asked = bo.get("/tasks/small/data/p2s.test.items.tsv")
    assert bo.get(asked.headers["Location"]).status_code == 200


def with_a_waiting_team(world: World) -> None:
    """The emails about a team that waits, and about its approval."""
    for state in ("waiting", "approved"):
        with db.writing(world.session):
            world.team.state = state
        team_mails.write_waiting_mails(world.site, {"task": world.task.id, "since": state}, DURING)
        team_mails.write_decision_mails(world.site, {"team": world.team.id, "at": state}, DURING)


def with_faults(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    bo, run = world.client("bo"), world.run()
    world.set_clock(AFTER)
    assert bo.upload(f"/tasks/small/runs/{run.id}/p2s/check", b"1\n2\n3\n4\n").status_code == 409
    world.set_clock(DURING)
    assert bo.get("/nowhere").status_code == 404
    assert bo.open("/tasks/small/teams/new", method="POST", data={"name": "x"}).status_code == 400
    assert bo.post("/sign-in", {"email": "x" * 70_000}).status_code == 413
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "get", lambda *_: 1 / 0)
        world.app.config["PROPAGATE_EXCEPTIONS"] = False
        assert bo.get("/tasks/small/data/p2s.test.items.tsv").status_code == 500


def with_an_uploaded_campaign(world: World) -> None:
    """A page that waits for the worker."""
    ada, new = world.client("ada"), "/tasks/small/organize/campaigns/new"
    assert ada.get(ada.upload(new, b"no campaign", "campaign.zip").location).status_code == 200


def at_the_end_of_an_assignment(world: World) -> None:
    """The annotator answers the last step."""
    player = Player(world, ANNOTATOR)
    step = player.visitor.get(
        f"/a/{player.parts['campaign_id']}/assignments/{player.parts['assignment_id']}/next",
        follow_redirects=True,
    )
    form = {**read_hidden_fields(step), "value": "2"}
    end = player.visitor.open(step.request.path, method="POST", data=form, follow_redirects=True)
    assert end.request.path.endswith("/end")


def in_a_chain_of_rounds(world: World, folder: Path) -> None:
    """A tuple, and a reminder of the second pass."""
    add_chain(world, folder)
    hand = join(world, email="grebe@example.org")
    own = hand.page.request.path
    assert hand.send('value="bws"').status_code == 200
    hand.get(own)
    hand.send(RATE)
    answer_all(hand)
    world.work(DURING + timedelta(hours=73))
    world.set_clock(DURING)


def in_the_first_stages(world: World, folder: Path) -> None:
    """Choosing sentences, writing a text and choosing a sense; then the next campaign, refused and made."""
    folder.mkdir()
    prepared = creation.prepare_campaign(write_stages(folder))
    with db.writing(world.session):
        ada = world.actor("ada")
        campaign = creation.add_campaign(world.session, ada, world.task, prepared, DURING)
        for round_ in campaign.rounds:
            campaigns.open_round(world.session, ada, round_, DURING)
    for slug, answer in {"choose": {}, "senses": {}, "write": {"written": "boat"}}.items():
        hand = join(world)
        hand.send(f'name="round" value="{slug}"')
        assert hand.send("ticket", **answer).status_code == (200 if answer else 422)
    for slug in ("choose", "write"):
        visitor, page = world.client("ada"), f"{STAGES}/next?round={slug}"
        sent = visitor.post(page, filled_in(visitor.get(page), "title"))
        assert visitor.get(sent.location).status_code == 200
        world.work(DURING)
        assert visitor.get(sent.location, follow_redirects=True).status_code == 200


def with_a_crowd(world: World) -> None:
    """An annotator who fails the gate, and gets the code for that."""
    add_campaign(world, configure_gate(tries=2, feedback=True))
    worker = come(world)
    for shown in ("Please try once more", "C2GATE"):
        worker.answer(0)
        assert shown in worker.answer(0).text
        worker.get(worker.page.request.path.replace("gate", "next"))


def with_disagreements(world: World) -> None:
    """A closed round whose organizers decide."""
    add_answered_campaign(world)
    page = f"{DISAGREEMENTS}/{world.session.query(Unit.id).filter_by(key='Forum-1').scalar()}"
    ada = world.client("ada")
    assert ada.get(page).status_code == 200
    assert ada.post(page, {"value": "3", "cause": "other", "note": "x"}).status_code == 302
    assert ada.post(f"{page}/who").status_code == ada.get(DISAGREEMENTS).status_code == 200


def by_the_worker(world: World) -> None:
    """The emails that are sent by jobs and at fixed times."""
    people = {"people": "Teal <teal@example.org>", "delivery": "email"}
    links = "/tasks/small/organize/campaigns/harbour/people/add/students"
    assert world.client("ada").post(links, people).status_code == 302
    sent = {"audience": str(world.phase().id), "title": "Soon", "text": "Hurry.", "step": "send"}
    assert world.client("ada").post("/tasks/small/organize/announcements/new", sent).status_code == 302
    assert world.client("ada").post("/tasks/small/organize/systems/evaluation/remind").status_code == 302
    more_time = {"closes": "2026-03-20 12:00", "team": "", "reason": "the server was down"}
    with db.writing(world.session):
        world.phase().reminders = [1]
        split = tasks.get_level_split(world.task, "p2s", "test")[1]
        notices.queue_items_notice(world.session, split, DURING)
    practice = world.run("one", "practice")
    for number, by in enumerate(("bo", "cy", "cy")):  # one file and several files have different texts
        world.upload(practice, "p2s", variant(number), by=by)
    world.work(CLOSES - timedelta(hours=1))
    extended = world.client("ada").post("/tasks/small/organize/phases/evaluation/extend", more_time)
    assert extended.status_code == 302
    world.work(CLOSES)
    world.set_clock(DURING)


def through_the_mails(world: World, sink: Sink) -> None:
    """Accounts: emails and the pages behind their links; then two-factor authentication."""
    visitor, form = world.client(), {"name": "Newcomer", "password": PASSWORD}
    for email in ("newcomer@example.org", "bo@example.org"):
        assert visitor.post("/sign-up", {**form, "email": email}).status_code == 302
    assert visitor.post("/confirm", {"email": "newcomer@example.org"}).status_code == 200
    world.work(DURING)
    assert visitor.get(sink.link("newcomer@example.org")).status_code == 302
    assert visitor.post("/reset-password", {"email": "cy@example.org"}).status_code == 200
    world.work(DURING)
    reset, new = sink.link("cy@example.org"), "another long password"
    assert visitor.get(reset).status_code == 200
    assert visitor.post(reset, {"password": new, "password_confirm": new}).status_code == 302
    bo = world.client("bo")
    bo.give_password()
    bo.post("/account/email", {"email": "new@example.org"})
    world.work(DURING)
    assert bo.get(sink.link("new@example.org")).status_code == 302
    changed = {"password": PASSWORD, "new_password": new, "new_password_confirm": new}
    assert bo.post("/account/password", changed).status_code == 302

    turn_on(bo, password=new)
    assert len(recovery_codes(bo)) > 0
    assert bo.get("/account/").status_code == 200
    assert visitor.post("/sign-in", {"email": "new@example.org", "password": new}).status_code == 302
    for path in ("/sign-in/code", "/sign-in/recovery-code"):
        assert visitor.get(path).status_code == 200
        assert visitor.post(path, {"code": "000000"}).status_code == 200


@pytest.mark.xdist_group("collected-answers")
def test_every_template_renders_in_every_state_without_missing_variables(
    closed: CollectedAnswers,
    released: CollectedAnswers,
    withdrawn: CollectedAnswers,
    world: World,
    sink: Sink,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    play(world, WITHDRAWN)
    with watched(world.app) as rendering:
        with_a_history_of_scores(world)
        at_other_times(world)
        with_files_of_runs(world)
        with_an_anonymous_release(world)
        with_a_gold_that_takes_items_away(world)
        in_a_young_team(world)
        with_an_uploaded_campaign(world)
        at_the_end_of_an_assignment(world)
        in_a_chain_of_rounds(world, tmp_path)
        in_the_first_stages(world, tmp_path / "stages")
        with_disagreements(world)
        with_a_crowd(world)
        by_the_worker(world)
        with_another_scorer(world, monkeypatch)
        with_terms(world)
        with_a_waiting_team(world)
        with_faults(world, monkeypatch)
        through_the_mails(world, sink)
    renderings = (rendering, closed.rendering, released.rendering, withdrawn.rendering)
    never = sorted(EVERY.difference(*(each.templates for each in renderings)))
    assert never == [], (
        f"nothing here renders {', '.join(never)}: add a request that does to tests/server/page_routes.py, "
        "or a state to tests/server/pages/test_templates.py; a template that no page needs is removed"
    )
    assert set().union(*(each.gaps for each in renderings)) == set(), (
        "templates print what their views do not give them"
    )


def test_templates_of_empty_site_and_keyed_task_render_without_missing_variables(
    app: Flask, tmp_path: Path
) -> None:
    with watched(app) as rendering, app.app_context():
        assert Visitor(app.test_client()).get("/").status_code == 200
        for name in ("sick-2014", "semrel-2024"):
            hosted = host(app, write_package(tmp_path / name, name), people=name == "sick-2014")
            bo, ada = hosted.sign_in("bo"), hosted.sign_in("ada")
            upload = f"{hosted.root}/runs/{hosted.run_id}/{hosted.level}/upload"
            pages = [hosted.root + "/", f"{hosted.root}/team/", upload]
            pages.append(hosted.upload(bo, hosted.file).headers["Location"])
            assert [bo.get(page).status_code for page in pages] == [200] * len(pages)
            assert hosted.upload(bo, b"x\ty\n").status_code == 422
            assert ada.get(f"{hosted.root}/organize/gold").status_code == 200
            assert ada.get(f"{hosted.root}/organize/boards/evaluation").status_code == 200
    assert {
        "submissions/_expected.html",
        "submissions/show.html",
        "boards/_table.html",
    } <= rendering.templates
    assert rendering.gaps == set()


def test_page_keeps_the_styles_of_its_layout() -> None:
    texts = {str(path.relative_to(FOLDER)): path.read_text("utf-8") for path in FOLDER.rglob("*.html")}
    for name, text in texts.items():
        layout = re.match(r'{% extends "(.*?)" %}', text)
        block = re.search("{% block links %}(.*?){% endblock %}", text, re.DOTALL)
        if (
            layout
            and block
            and "static_url" in block[1]
            and layout[1] != "base.html"
            and "block links" in texts[layout[1]]
        ):
            assert "super()" in block[1], name


@pytest.mark.slow
def test_unrendered_template_and_missing_variable_are_detected(app: Flask) -> None:
    """Guards the tests above: what they look for can be seen."""
    with watched(app) as rendering, app.app_context(), app.test_request_context("/"):
        app.jinja_env.from_string("{% if absent %}x{% endif %}").render()
        assert rendering.gaps == set()
        app.jinja_env.from_string("{{ absent }}{% for x in gap %}{% endfor %}").render()
    warning = "Template variable warning: "
    assert rendering.gaps == {f"{warning}'absent' is undefined", f"{warning}'gap' is undefined"}
    assert rendering.templates == set()
    assert len(EVERY) > 25
