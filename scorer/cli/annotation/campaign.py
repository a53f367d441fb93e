"""`scorer campaign`: starts, continues and checks a campaign of annotation, and lists its keys."""

from dataclasses import asdict
from pathlib import Path

import click

from scorer.cli._key_reference import KeyReference
from scorer.cli._options import StrictCommand, format_option
from scorer.cli._output import print_json
from scorer.cli.annotation import campaign_new, campaign_next, campaign_wants
from scorer.cli.check import FORMATS, exit_with_problems
from scorer.errors import DataError

CHECK_SCHEMA = "assay.campaign-check/1"
KEYS_SCHEMA = "assay.campaign-keys/1"


@click.group("campaign")
def command() -> None:
    """Start and check a campaign of annotation.

    In a campaign, annotators rate or compare texts, and their answers become a gold standard. A campaign is a
    folder with an annotation.toml, tables of texts, a consent text and perhaps a guide. `new` makes these
    files from a table of pairs or a list of texts. `check` lists the problems of the files or, if there are
    none, how much work the campaign is. `keys` explains every key of annotation.toml.

    Annotators can also make the pairs: they choose sentences from reports, or write texts for wanted ratings,
    which `wants` adds to a table. `next` makes the campaign in which these pairs are rated.

    \b
    Examples:
      scorer campaign new FOLDER
      scorer campaign check FOLDER
      scorer campaign keys round
      scorer campaign next EXPORT --out FOLDER

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """


command.add_command(campaign_new.command)
command.add_command(campaign_wants.command)
command.add_command(campaign_next.command)


@command.command("check", cls=StrictCommand)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    default=20.0,
    help="How many seconds an answer takes, to estimate the time.",
)
@format_option(FORMATS, "tsv and json print the problems to standard output too.")
def check(*, file: Path, seconds: float, format_: str) -> None:
    """Check all files of a campaign.

    FILE is an annotation.toml, its folder, or a zip file of the folder. The output lists the problems of the
    annotation.toml and of the files that it names. A site makes the same checks.

    If there are no problems, the output says how much work each round of the campaign is. A unit is a pair of
    texts to rate, or a tuple of texts to compare. An assignment is a list of units for one annotator. The
    output also lists the placeholders of `scorer campaign new` that are still there.

    \b
    Examples:
      scorer campaign check annotation.toml
      scorer campaign check FOLDER --seconds 35
      scorer campaign check campaign.zip --format json

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.zips import open_folder_or_zip
    from scorer.campaigns.reader import read_campaign
    from scorer.campaigns.workload import FIELDS, estimate_workload, workload_text
    from scorer.reports.records import write_records

    try:
        with open_folder_or_zip(file) as opened:
            campaign = read_campaign(opened)
    except DataError as error:
        exit_with_problems(error, format_, CHECK_SCHEMA)
    workloads = [estimate_workload(round_, seconds) for round_ in campaign.rounds]
    if format_ == "text":
        click.echo(workload_text(campaign, workloads), nl=False)
    elif format_ == "tsv":
        click.echo(write_records(FIELDS, [asdict(workload) for workload in workloads]), nl=False)
    else:
        rounds = [asdict(workload) for workload in workloads]
        values = {"campaign": campaign.slug, "title": campaign.title, "rounds": rounds}
        print_json({"schema": CHECK_SCHEMA, "good": True, **values})


@command.command("keys", cls=StrictCommand)
@click.argument("names", nargs=-1)
@format_option(FORMATS, "tsv has one line per key; json has one object per table.")
def keys(*, names: tuple[str, ...], format_: str) -> None:
    """Explain every key of annotation.toml.

    This prints the meaning, the type, the default and an example of each key. NAMES limits the output to
    some tables or keys, such as round or entry.NAME or gold.at_least.

    \b
    Examples:
      scorer campaign keys
      scorer campaign keys round gold
      scorer campaign keys --format tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.bundles.key_reference import list_key_sections
    from scorer.campaigns.keys import ANNOTATION_TEXTS, ANNOTATION_TOML

    sections = list_key_sections(ANNOTATION_TOML, ANNOTATION_TEXTS)
    reference = KeyReference("annotation.toml", "scorer campaign keys", KEYS_SCHEMA, sections)
    reference.print_keys([name.strip("[]") for name in names], format_)
