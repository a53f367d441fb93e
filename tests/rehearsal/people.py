"""People sign up by the link in an email, create teams, invite a second member, and name their runs."""

import re
import time

from tests.rehearsal.browser import Answer, Browser
from tests.rehearsal.play import TASK, Failed, Play, Team, require

PASSWORD = "a long enough password"


def begin(play: Play) -> str:
    """The site is there, and ada hosts the task by the form."""
    play.first.start()
    sign_up(play, play.ada, "ada@example.org", "Ada")
    return f"{play.first.kind} at {play.first.address}"


def host(play: Play) -> str:
    """ada imports the bundle and publishes the task."""
    from tests.rehearsal.moves import zipped  # noqa: PLC0415  (what both do)

    bundle = zipped(play.invented.write(play.folder / "bundle"))
    page = play.ada.submit("/import", {}, {"file": ("rehearsal.zip", bundle)})
    require("The task was imported" in page.text, "the page does not say that the task was imported")
    publish(play.ada, page.path)
    return f"4 levels of {play.invented.n} items, two phases, a baseline"


def publish(organizer: Browser, overview: str) -> None:
    """Publish the imported task, which has another address as a draft."""
    page = organizer.submit(f"{overview}state/published", {}, action="/state/published")
    require("The task is published." in page.text, "the page does not say that the task was published")


def gather(play: Play) -> str:
    """All teams sign up, found themselves and invite."""
    numbers = range(play.invented.teams)
    teams = [
        Team(one, play.invented.name(one), *(Browser(play.first.address, play.numbers) for _ in "bc"))
        for one in numbers
    ]
    play.together(lambda team: _found(play, team), teams)
    play.teams = teams
    return f"{2 * len(teams)} people by the mail's link, {len(teams)} teams of two"


def sign_up(play: Play, browser: Browser, email: str, name: str) -> None:
    """Sign up, follow the link in the email, and sign in."""
    browser.submit("/sign-up", {"name": name, "email": email, "password": PASSWORD})
    browser.get(_link(play, browser, email), expect=302)
    _require_signed_in(browser.get("/"), name)


def sign_in(browser: Browser, email: str, name: str) -> None:
    """Sign in with the password that everybody has here."""
    _require_signed_in(browser.submit("/sign-in", {"email": email, "password": PASSWORD}), name)


def _require_signed_in(page: Answer, name: str) -> None:
    require(f"</span>{name}</a>" in page.text, f"{name} is not signed in")


def _link(play: Play, browser: Browser, email: str) -> str:
    """The link in the email that this site sent to an address."""
    link = re.compile(re.escape(browser.address) + r"(/confirm/\S+)")
    for _ in range(300):
        for mail in list(play.sink.mails):
            found = link.search(mail.get_body(("plain",)).get_content()) if mail["To"] == email else None
            if found:
                return found[1]
        time.sleep(0.1)
    raise Failed(f"no email of {browser.address} arrived for {email}")


def name_runs(play: Play) -> str:
    """Each team adds its runs, and one to warm up."""
    play.together(lambda team: _add_runs(play, team))
    return f"{play.invented.runs} runs a team, and one for practice"


def _found(play: Play, team: Team) -> None:
    sign_up(play, team.captain, f"bo{team.number}@example.org", f"Bo {team.number}")
    sign_up(play, team.member, f"cy{team.number}@example.org", f"Cy {team.number}")
    team.captain.submit(f"{TASK}/teams/new", {"name": team.name})
    page = team.captain.submit(f"{TASK}/team/members", {}, action="/team/invitations")
    link = re.search(rf'value="http://[^/]+({TASK}/join/[^"]+)"', page.text)
    require(link, f"{team.name} got no link to invite by")
    team.member.submit(link[1], {}, action=link[1])
    page = team.member.get(f"{TASK}/team/members")
    require(f"Cy {team.number}" in page.text, f"Cy {team.number} is not in {team.name}")


def _add_runs(play: Play, team: Team) -> None:
    runs = [play.invented.run(team.number, one) for one in range(play.invented.runs)]
    for run in runs:
        team.captain.submit(f"{TASK}/phases/evaluation/runs/new", {"name": run.name})
    page = team.member.submit(f"{TASK}/phases/practice/runs/new", {"name": "warm-up"})
    ids = {name: int(one) for one, name in re.findall(rf'href="{TASK}/runs/(\d+)/">([^<]+)</a>', page.text)}
    team.runs = [(ids[run.name], run) for run in runs]
    team.warm_up = ids["warm-up"]
