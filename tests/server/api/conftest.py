"""The API on one database.

What it asks of the other one is asked by tests of the services, and of every route, template and query.
"""

from collections.abc import Iterator

import pytest

from tests.server.databases import Databases


@pytest.fixture(params=["sqlite"])
def databases(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Empty databases; a test that has to see both kinds names them."""
    made: Databases = request.getfixturevalue(request.param)
    yield made
    made.drop_all()
