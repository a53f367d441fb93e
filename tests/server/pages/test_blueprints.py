"""A blueprint is named as its file, so that an endpoint says where its view stands."""

import pytest
from werkzeug.utils import find_modules, import_string


@pytest.mark.parametrize(("package", "prefix"), [("server.pages", ""), ("server.api", "api_")])
def test_each_blueprint_is_named_as_its_file(package: str, prefix: str) -> None:
    modules = {name: import_string(name) for name in find_modules(package, recursive=True)}
    names = {
        name.rpartition(".")[2]: module.blueprint.name
        for name, module in modules.items()
        if hasattr(module, "blueprint")
    }
    assert len(names) > 30
    assert names == {file: prefix + file for file in names}
