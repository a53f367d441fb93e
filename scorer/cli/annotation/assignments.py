"""`scorer assignments`: plans the work of a campaign, and checks plans and answers."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, flag_option, label, value_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import OUTPUT_FILE, print_or_write
from scorer.errors import BundleError, Problem, RatingsError
from scorer.files.reading import read_bytes
from scorer.files.text import count_noun

if TYPE_CHECKING:
    from scorer.campaigns.answers_reader import ExportedAnswer
    from scorer.campaigns.assignments import Plan
    from scorer.campaigns.config import RoundConfig

_CAMPAIGN = click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
_ROUND = value_option("--round", "ROUND", "The slug of the round. Needed if there are several.", "round_slug")


@click.group("assignments")
def command() -> None:
    """Plan the work of a campaign, and check plans and answers.

    The units of a campaign are the pairs or tuples of texts that annotators rate or compare. A plan divides
    them into assignments. An assignment is a list of units for one annotator. A site makes the plan before
    the first annotator comes. `plan` makes the same plan from the same files. `check` checks a plan, and the
    answers in an export.

    \b
    Examples:
      scorer assignments plan annotation.toml --output plan.json
      scorer assignments check plan.json annotation.toml
      scorer assignments check plan-1.json annotation.zip answers.jsonl

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """


@command.command("plan", cls=StrictCommand)
@_CAMPAIGN
@value_option("--output", "PLAN", "Write the plan to this file.", type=OUTPUT_FILE)
@flag_option("--force", "Replace an existing file.")
@_ROUND
def plan(*, file: Path, output: Path | None, force: bool, round_slug: str | None) -> None:
    """Plan the assignments of a campaign.

    FILE is an annotation.toml, its folder, or a zip file of the folder. The plan is JSON. The same files give
    the same plan, byte for byte, on every machine.

    In a plan, each unit is in as many assignments as it needs answers. No assignment has a unit twice. With
    groups = "apart", no assignment has two units of a group. The annotators are divided into panels, each
    with its own units. Any two annotators of the same panel have about the same number of units in common.

    \b
    Examples:
      scorer assignments plan annotation.toml > plan.json
      scorer assignments plan FOLDER --round pilot --output plan.json

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.campaigns.assignments import plan_round

    with progress("Planning"):
        planned = plan_round(_read_round(file, round_slug))
    print_or_write(planned.to_json(), output, str(file), force=force)
    if output is not None:
        click.echo(f"{output}: {_plan_words(planned)}")


@command.command("check", cls=StrictCommand)
@click.argument("plan_file", metavar="PLAN")
@_CAMPAIGN
@click.argument("answers_file", metavar="[ANSWERS]", required=False)
@_ROUND
def check(*, plan_file: str, file: Path, answers_file: str | None, round_slug: str | None) -> None:
    """Check a plan against the campaign, and answers against both.

    FILE is an annotation.toml, its folder, or a zip file of the folder. PLAN is a plan of this campaign. The
    command checks that each unit is in as many assignments as it needs answers, that no assignment has a unit
    twice, and that the assignments have about the same number of units. With groups = "apart", it also checks
    that no assignment has two units of a group. When annotators stop, a site makes a repair plan for the
    answers that are still missing. You can check a repair plan, too.

    ANSWERS is the answers.jsonl of a campaign's export. With it, the command also checks that nobody answered
    a unit twice in a pass, except for repeats. It recomputes which answers count, and compares this with the
    outcomes in the file. If the export has several plans, check each of them.

    \b
    Words in messages:
      slot  one of the answers that a unit needs
      step  one unit in an assignment, in one pass

    \b
    Examples:
      scorer assignments check plan.json annotation.toml
      scorer assignments check plan-1.json annotation.zip answers.jsonl

    \b
    Exit codes:
      0  the plan and the answers keep all rules
      1  bad data
      2  usage error
    """
    from scorer.campaigns.answers_reader import parse_answers
    from scorer.campaigns.assignments import Plan
    from scorer.campaigns.plan_checks import check_answers, check_plan

    refuse_second_stdin(plan_file, answers_file)
    round_ = _read_round(file, round_slug)
    source = label(plan_file)
    planned = Plan.from_json(read_bytes(plan_file), source)
    broken = check_plan(planned, round_.units, round_)
    if broken:
        raise BundleError([Problem(source, None, "broken_plan", sentence) for sentence in broken])
    lines = [f"{source}: good; {_plan_words(planned)}"]
    if answers_file is not None:
        source = label(answers_file)
        answers = parse_answers(read_bytes(answers_file), source)
        broken = check_answers(answers, planned, round_.units, groups=round_.groups)
        if broken:
            raise RatingsError([Problem(source, None, "broken_answers", sentence) for sentence in broken])
        lines.append(f"{source}: good; {_answers_words(answers, round_)}")
    click.echo("\n".join(lines))


def _read_round(file: Path, slug: str | None) -> "RoundConfig":
    from scorer.bundles.zips import open_folder_or_zip
    from scorer.campaigns.reader import read_campaign

    with open_folder_or_zip(file) as opened:
        rounds = {round_.slug: round_ for round_ in read_campaign(opened).rounds}
    if slug is None and len(rounds) == 1:
        return next(iter(rounds.values()))
    if slug not in rounds:
        known = ", ".join(rounds)
        message = f"the campaign has the rounds {known}; name one with --round"
        raise click.UsageError(message if slug is None else f'there is no round "{slug}"; {message}')
    return rounds[slug]


def _plan_words(planned: "Plan") -> str:
    from scorer.campaigns.assignments import summarize_meetings

    steps = [len(assignment.steps) for assignment in planned.assignments]
    units = count_noun(max(steps), "unit")
    sizes = units if min(steps) == max(steps) else f"{min(steps)} to {units}"
    words = f"{count_noun(len(steps), 'assignment')} of {sizes}"
    meetings = summarize_meetings(planned)
    if meetings is None or planned.reason == "repair":
        return words
    common = (
        f"{meetings.minimum} to {meetings.maximum} units (mean {meetings.mean:.2f}, sd {meetings.sd:.2f})"
    )
    of_a_panel = " of a panel" if len({one.panel for one in planned.assignments}) > 1 else ""
    return f"{words}; any two annotators{of_a_panel} share {common}"


def _answers_words(answers: "list[ExportedAnswer]", round_: "RoundConfig") -> str:
    outcomes = Counter(answer.outcome for answer in answers)
    counted = Counter(
        (answer.record.pass_slug, answer.record.unit) for answer in answers if answer.outcome == "counted"
    )
    complete = sum(
        all(counted[each.slug, unit.key] >= round_.answers for each in round_.passes) for unit in round_.units
    )
    others = "".join(f", {outcomes[name]} {name}" for name in sorted(outcomes, key=str) if name != "counted")
    done = (
        f"{complete} of {count_noun(len(round_.units), 'unit')} have {count_noun(round_.answers, 'answer')}"
    )
    return f"{outcomes['counted']} counted{others}; {done}"
