"""The list of codes is that of the code: what the readers of runs may say, no more and no less."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import scorer
from scorer.errors import RunError
from scorer.files.problem_codes import PROBLEM_CODES
from scorer.files.reading import parse_run

READERS = (
    "aligned", "file_types", "keyed", "numbers", "other_items", "tables", "text", "values",
)  # fmt: skip
PLACES = {"add": 1, "add_line": 1, "Problem": 2}


def words_of(node: ast.AST) -> Iterator[ast.expr]:
    """Where a code occurs: in a call that adds a problem, in a pair with its message, or under its name."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        yield from node.args[PLACES[name] :][:1] if name in PLACES else ()
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
        yield node.value.elts[0]
    elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").endswith("_CODE"):
        yield node.value


def test_problem_codes_in_use_and_documented_codes_are_the_same() -> None:
    found = {"not_entered"}
    for name in READERS:
        source = (Path(scorer.__file__).parent / f"files/{name}.py").read_text(encoding="utf-8")
        words = [word for node in ast.walk(ast.parse(source)) for word in words_of(node)]
        found |= {
            word.value for word in words if isinstance(word, ast.Constant) and isinstance(word.value, str)
        }
    assert found - {""} == set(PROBLEM_CODES)


@pytest.mark.parametrize("line", ["x", "0,5", "NA", "50%", '"1"', "0x1f", "1_0", "# 1", "1 2", "−1", "1e999"])
def test_the_code_of_a_bad_line_is_in_the_list(line: str) -> None:
    with pytest.raises(RunError) as refused:
        parse_run(f"1\n{line}\n".encode(), "run.tsv", n=2)
    assert {problem.code for problem in refused.value.problems} <= set(PROBLEM_CODES)
