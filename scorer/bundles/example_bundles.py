"""The example bundles: small, complete and invented, one for each way to lay out a task."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from scorer.errors import BundleError, Problem, RequestError

_FOLDER = Path(__file__).with_name("examples")
EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "aligned": "one score per line, in the order of the items; tab-separated items without a header",
        "keyed": "tables with a header: items, gold standard and runs are matched by their ids",
        "word-to-sense": "words and senses, with a dictionary for the baseline; runs have confidences",
    }
)
"""The name of each example, and what it shows."""


def example_files(name: str) -> list[tuple[str, bytes]]:
    """Return the files of an example bundle.

    Parameters
    ----------
    name : str
        A key of EXAMPLES.

    Returns
    -------
    list of (str, bytes)
        The path of each file in the bundle and its content, sorted by path.

    Raises
    ------
    RequestError
        If there is no such example.

    Examples
    --------
    >>> [path for path, _ in example_files("aligned")][:2]
    ['data/test/sentence2phrase.tsv', 'data/trial/sentence2phrase.tsv']
    """
    if name not in EXAMPLES:
        raise RequestError(f'there is no example "{name}"; choose one of {", ".join(EXAMPLES)}')
    folder = _FOLDER / name
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return sorted((path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths)


def write_example(name: str, folder: Path) -> None:
    """Write the files of an example bundle into a folder.

    Parameters
    ----------
    name : str
        A key of EXAMPLES.
    folder : Path
        It is made if it does not exist. Nothing is written if it has any file.

    Raises
    ------
    RequestError
        If there is no such example.
    BundleError
        If the folder is not empty, or is a file.
    """
    files = example_files(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "is not empty" if folder.is_dir() else "is a file"
        message = f"{what}, and nothing is overwritten; name a new folder for the example"
        raise BundleError([Problem(str(folder), None, "exists", message)])
    for path, data in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
