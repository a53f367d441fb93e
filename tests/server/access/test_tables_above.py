from typing import get_args

from server.access.tables_above import TableAbove, tables_above
from server.tables import METADATA


def test_each_table_that_is_named_exists() -> None:
    names = get_args(TableAbove)
    assert tables_above(*names) == [METADATA.tables[name] for name in names]
