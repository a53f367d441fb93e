"""`scorer power`: the same figure in every format, a dash with its reason, and invalid requests."""

import json

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from scorer.statistics.power import detectable_difference


def power(arguments: str) -> Result:
    return CliRunner().invoke(cli, ["power", *arguments.split()])


def test_every_format_has_the_value_or_the_reason() -> None:
    asked = "--n 500 --n 4 --n 500 --r .8 --between .9 --pairs 703"
    exact = round(detectable_difference(500, 0.8, 0.9, pairs=703), 6)
    first, second = json.loads(power(f"{asked} --format json").stdout)["results"]
    assert (first["difference"], first["level"], first["undefined"]) == (exact, 0.05 / 703, None)
    assert (second["difference"], second["undefined"]["code"]) == (None, "no_detectable_difference")
    tsv = [line.split("\t") for line in power(f"{asked} --format tsv").stdout.splitlines()]
    assert [line[7] for line in tsv] == ["difference", repr(exact), ""]
    assert (first["note"], tsv[1][10], tsv[2][10]) == (None, "", second["note"])
    assert "below 50 items the approximation is conservative" in second["note"]
    assert tsv[1][9].startswith(
        "difference|n:500|r:0.8|between:0.9|power:0.8|alpha:0.05|pairs:703|test:steiger"
    )
    text = power(asked).stdout
    assert "500  0.8      0.9    0.8   0.05    703  7.11e-05      0.0589   0.7411" in text
    assert "– undefined: 4 items are too few" in text
    assert "by the large-sample approximation no difference is found" in text
    assert f"\nn 4: {second['note']}.\n" in text
    assert "n 500:" not in text
    assert r"& 0.0589 & 0.7411 \\" in power(f"{asked} --format latex").stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--n 500 --r .9 --between .1", "between themselves they correlate from 0.6200"),
        ("--n 3 --r .5 --between .5", "n 3 is not between 4"),
        ("--n 500 --r nan --between .5", "r nan is not"),
        ("--n 500 --r .5 --between .5 --power .01", "power 0.01 is not"),
        ("--n 500 --r .8 --r .7 --between .9", "--r is given 2 times; give it once"),
        ("--r .5 --between .5", "Missing option '--n'"),
    ],
)
def test_invalid_power_requests_are_usage_errors(arguments: str, sentence: str) -> None:
    found = power(arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert sentence in found.stderr
