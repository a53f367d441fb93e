"""Tokenization, function words, the vocabulary of WordNet, and lemmas."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from pathlib import Path

from scorer.baselines.wordnet import PARTS_OF_SPEECH, WordNet
from scorer.errors import ItemsError, RequestError
from scorer.files.read_limits import read_bounded
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

_WORD_PATTERN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_SENSE_PATTERN = re.compile(r"(?P<word>[^\t#]+)#[nvasr](?:#[0-9]{1,4})?")
_POSSESSIVE = "'s"
LEMMAS_HINT = "install it with pip install simplemma, or leave --lemmas out"

_ENGLISH_WORD_LINES = """
a an the this that these those each every either neither some any no none all both half such another other
others much many more most few fewer less least several enough same own
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
we us our ours ourselves they them their theirs themselves one oneself someone somebody something anyone
anybody anything everyone everybody everything nobody nothing who whom whose which what whoever whomever
whichever whatever
about above across after against along alongside amid among amongst around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near of off on onto
out outside over past per since than through throughout till to toward towards under underneath until unto up
upon versus via with within without
and or but nor so yet if unless because although though while whereas whether once
am is are was were be been being have has had having do does did doing done can could may might must shall
should will would ought
not ain't aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't
needn't shan't shouldn't wasn't weren't won't wouldn't
i'm i've i'd i'll you're you've you'd you'll he'd he'll he's she'd she'll she's it'd it'll it's we're we've
we'd we'll they're they've they'd they'll that's that'd that'll there's here's who's who'd what's where's
let's
there here where when why how then thus hence therefore also too very just only even ever never again
else rather quite
"""
ENGLISH_FUNCTION_WORDS = frozenset(_ENGLISH_WORD_LINES.split())
"""The closed classes of English, as a list of our own: determiners, pronouns, prepositions, conjunctions,
auxiliaries, negations, their contractions, and pronominal adverbs of place, time, manner, degree and linking.
"""

# The rules of detachment by part of speech, from morphy(7WN) of WordNet 3.0. Adverbs have none.
_DETACHMENTS = {
    "n": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip


def split_words(text: str) -> list[str]:
    """Split a text into words and numbers without changing their case.

    Parameters
    ----------
    text : str
        A text in a script that separates words by spaces. For a side of word2sense, such as
        ``sea_level#n#1``, only its words are used.

    Returns
    -------
    list of str
        Sequences of letters and digits, which may contain apostrophes and hyphens between them. Typographic
        apostrophes are replaced by '.

    Examples
    --------
    >>> split_words("The harbour-master's 2 ships (don't ask) …"), split_words("sea_level#n#1")
    (['The', "harbour-master's", '2', 'ships', "don't", 'ask'], ['sea', 'level'])
    """
    if "#" in text and (sense := _SENSE_PATTERN.fullmatch(text.strip(BLANKS))):
        text = sense["word"]
    return _WORD_PATTERN.findall(unicodedata.normalize("NFC", text).replace("’", "'"))


def is_word(token: str) -> bool:
    """Whether a token has a letter, so that it is not a number.

    >>> is_word("13th"), is_word("1165")
    (True, False)
    """
    return any(map(str.isalpha, token))


def words_of(text: str) -> list[str]:
    """Split a text into its words in lower case, without numbers.

    >>> words_of("The pier of 1165: the old pier")
    ['the', 'pier', 'of', 'the', 'old', 'pier']
    """
    return [token.lower() for token in split_words(text) if is_word(token)]


def is_content_word(word: str, function_words: Collection[str] = ENGLISH_FUNCTION_WORDS) -> bool:
    """Whether a word is a content word, which means that it is not in a closed class.

    Parameters
    ----------
    word : str
        The word, in lower case.
    function_words : collection of str
        The words of closed classes, in lower case; by default those of English.

    Returns
    -------
    bool

    Notes
    -----
    There is no part-of-speech tagging: an ambiguous form such as "past" counts as a function word. Single
    letters are not content words.

    Examples
    --------
    >>> is_content_word("harbour's"), is_content_word("one's"), is_content_word("x")
    (True, False, False)
    """
    base = word.removesuffix(_POSSESSIVE)
    return len(base) > 1 and word not in function_words and base not in function_words


def parse_function_words(data: bytes, source: str) -> frozenset[str]:
    r"""Parse a list of function words, one per line. Blank lines and comments from # on are skipped.

    Raises
    ------
    ItemsError
        If a line is not a single word. The error lists all such lines.

    Examples
    --------
    >>> sorted(parse_function_words(b"# of the north\nder\ndie\n", "words.txt"))
    ['der', 'die']
    """
    problems, function_words = Problems(source), set[str]()
    for number, line in enumerate(decode_lines(data, problems), start=1):
        text = (line or "").split("#")[0].strip(BLANKS)
        if not text:
            continue
        if words_of(text) != [text.replace("’", "'").lower()]:
            problems.add(number, "bad_word", f"{shorten(text)} is not one word; write one a line", line)
        function_words.update(words_of(text))
    problems.raise_as(ItemsError)
    return frozenset(function_words)


def function_words_name(words: Collection[str]) -> str:
    """Return the name of a list in signatures: "english", or the beginning of the list's SHA-256."""
    if words is ENGLISH_FUNCTION_WORDS:
        return "english"
    return sha256("\n".join(sorted(words)).encode()).hexdigest()[:12]


