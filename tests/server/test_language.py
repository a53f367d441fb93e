"""Every sentence of the site goes through gettext: templates and code are read as trees."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from jinja2 import Environment, nodes

from server import language
from tests.server.conftest import World

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates"
WORDS = re.compile(r"[^\W\d_]{2,}")
SAID = {"title", "alt", "aria-label", "placeholder", "aria-description"}
"""Attributes that people read or hear."""
QUOTED = {"code", "pre", "kbd", "samp", "script", "style"}
"""What stands in these is no language's."""
NAMES = {
    "Assay",
    "AoE",
    "UTC",
    "SHA",
    "JSON",
    "TSV",
    "CSV",
    "LaTeX",
    "Markdown",
    "BibTeX",
    "Atom",
    "HTML",
    "Ed25519",
    "PDF",
}
CALLS = {"_", "gettext", "ngettext", "N_", "say"}
QUIET_CALLS = CALLS | {"url_for", "url_for_security", "get_flashed_messages", "selectattr", "rejectattr"}
PYTHON = ("views", "forms", "services", "domain")

UNSPOKEN = set((Path(__file__).parent / "unspoken.txt").read_text(encoding="utf-8").split())
"""What is not yet converted; whoever converts a file takes it out."""
COMMANDS = {
    "server/domain/inferences.py",
    "server/services/audit_papers.py",
    "server/services/audit_rows.py",
    "server/services/audit_witnesses.py",
    "server/services/backups/archive.py",
    "server/services/backups/databases.py",
    "server/services/backups/manifest.py",
    "server/services/backups/restoring.py",
    "server/services/backups/saving.py",
    "server/services/forgetting.py",
    "server/services/inference_process.py",
}
"""Modules whose sentences are printed by commands and logs alone, which speak English."""


class Skeleton(HTMLParser):
    """The texts of a page, and of the attributes that people read."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in SAID and value]
        if tag in QUOTED:
            self.within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.within and self.within[-1] == tag:
            self.within.pop()

    def handle_data(self, data: str) -> None:
        if not self.within:
            self.texts.append(data)


def spoken_words(text: str) -> list[str]:
    return [word for word in WORDS.findall(text) if word not in NAMES]


def environment() -> Environment:
    made = Environment(extensions=[language.JINJA], trim_blocks=True, lstrip_blocks=True, autoescape=True)
    language.teach(made)
    return made


def unsaid_in_template(name: str) -> list[str]:
    """The texts of a template that stand in no message."""
    tree = environment().parse((TEMPLATES / name).read_text(encoding="utf-8"))
    written = "".join(_written(tree))
    texts = [written]
    if name.endswith(".html"):
        skeleton = Skeleton()
        skeleton.feed(written)
        texts = skeleton.texts
    else:
        texts = [line.removeprefix("Subject: ") for line in written.split("\n")]
    found = [text.strip() for text in texts if spoken_words(text)]
    return found + [text for text in _constants(tree) if looks_spoken(text)]


def _written(node: nodes.Node) -> Iterator[str]:
    """What a template writes itself, in its order; a mark where it prints a value."""
    if isinstance(node, nodes.TemplateData):
        yield node.data
    elif isinstance(node, nodes.Expr):
        yield "·"
    else:
        for child in node.iter_child_nodes():
            yield from _written(child)


def _constants(node: nodes.Node) -> Iterator[str]:
    """The texts within a template's expressions, but for those that calls of gettext or of addresses take."""
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    quiet = (
        isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in QUIET_CALLS
    )
    quiet = quiet or isinstance(
        node, nodes.Compare | nodes.Getitem | nodes.Import | nodes.FromImport | nodes.Include
    )
    quiet = quiet or (isinstance(node, nodes.Filter) and node.name in ("selectattr", "rejectattr", "map"))
    if isinstance(node, nodes.Getitem):
        yield from _constants(node.node)
    elif not quiet:
        for child in node.iter_child_nodes():
            yield from _constants(child)


