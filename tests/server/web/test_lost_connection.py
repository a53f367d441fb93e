"""PostgreSQL ends the connection at one statement of a request after another: each time the answer is 503."""

from itertools import count
from typing import Any

import psycopg
import pytest
from sqlalchemy import event

from tests.server.small_task import PASSWORD
from tests.server.world import World


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("/tasks/small/team/", None),
        ("/api/v1/tasks/small", None),
        ("/account/", {"name": "Bo"}),
        ("/sign-in", {"email": "bo@example.org", "password": PASSWORD}),
    ],
)
def test_request_whose_connection_ends_answers_503(
    world: World, path: str, form: dict[str, str] | None
) -> None:
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    engine = world.session.get_bind()
    if engine.dialect.name == "sqlite":
        pytest.skip("missed: connections that end; there is no PostgreSQL")
    address = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)  # type: ignore[union-attr]
    statuses = []
    for last in count():
        client, numbers = world.client(None if path == "/sign-in" else "bo"), count()

        def end(_connection: Any, cursor: Any, *_: Any, last: int = last, numbers: Any = numbers) -> None:
            if next(numbers) == last:
                with psycopg.connect(address, autocommit=True) as other:
                    pid = cursor.connection.info.backend_pid
                    other.execute("SELECT pg_terminate_backend(%s)", (pid,))

        event.listen(engine, "before_cursor_execute", end)
        answer = client.get(path) if form is None else client.post(path, form)
        event.remove(engine, "before_cursor_execute", end)
        statuses.append(answer.status_code)
        if next(numbers) <= last:  # it has fewer statements
            break
    assert len(statuses) > 3
    assert set(statuses[:-1]) == {503}
    assert statuses[-1] in (200, 302)
