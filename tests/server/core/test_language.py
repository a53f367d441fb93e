"""Every sentence of the site goes through gettext: templates and code are read as trees."""

import ast
import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from flask_wtf import FlaskForm
from jinja2 import Environment, nodes
from wtforms import IntegerField

from server.activity.actions import ACTIONS
from server.core import i18n
from server.mail import rendering as mail_rendering
from server.pages.help.methods import GROUPS
from server.web.fields import SiteForm, TranslatedForm
from server.web.rest.fields import SiteField
from tests.server.world import World

# The catalog takes seconds to make, so one process has these tests.
pytestmark = [pytest.mark.one_database, pytest.mark.xdist_group("catalog")]

ROOT = Path(__file__).parents[3]
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
CALLS = {"_", "gettext", "ngettext", "N_", "translate", "translate_plural"}
OF_ERRORS = {"of": None, "of_count": (1, 2)}
"""What creates an error with a translated message, and which of its arguments are the message."""
QUIET_CALLS = CALLS | {"url_for", "url_for_security", "get_flashed_messages", "selectattr", "rejectattr"}
UNHEARD = {"cli", "core", "demo", "locale", "static"}
"""Folders whose texts are for operators and programs."""
WHOLE = ("views", "views.py", "forms.py", "web", "accounts", "zips.py")
"""Of these every text is looked at, of other modules those that are raised."""

