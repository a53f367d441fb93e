"""Fail where a sentence uses a word that readers stumbled over; part of `make check`.

It looks at templates, documents, comments, docstrings and strings, and at the names of tests. Words in curly
quotation marks or backticks are quoted, and pass. The list guards against relapses; it is no style guide.
"""

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLAIN = {
    "mend": "fix",
    "mends": "fixes",
    "mended": "fixed",
    "anew": "again",
    "whoever": "anyone who",
    "somebody": "someone",
    "nought": "zero",
    "told apart": "significantly different",
}
WORD_LISTS = {"scorer/items/words.py", "tests/check_words.py"}
"""Files with lists of words, which are no sentences."""
_WORDS = re.compile(rf"\b({'|'.join(PLAIN)})\b", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”]*”|`[^`]*`")
_TEST_NAME = re.compile(r"def (test_\w+)")


def list_files() -> list[Path]:
    """Return the files that people read."""
    command = ["git", "ls-files", "--", "server", "scorer", "templates", "tests", "deploy", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.splitlines() if "/vendor/" not in name and name not in WORD_LISTS]
    return [path for path in paths if path.suffix in {".py", ".html", ".txt", ".md", ".toml", ".example"}]


def read_sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield what people read of a file, with its line: comments and strings of code, names of tests."""
    text = path.read_text("utf-8")
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), start=1)
    elif "tests" in path.relative_to(ROOT).parts:
        for number, line in enumerate(text.splitlines(), start=1):
            if found := _TEST_NAME.search(line):
                yield number, found[1].replace("_", " ")
    else:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                for number, line in enumerate(token.string.splitlines(), start=token.start[0]):
                    yield number, line


def main() -> int:
    """Print each place with the word to use, and return 1 if there is one."""
    problems = [
        f"{path.relative_to(ROOT)}:{number}: “{word}”: write “{PLAIN[word.lower()]}”"
        for path in list_files()
        for number, line in read_sentences(path)
        for word in _WORDS.findall(_QUOTED.sub("", line))
    ]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
