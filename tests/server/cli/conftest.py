"""Commands on one database.

What they ask of the other one is asked by tests of their services.
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