SENTENCE = re.compile(
    r"\b(an?|and|are|at|by|for|here|in|is|it|no|not|now|of|or|the|this|to|with|you)\b [a-z]", re.IGNORECASE
)
"""What stands in a sentence of English, and hardly in a selector."""
SECRET = {"password salt", "recovery codes", "as long as for nobody"}
"""Texts that are not shown to people."""
COMMANDS = {
    "server/web/markdown.py",  # HTML, no sentences
    "server/boards/inference_json.py",
    "server/activity/outside_documents.py",
    "server/audit/raw_rows.py",
    "server/activity/verify_documents.py",
    "server/backups/archive.py",
    "server/backups/databases.py",
    "server/backups/manifest.py",
    "server/backups/restoring.py",
    "server/backups/saving.py",
    "server/personal_data/erasure.py",
    "server/core/child_processes.py",
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
    made = Environment(
        extensions=[i18n.JINJA_EXTENSION], trim_blocks=True, lstrip_blocks=True, autoescape=True
    )
    i18n.install_gettext(made)
    return made


def unsaid_in_template(name: str) -> list[str]:
    """The texts of a template that are outside any message."""
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
    """Whether a text of the code may be meant for people: words with a space between, or with a capital."""
    words = spoken_words(text)
    return bool(words) and (
        re.search(r"[^\W\d_] +[^\W\d_(]", text) is not None or bool(re.match(r"[A-Z][a-z]", text))
    )


def unsaid_in_module(path: Path) -> list[str]:
    """The texts of a module that are outside any message."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    whole = path.name != "schemas.py" and (path.parent.name in WHOLE or path.name in WHOLE)
    roots: list[ast.AST] = (
        [tree] if whole else [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    )
    found = [text for root in roots for text in _texts(root)]
    found = [text for text in found if text not in SECRET]
    return [text for text in found if re.search(r"[^\W\d_]{2,} +[^\W\d_]{2,}", re.sub("<[^>]*>", "", text))]


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.JoinedStr):  # within one, Babel finds no message on older versions of Python
        parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
        yield from (text for text in parts if isinstance(text, str))
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in OF_ERRORS:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        yield from _texts(child)


def modules() -> list[str]:
    nouns = [path for path in (ROOT / "server").iterdir() if path.is_dir() and path.name not in UNHEARD]
    files = [path for noun in nouns for path in noun.rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in [*files, ROOT / "server/core/zips.py"])


def templates() -> list[str]:
    files = (path for path in TEMPLATES.rglob("*") if path.is_file())
    return sorted("templates/" + path.relative_to(TEMPLATES).as_posix() for path in files)


def unsaid(name: str) -> list[str]:
    if name.startswith("templates/"):
        return unsaid_in_template(name.removeprefix("templates/"))
    return unsaid_in_module(ROOT / name)


def test_each_user_visible_sentence_is_translatable() -> None:
    names = [name for name in templates() + modules() if name not in COMMANDS]
    assert len(names) > 500
    assert {name: texts for name in names if (texts := unsaid(name))} == {}


def scripts() -> list[Path]:
    """Our own scripts but for those that say what the scorer says."""
    own = (ROOT / "server" / "static").rglob("*.js")
    return sorted(path for path in own if not {"vendor", "check"} & set(path.parts))


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.name)
def test_javascript_takes_its_sentences_from_the_page(path: Path) -> None:
    code = re.sub(r"(?m)(^|\s)//.*$", "", path.read_text(encoding="utf-8"))
    texts = [text for found in re.findall(r'"([^"\n]*)"|`([^`]*)`', code) for text in found]
    said = [re.sub(r"\$\{[^}]*\}", "·", text) for text in texts]
    assert [text for text in said if SENTENCE.search(text)] == []


def write_catalog(folder: Path) -> int:
    """A language in which each sentence stands between « and », made as translators get theirs; how many."""
    catalog = Catalog(locale=None)
    with (ROOT / "deploy" / "babel.cfg").open(encoding="utf-8") as configuration:
        methods, options = parse_mapping_cfg(configuration)
    for part in ("server", "templates"):
        found = extract_from_dir(ROOT / part, methods, options, DEFAULT_KEYWORDS | OF_ERRORS)
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
    i18n.set_language("eo", folder)
    yield count
    i18n.set_language(i18n.ENGLISH)


@pytest.mark.own_site  # whose templates are compiled with sentences of this language
def test_page_is_in_the_language_of_its_site(world: World, spoken: int) -> None:
    assert spoken > 1000
    for path in ("/", "/sign-in", "/sign-up", "/reset-password", "/help/", "/nowhere"):
        page = world.client().get(path).text
        assert '<html lang="eo">' in page, path
        assert list_untranslated(world, page) == [], path


def list_untranslated(world: World, page: str) -> list[str]:
    """The words of a page that stand outside « and », but for names of the task."""
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
    while left != (left := re.sub("«[^«»]*»", "", left)):
        pass
    return spoken_words(left)


@pytest.mark.own_site  # for the same reason
def test_messages_of_libraries_and_scripts_are_translated_too(world: World, spoken: int) -> None:
    assert spoken
    dee = world.client()
    assert "«Sign in to see this page.»" in dee.get("/account/", follow_redirects=True).text
    wrong = dee.post("/sign-in", {"email": "dee@example.org", "password": "wrong-word"}).text
    assert "«Email address or password is wrong.»" in wrong
    script = re.search(r"name=.time-words. content='([^']*)'", wrong)
    assert script is not None
    messages = json.loads(script[1])
    assert messages["months"][4] == "«May»"
    assert messages["days"] == {"1": "«in {num} day»", "2": "«in {num} days»", "5": "«in {num} days»"}
    noon = datetime(2026, 5, 9, 12, tzinfo=UTC)
    both = "««9 «May» 2026», 12:00» UTC (««9 «May» 2026», 00:00» AoE)"
    assert mail_rendering.format_utc_and_aoe(noon) == both


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("page=x", "«Send a whole number.»"),
        ("per_page=0", "«Enter a number from 1 to 100.»"),
        ("x=1", "«There is no parameter “x”. Known parameters: page, per_page.»"),
    ],
)
def test_api_error_messages_are_translated(world: World, spoken: int, query: str, said: str) -> None:
    assert spoken
    (fault,) = world.client().get(f"/api/v1/tasks/?{query}").json["fields"]
    assert fault["detail"] == said


def test_each_api_field_description_is_translatable(catalog: tuple[Path, int]) -> None:
    try:
        i18n.set_language("eo", catalog[0])
        kinds = [kind for kind in descendants(SiteField) if "default_error_messages" in vars(kind)]
        texts = {text for kind in [SiteField, *kinds] for text in kind.default_error_messages.values()}
        assert len(texts) > 8
        assert [text for text in texts if i18n.translate(str(text)) != f"«{text}»"] == []
    finally:
        i18n.set_language(i18n.ENGLISH)


def test_each_text_of_a_data_file_is_translatable(catalog: tuple[Path, int]) -> None:
    texts = {action.text for action in ACTIONS.values()}
    for _anchor, title, methods in GROUPS:
        texts |= {
            title,
            *(text for method in methods for text in (method.name, method.says, method.says_not)),
        }
        texts |= {method.cite for method in methods}
    try:
        i18n.set_language("eo", catalog[0])
        assert [text for text in texts if i18n.translate(text) != f"«{text}»"] == []
    finally:
        i18n.set_language(i18n.ENGLISH)


def test_wtforms_messages_are_in_the_site_language_in_every_form(
    world: World, catalog: tuple[Path, int]
) -> None:
    class Asked(SiteForm):
        number = IntegerField()

    folder = catalog[0]
    if not (folder / "de").exists():
        shutil.copytree(folder / "eo", folder / "de")
    try:
        i18n.set_language("de", folder)
        with world.app.test_request_context(method="POST", data={"number": "x"}):
            (form := Asked()).validate()
    finally:
        i18n.set_language(i18n.ENGLISH)
    assert form.number.errors == ["Keine gültige, ganze Zahl."]
    own = [form for form in descendants(FlaskForm) if form.__module__.startswith("server.")]
    assert len(own) > 30
    assert [form for form in own if not issubclass(form, TranslatedForm)] == []


def descendants(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from descendants(one)


def test_template_says_a_message_in_the_language_of_each_rendering() -> None:
    page = environment().from_string('{{ _("Continue") }} {{ _("100 %% <b>%(who)s</b>", who="<ada>") }}')
    written = [page.render()]
    for language in ("de", "cs"):
        with i18n.speaking(language):
            written.append(page.render())
    assert written == [
        f"{word} 100 % <b>&lt;ada&gt;</b>" for word in ("Continue", "Fortsetzen", "Pokračovat")
    ]


def test_template_of_text_is_not_escaped() -> None:
    made = Environment(extensions=[i18n.JINJA_EXTENSION], autoescape=False)  # noqa: S701  (no HTML)
    i18n.install_gettext(made)
    assert made.from_string('{{ _("a %% < b") }}, {{ "<" + _("<") }}').render() == "a % < b, <<"
