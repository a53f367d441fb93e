"""The site's language: each sentence of a page or an email is written in English and goes through `_`.

The pages of annotators and the emails to them are in the language of each annotator: `speaking` sets it, for
the messages of a catalog of its own.

`_("Release %(number)d was withdrawn.", number=3)` as in templates: the message is always a %-format, so a per
cent sign is doubled. Strings at module level are marked by `N_`, and translated when they are shown.
"""

import gettext as catalogs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

JINJA_EXTENSION = "jinja2.ext.i18n"
ENGLISH = "en"
CATALOG_FOLDER = Path(__file__).parents[1] / "locale"
"""The catalogs: <language>/LC_MESSAGES/assay.mo."""
DOMAIN = "assay"
ANNOTATORS_DOMAIN = "annotators"
"""The domain of what annotators read; its catalogs come with the site."""


class _ActiveCatalog:
    """The catalog of this process: one site has one language, so that a page is the same for everyone."""

    language = ENGLISH
    catalog: catalogs.NullTranslations = catalogs.NullTranslations()


_SPOKEN: ContextVar[str | None] = ContextVar("spoken", default=None)
"""The language of the annotator who gets this page or email; None: that of the site."""


@cache
def _annotators_catalog(language: str) -> catalogs.NullTranslations:
    english = language == ENGLISH
    folder = str(CATALOG_FOLDER)
    return (
        catalogs.NullTranslations()
        if english
        else catalogs.translation(ANNOTATORS_DOMAIN, folder, [language])
    )


def speak(language: str | None) -> None:
    """Set the language from now on, for a person who is no user of the site; None: that of the site."""
    _SPOKEN.set(language)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the language of what is written to an annotator meanwhile."""
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def _catalog() -> catalogs.NullTranslations:
    spoken = _SPOKEN.get()
    return _ActiveCatalog.catalog if spoken is None else _annotators_catalog(spoken)


def is_known(language: str) -> bool:
    """Whether there is a catalog of a language."""
    return language == ENGLISH or catalogs.find(DOMAIN, str(CATALOG_FOLDER), [language]) is not None


def set_language(language: str, folder: Path = CATALOG_FOLDER) -> None:
    """Set the language of this process.

    Raises:
        FileNotFoundError: there is no catalog of the language.
    """
    english = language == ENGLISH
    translations = (
        catalogs.NullTranslations() if english else catalogs.translation(DOMAIN, str(folder), [language])
    )
    _ActiveCatalog.catalog, _ActiveCatalog.language = translations, language


def get_language() -> str:
    """The language's tag, as HTML has it."""
    return _SPOKEN.get() or _ActiveCatalog.language


def translate(message: str) -> str:
    """Translate a message that was marked by `N_`, or any other text; no values are put into it."""
    return _catalog().gettext(message) if message else message


def translate_plural(one: str, many: str, count: int) -> str:
    """Return the plural form of a message for a count; no values are put into it."""
    return _catalog().ngettext(one, many, count)


def install_gettext(environment: Environment) -> None:
    """Give templates `_`, `ngettext` and `trans`; line breaks inside a message do not matter there."""
    environment.install_gettext_callables(translate, translate_plural, newstyle=True)  # type: ignore[attr-defined]  # by JINJA
    environment.globals.update(_=_template_gettext, gettext=_template_gettext)
    environment.policies["ext.i18n.trimmed"] = True
    environment.filters["say"] = translate
    environment.globals["language"] = get_language


@pass_eval_context
def _template_gettext(context: EvalContext, message: str, /, **values: object) -> str:
    """Translate as Jinja does, but a message without values once: a page has a hundred of them."""
    if not context.autoescape:
        return gettext(message, **values)
    return Markup(translate(message)) % values if values else _translate_markup(_catalog(), message)  # noqa: S704  (a catalog's)


@cache
def _translate_markup(catalog: catalogs.NullTranslations, message: str) -> Markup:
    return Markup(catalog.gettext(message) % {})  # noqa: S704  (a catalog's)


def gettext(message: str, /, **values: object) -> str:
    """Translate a message and put its values in."""
    return translate(message) % values


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """Return the plural form of a message for a count, which is `num` in it."""
    return translate_plural(one, many, num) % {"num": num, **values}


def plural_forms(of: Callable[[int], str]) -> dict[str, str]:
    """Return a sentence for 1, 2 and 5 of something: a script picks the form for its count."""
    return {str(number): of(number) for number in (1, 2, 5)}


def N_(message: str) -> str:  # noqa: N802  (gettext's own name for a mark)
    """Mark a message for translation that is shown later."""
    return message


_ = gettext