def looks_spoken(text: str) -> bool:
    """Whether a text of the code may be meant for people: words with a blank between, or with a capital."""
    words = spoken_words(text)
    return bool(words) and (
        re.search(r"[^\W\d_] +[^\W\d_(]", text) is not None or bool(re.match(r"[A-Z][a-z]", text))
    )


def unsaid_in_module(path: Path) -> list[str]:
    """The texts of a module of views or forms that stand in no message; of others, those that are raised."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    whole = path.parent.name in ("views", "forms")
    roots: list[ast.AST] = (
        [tree] if whole else [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    )
    found = [text for root in roots for text in _texts(root)]
    return [text for text in found if re.search(r"[^\W\d_]{2,} +[^\W\d_]{2,}", re.sub("<[^>]*>", "", text))]


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def modules() -> list[str]:
    return sorted(
        path.relative_to(ROOT).as_posix()
        for part in PYTHON
        for path in (ROOT / "server" / part).rglob("*.py")
    )


def templates() -> list[str]:
    files = (path for path in TEMPLATES.rglob("*") if path.is_file())
    return sorted("templates/" + path.relative_to(TEMPLATES).as_posix() for path in files)


def unsaid(name: str) -> list[str]:
    if name.startswith("templates/"):
        return unsaid_in_template(name.removeprefix("templates/"))
    return unsaid_in_module(ROOT / name)


@pytest.mark.parametrize(
    "name", [name for name in templates() + modules() if name not in UNSPOKEN | COMMANDS]
)
def test_each_sentence_is_a_message(name: str) -> None:
    assert unsaid(name) == []


def test_nothing_is_called_unspoken_that_speaks() -> None:
    assert [name for name in sorted(UNSPOKEN) if not (ROOT / name).is_file() or not unsaid(name)] == []


def write_catalog(folder: Path) -> int:
    """A language in which each sentence stands between « and », made as translators get theirs; how many."""
    catalog = Catalog(locale=None)
    methods = [("**.py", "python"), ("**.html", "jinja2"), ("**.txt", "jinja2")]
    options = {
        pattern: {"trimmed": "true", "silent": "false"} for pattern, method in methods if method == "jinja2"
    }
    for part in ("server", "templates"):
        found = extract_from_dir(ROOT / part, method_map=methods, options_map=options)
        for _file, _line, message, _comments, _context in found:
            forms = (message,) if isinstance(message, str) else message
            said = tuple(f"«{form}»" for form in forms)
            catalog.add(message, said[0] if isinstance(message, str) else said)
    path = folder / "eo" / "LC_MESSAGES" / "assay.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalog)
    return len(catalog)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    folder = tmp_path_factory.mktemp("locale")
    return folder, write_catalog(folder)


@pytest.fixture
def spoken(catalog: tuple[Path, int]) -> Iterator[int]:
    folder, count = catalog
    language.speak("eo", folder)
    yield count
    language.speak(language.ENGLISH)


@pytest.mark.parametrize("path", ["/", "/sign-in", "/sign-up", "/reset-password", "/help/", "/nowhere"])
def test_a_page_is_written_in_the_language_of_its_site(world: World, spoken: int, path: str) -> None:
    page = world.client().get(path).text
    assert '<html lang="eo">' in page
    skeleton = Skeleton()
    skeleton.feed(page)
    names = {
        world.task.title,
        *(level.title for level in world.task.levels),
        *(world.phase(slug).title for slug in ("practice", "evaluation")),
    }
    left = re.sub(
        "|".join(map(re.escape, sorted(names, key=len, reverse=True))), "", "\n".join(skeleton.texts)
    )
    assert spoken > 1000
    while left != (left := re.sub("«[^«»]*»", "", left)):
        pass
    assert spoken_words(re.sub(r"\d+ \w+ \d{4}", "", left)) == []
