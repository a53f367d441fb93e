"""The site's language: each sentence of a page or a mail goes through `_`; it is written in English.

`_("Release %(number)d was withdrawn.", number=3)` as in templates: the message is a %-format always, so that
a per cent sign is doubled. What stands at module level is marked by `N_`, and goes through `say` when shown.
"""

import gettext as catalogs
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import ParamSpec, TypeVar

from jinja2 import Environment, nodes
from jinja2.visitor import NodeTransformer

JINJA = "jinja2.ext.i18n"
ENGLISH = "en"
FOLDER = Path(__file__).parent / "locale"
"""The catalogs: <language>/LC_MESSAGES/assay.mo."""
DOMAIN = "assay"
_PLACE = re.compile(r"%(?:\((\w+)\)s|(%))")
"""In a message: where a value is put in as it is written, or a per cent sign."""
Given = ParamSpec("Given")
Made = TypeVar("Made")


class _Spoken:
    """The catalog of this process: one site speaks one language, so that a page is the same for all."""

    language = ENGLISH
    catalog: catalogs.NullTranslations = catalogs.NullTranslations()
    forgetting: list[Callable[[], None]] = []  # noqa: RUF012  (it belongs to the process)


def is_known(language: str) -> bool:
    """Whether there is a catalog of a language."""
    return language == ENGLISH or catalogs.find(DOMAIN, str(FOLDER), [language]) is not None


def speak(language: str, folder: Path = FOLDER) -> None:
    """Have all that follows in this process written in a language.

    Raises:
        FileNotFoundError: no catalog of it is there.
    """
    english = language == ENGLISH
    known = catalogs.NullTranslations() if english else catalogs.translation(DOMAIN, str(folder), [language])
    _Spoken.catalog, _Spoken.language = known, language
    for forget in _Spoken.forgetting:
        forget()


def keep_words(most: int) -> Callable[[Callable[Given, Made]], Callable[Given, Made]]:
    """Keep the last `most` answers of a function, by what it is given, while one language is spoken."""

    def keep(make: Callable[Given, Made]) -> Callable[Given, Made]:
        kept = lru_cache(most)(make)
        _Spoken.forgetting.append(kept.cache_clear)
        return kept  # type: ignore[return-value]  # what is given can be hashed

    return keep


def spoken() -> str:
    """The language's tag, as HTML has it."""
    return _Spoken.language


def say(message: str) -> str:
    """A message that was marked by `N_`, or any text that may be one; nothing is put into it."""
    return _Spoken.catalog.gettext(message) if message else message


def say_count(one: str, many: str, count: int) -> str:
    """The form of a message that goes with a count; nothing is put into it."""
    return _Spoken.catalog.ngettext(one, many, count)


def teach(environment: Environment) -> None:
    """Give templates `_`, `ngettext` and `trans`; a message is one line there, however it is broken."""
    environment.install_gettext_callables(say, say_count, newstyle=True)  # type: ignore[attr-defined]  # by JINJA
    environment.policies["ext.i18n.trimmed"] = True
    environment.filters["say"] = say
    environment.globals["language"] = spoken


class Said(NodeTransformer):
    """Puts a message's words into a template when it is compiled: a process speaks one language."""

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802  (the visitor's way of naming)
        """A call of gettext on a text, as Jinja's own would answer it."""
        self.generic_visit(node)
        match node:
            case nodes.Call(
                node=nodes.Name(name="_" | "gettext"),
                args=[nodes.Const(value=str() as message)],
                kwargs=values,
                dyn_args=None,
                dyn_kwargs=None,
            ):
                if not values:
                    return nodes.MarkSafeIfAutoescape(nodes.Const(say(message) % {}))
                pairs = [nodes.Pair(nodes.Const(one.key), one.value) for one in values]
                words = nodes.MarkSafeIfAutoescape(nodes.Const(say(message)))
                return nodes.Mod(words, nodes.Dict(pairs))
        return node

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802  (the same)
        """What is written: the words and the values of a message stand one after the other."""
        self.generic_visit(node)
        node.nodes = [piece for one in node.nodes for piece in _pieces(one)]
        return node


def _pieces(node: nodes.Expr) -> Iterator[nodes.Expr]:
    """The words and values of a message that puts values in as they are; of anything else that itself."""
    match node:
        case nodes.Mod(
            left=nodes.MarkSafeIfAutoescape(expr=nodes.Const(value=str() as message)),
            right=nodes.Dict(items=pairs),
        ) if "%" not in _PLACE.sub("", message):
            values = {pair.key.as_const(): pair.value for pair in pairs}
            end = 0
            for place in _PLACE.finditer(message):
                yield nodes.TemplateData(message[end : place.start()])
                yield nodes.TemplateData("%") if place[2] else values[place[1]]
                end = place.end()
            yield nodes.TemplateData(message[end:])
        case _:
            yield node


def gettext(message: str, /, **values: object) -> str:
    """A message with its values put in."""
    return say(message) % values


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """The form of a message that goes with a count, which is `num` in it."""
    return say_count(one, many, num) % {"num": num, **values}


def forms(of: Callable[[int], str]) -> dict[str, str]:
    """A sentence for 1, 2 and 5 of something: a script takes the form that goes with its count."""
    return {str(number): of(number) for number in (1, 2, 5)}


def N_(message: str) -> str:  # noqa: N802  (gettext's own name for a mark)
    """Mark a message that is shown later."""
    return message


_ = gettext
