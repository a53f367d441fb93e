from server.activity.service import LogFilter, see_task_log
from server.audit import service as audit
from server.core import db
from tests.server.world import DURING, World


def test_log_of_a_team_contains_the_entries_that_name_it_in_their_details(world: World) -> None:
    team, details = world.team.id, {
        "first": {"team": world.team.id, "everyone": False},
        "last": {"question": 1, "team": world.team.id},
        "nested": {"changed": {"team": world.team.id, "name": "x"}},
        "longer": {"team": world.team.id * 10 + 1},
        "text": {"team": str(world.team.id)},
        "quoted": {"note": f'"team": {world.team.id},'},
        "list": {"team": [world.team.id]},
        "none": {"team": None},
    }  # fmt: skip
    ada = world.actor("ada")
    with db.writing(world.session):
        for name, values in details.items():
            audit.record(world.session, ada, DURING, name, world.task.id, **values)
        audit.record(world.session, ada, DURING, "own", world.task.id, team)
    page = see_task_log(world.session, ada, world.task, LogFilter(team_id=team))
    named = {line.entry.action for line in page.lines}
    assert named & {"own", *details} == {"own", "first", "last"}
