"""Programs that call the API with a person's token."""

from io import BytesIO
from typing import Any

from werkzeug.test import TestResponse

from server.accounts.scopes import SCOPES, Scope
from tests.server.players import give_token
from tests.server.world import World


class Program:
    """A script of one of the cast: it sends a token and no cookie."""

    def __init__(self, world: World, person: str, *scopes: Scope) -> None:
        self.visitor = world.client()
        self.head = {"Authorization": f"Bearer {give_token(world, person, scopes or SCOPES)}"}

    def open(self, path: str, method: str = "GET", **options: Any) -> TestResponse:
        headers = {**self.head, **options.pop("headers", {})}
        return self.visitor.open(f"/api/v1{path}", method=method, headers=headers, **options)

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.open(path, headers=headers)

    def post(self, path: str, given: Any = None, method: str = "POST") -> TestResponse:
        return self.open(path, method, json={} if given is None else given)

    def upload(
        self, path: str, data: bytes, filename: str = "run.tsv", key: str | None = None, **form: str
    ) -> TestResponse:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.open(path, "POST", headers=headers, data={**form, "file": (BytesIO(data), filename)})
