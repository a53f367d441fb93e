"""`scorer check`: checks a run against its items and lists every bad line."""

from typing import NoReturn

import click

from scorer.cli._inputs import InputFiles, input_files
from scorer.cli._options import StrictCommand, format_option, label
from scorer.cli._output import print_json, problem_values, progress
from scorer.errors import DataError, Problem, RequestError
from scorer.files.reading import Run, parse_item_ids, read_bytes

FORMATS = ("text", "tsv", "json")
SCHEMA = "assay.check/1"
TSV_COLUMNS = ("severity", "file", "line", "code", "message", "text", "count", "lines")


@click.command("check", cls=StrictCommand)
@click.argument("items")
@click.argument("run", metavar="RUN_FILE")
@input_files(gold=False)
@format_option(FORMATS, "tsv and json print the problems to standard output too.")
def command(*, items: str, run: str, files: InputFiles, format_: str) -> None:
    """Check a run file without a gold standard.

    RUN_FILE must have a valid score for each item in the file ITEMS. The output lists every bad line. The
    site makes the same checks when you upload the file.

    \b
    Examples:
      scorer check phrase2word.test.input.tsv phrase2word.run1.tsv --scale 0 4
      scorer check items.tsv run.csv --id PairID --score Pred_Score
      scorer check items.tsv run.tsv --no-header --id 1 --score 2

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    if items == run == "-":
        raise RequestError("only one of ITEMS and RUN_FILE can be standard input")
    try:
        with progress("Checking"):
            ids = parse_item_ids(read_bytes(items), label(items), files.layout)
            answer = files.parse_run(read_bytes(run), label(run), ids)
    except DataError as error:
        exit_with_problems(error, format_, SCHEMA)
    if format_ == "text":
        click.echo(_good_run_text(label(run), answer))
    elif format_ == "tsv":
        click.echo(problems_tsv(answer.warnings, 0, "warning"), nl=False)
    else:
        confident = sum(confidence is not None for confidence in answer.confidences)
        warnings = [problem_values(warning) for warning in answer.warnings]
        counts = {"n": len(answer.scores), "confidences": confident}
        print_json({"schema": SCHEMA, "good": True, **counts, "warnings": warnings})


def _good_run_text(source: str, run: Run) -> str:
    n, confident = len(run.scores), sum(confidence is not None for confidence in run.confidences)
    confidences = {0: "no confidences", n: "each with a confidence"}.get(
        confident, f"{confident} with a confidence"
    )
    good = f"{source}: good; {n} {'score' if n == 1 else 'scores'}, {confidences}"
    return "\n".join([good, *(f"warning: {warning}" for warning in run.warnings)])


def exit_with_problems(error: DataError, format_: str, schema: str) -> NoReturn:
    """Print the problems of a check as TSV or JSON, and exit; text is the error itself, which is raised."""
    if format_ == "text":
        raise error
    if format_ == "tsv":
        click.echo(problems_tsv(error.problems, error.count), nl=False)
    else:
        problems = [problem_values(problem) for problem in error.problems]
        print_json({"schema": schema, "good": False, "problems": problems, "count": error.count})
    raise click.exceptions.Exit(1) from error


def problems_tsv(problems: tuple[Problem, ...], count: int, severity: str = "error") -> str:
    """Write problems as TSV, one line each; `count` is the number of all errors, counted by line."""
    lines = ["\t".join(TSV_COLUMNS)]
    for problem in problems:
        line = "" if problem.line is None else str(problem.line)
        listed = ",".join(filter(None, (line, *(str(other.line) for other in problem.others))))
        cells = (severity, problem.source, line, problem.code, problem.message, problem.text or "")
        lines.append("\t".join(_escape_cell(cell) for cell in (*cells, str(problem.count), listed)))
    if hidden := count - sum(problem.count for problem in problems) if severity == "error" else 0:
        more = f"and {hidden} more problems"
        cells = (severity, problems[0].source, "", "more_problems", more, "")
        lines.append("\t".join((*cells, str(hidden), "")))
    return "\n".join(lines) + "\n"


def _escape_cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
