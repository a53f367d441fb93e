"""Annotators read English, Czech or German: complete catalogs, and pages without an English sentence."""

import gettext
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from scorer.campaigns.config import LANGUAGES
from scorer.campaigns.reader import read_campaign
from scorer.campaigns.round_reader import DEFAULT_QUESTIONS
from server.annotation.answers.questions import LANGUAGE_NAMES
from server.core import i18n
from tests.scorer.small_campaign import write_chain
from tests.server.annotation.small_campaign import Hand, add_campaign, add_links, configure
from tests.server.pages.annotation.test_passes import RATE, answer_all
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database

ROOT = Path(__file__).parents[4]
TRANSLATED = tuple(language for language in LANGUAGES if language != i18n.ENGLISH)
PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]|<[^>]+>")


def extracted() -> set[str]:
    """Every message that annotators can read, as `make messages` collects them."""
    with (ROOT / "deploy" / "babel-annotators.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    keywords = {"_": None, "N_": None, "ngettext": (1, 2), "gettext": None, "of": None, "of_count": (1, 2)}
    found = set()
    for folder in ("server", "templates"):
        for _file, _line, message, _comments, _context in extract_from_dir(
            ROOT / folder, methods, options, keywords
        ):
            assert isinstance(message, str), "a plural form needs a test of its own"
            found.add(message)
    return found


def read_catalog(language: str) -> Catalog:
    path = i18n.CATALOG_FOLDER / language / "LC_MESSAGES" / f"{i18n.ANNOTATORS_DOMAIN}.po"
    return read_po(BytesIO(path.read_bytes()), locale=language)


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalog_has_every_message_and_no_other_with_the_same_placeholders(language: str) -> None:
    catalog = read_catalog(language)
    messages = {message.id: message.string for message in catalog if message.id}
    assert set(messages) == extracted()
    for english, translated in messages.items():
        assert translated
        assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(translated)), english
    assert catalog.num_plurals == {"cs": 3, "de": 2}[language]


@pytest.mark.parametrize("language", TRANSLATED)
def test_compiled_catalog_is_that_of_its_source(language: str) -> None:
    """Run `make messages` after a change of a catalog."""
    compiled = BytesIO()
    write_mo(compiled, read_catalog(language))
    compiled.seek(0)
    path = i18n.CATALOG_FOLDER / language / "LC_MESSAGES" / f"{i18n.ANNOTATORS_DOMAIN}.mo"
    with path.open("rb") as file:
        shipped, made = gettext.GNUTranslations(file), gettext.GNUTranslations(compiled)
    assert all(shipped.gettext(message) == made.gettext(message) for message in extracted())


def test_every_language_has_its_name_and_the_default_questions() -> None:
    assert set(LANGUAGE_NAMES) == set(LANGUAGES)
    assert all(set(texts) == set(LANGUAGES) for texts in DEFAULT_QUESTIONS.values())


@pytest.mark.parametrize("language", TRANSLATED)
def test_pages_in_a_language_have_no_english_sentence(world: World, tmp_path: Path, language: str) -> None:
    config = read_campaign(write_chain(tmp_path))
    texts = dict.fromkeys(LANGUAGES, "1 2 3")
    rounds = tuple(
        replace(
            round_,
            labels={},
            question=DEFAULT_QUESTIONS["question"],
            best=DEFAULT_QUESTIONS["best"],
            worst=DEFAULT_QUESTIONS["worst"],
            comment=True,
            cannot_judge=True,
        )
        for round_ in config.rounds
    )
    add_campaign(world, replace(config, languages=LANGUAGES, consent=texts, guide=texts, rounds=rounds))
    hand = Hand(world, add_links(world)[0])
    catalog = {message.id: message.string for message in read_catalog(language) if message.id}
    foreign = {
        english
        for english, translated in catalog.items()
        if " " in english and "%" not in english and "<" not in english and english != translated
    }
    seen = []

    def look() -> None:
        page = hand.page
        assert f'<html lang="{language}">' in page.text
        shown = f" {words(page)} "
        assert not [message for message in foreign if message in shown]
        seen.append(shown)

    hand.get(f"/a/me/{hand.key}?language={language}")
    look()
    hand.send(catalog["I consent"])
    look()
    hand.send(RATE)
    look()
    hand.send("ticket")  # without an answer
    look()
    answer_all(hand)
    look()
    hand.get("/a/1/")
    look()
    hand.send('value="bws"')
    look()
    hand.get("/a/1/withdraw")
    look()
    hand.get("/a/1/steps/999")
    look()
    assert any(catalog["Choose an answer."] in shown for shown in seen)


def test_language_is_chosen_at_the_consent_and_on_the_own_page(world: World) -> None:
    add_campaign(world, configure(languages=("cs", "en")))
    hand = Hand(world, add_links(world)[0])
    assert "Souhlasím" in words(hand.get(f"/a/me/{hand.key}")), "the campaign's first language"
    assert "I consent" in words(hand.get(f"/a/me/{hand.key}?language=en"))
    assert "Souhlasím" in words(hand.get(f"/a/me/{hand.key}?language=de")), "not one of the campaign's"
    hand.get(f"/a/me/{hand.key}?language=en")
    hand.send("I consent")
    assert "Your page" in hand.page.text
    hand.send("Čeština", language="cs")
    assert "Začít" in words(hand.page)
    again = Hand(world, hand.key)
    assert "Vítejte zpět" in words(again.get(f"/a/me/{hand.key}"))


def test_error_before_it_is_known_who_reads_is_in_the_language_of_the_browser(world: World) -> None:
    visitor = world.client()
    page = visitor.get("/a/me/nothing", headers={"Accept-Language": "de-AT, de;q=0.9, en;q=0.8"})
    assert "Diesen Link gibt es nicht." in words(page)
    assert "There is no such link." in words(visitor.get("/a/me/nothing", headers={"Accept-Language": "fr"}))
    assert '<html lang="en">' in visitor.get("/").text