class WordNetVocabulary:
    """The words of WordNet 3.0 and their inflected forms, as a container.

    Parameters
    ----------
    folder : str or Path
        The folder of the dictionary files, as for `WordNet`.

    Raises
    ------
    DataError
        If the files are missing or are not of version 3.0.

    Notes
    -----
    The vocabulary contains a word if the word, or a base form from an exception list or a rule of detachment,
    is in the index of the same part of speech. A possessive ``'s`` is removed first. A word with hyphens is
    also looked up with underscores or nothing in their place, and is contained if all of its parts are.

    References
    ----------
    WordNet 3.0 reference manual, morphy(7WN) and wndb(5WN) (Princeton University 2006).
    """

    def __init__(self, folder: str | Path) -> None:
        place = WordNet(folder).folder
        self._lemmas = {pos: _read_lemmas(place / f"index.{PARTS_OF_SPEECH[pos]}") for pos in _DETACHMENTS}
        self._irregular = {
            pos: _read_irregular(place / f"{PARTS_OF_SPEECH[pos]}.exc") for pos in _DETACHMENTS
        }

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str):
            return False
        base = word.lower().removesuffix(_POSSESSIVE)
        if self._has(base):
            return True
        if "-" not in base:
            return False
        joined = base.replace("-", "_"), base.replace("-", "")
        return any(map(self._has, joined)) or all(map(self._has, base.split("-")))

    def _has(self, word: str) -> bool:
        return any(
            word in lemmas or any(form in lemmas for form in self._forms(word, pos))
            for pos, lemmas in self._lemmas.items()
        )

    def _forms(self, word: str, pos: str) -> Iterable[str]:
        yield from self._irregular[pos].get(word, ())
        for suffix, ending in _DETACHMENTS[pos]:
            if word.endswith(suffix) and len(word) > len(suffix):
                yield word.removesuffix(suffix) + ending


def _read_lemmas(path: Path) -> frozenset[str]:
    return frozenset(line.split(" ", 1)[0] for line in _read_lines(path) if not line.startswith(" "))


def _read_lines(path: Path) -> list[str]:
    return read_bounded(str(path)).decode("latin-1").splitlines()


def _read_irregular(path: Path) -> dict[str, list[str]]:
    """Return the base forms of irregular forms. The file is optional, because glosses do not need it."""
    if not path.is_file():
        return {}
    return {form: bases for form, *bases in map(str.split, _read_lines(path))}


def open_lemmatizer(language: str) -> Callable[[str], str]:
    """Load the lemmatizer of a language.

    Parameters
    ----------
    language : str
        The code of the language in simplemma, such as "en", "de" or "cs".

    Returns
    -------
    callable
        A function from a word in its original case (German nouns need their capital letter) to its lemma in
        lower case. A word that is not in the dictionary is its own lemma.

    Raises
    ------
    RequestError
        If simplemma is not installed or does not have this language.

    References
    ----------
    Barbaresi & Díaz, Simplemma, doi:10.5281/zenodo.4673264.
    """
    try:
        import simplemma  # noqa: PLC0415  an optional dependency
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES  # noqa: PLC0415  the same
    except ImportError:
        raise RequestError(f"lemmas need the package simplemma: {LEMMAS_HINT}") from None
    if language not in SUPPORTED_LANGUAGES:
        names = ", ".join(sorted(SUPPORTED_LANGUAGES))
        raise RequestError(f"simplemma has no lemmas for the language {shorten(language)}; it has {names}")
    return lambda word: simplemma.lemmatize(word, lang=language).lower()
