"""Columns of rules that are JSON in the database and typed values of the scorer everywhere else."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import JSON, Dialect
from sqlalchemy.types import TypeDecorator

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns.config import Calibration, Gate, GoldRule, PassConfig, Repeats, RoundRules


class TypedJson(TypeDecorator[Any]):
    """A value that two functions turn into JSON and back; None is JSON's null."""

    impl = JSON
    cache_ok = True
    should_evaluate_none = True

    def __init__(self, write: Callable[[Any], Any], read: Callable[[Any], Any]) -> None:
        super().__init__()
        self.write, self.read = write, read

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002, D102
        return None if value is None else self.write(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002, D102
        return None if value is None else self.read(value)


def _write_rules(rules: RoundRules) -> dict[str, Any]:
    """Return the rules without the units that a RoundConfig has, too."""
    values = {each.name: getattr(rules, each.name) for each in fields(RoundRules)}
    return values | {
        "passes": [asdict(each) for each in rules.passes],
        "scale": [rules.scale.min, rules.scale.max, rules.scale.step],
        **{name: _list_labels(getattr(rules, name)) for name in ("labels", "examples")},
        "calibration": rules.calibration and asdict(rules.calibration),
        "repeats": rules.repeats and asdict(rules.repeats),
    }


def _read_rules(values: Mapping[str, Any]) -> RoundRules:
    passes = [
        PassConfig(**each | {"show": tuple(each["show"]), "remind_hours": tuple(each["remind_hours"])})
        for each in values["passes"]
    ]
    typed = {
        "entries": tuple(values["entries"]),
        "passes": tuple(passes),
        "scale": ScaleSpec(*values["scale"]),
        **{name: _read_labels(values.get(name, {})) for name in ("labels", "examples")},
        "words": values.get("words") and tuple(values["words"]),
        "calibration": values["calibration"] and _read_calibration(values["calibration"]),
        "repeats": values["repeats"] and Repeats(**values["repeats"]),
    }
    return RoundRules(**{**values, **typed})


def _read_calibration(values: Mapping[str, Any]) -> Calibration:
    gate = values.get("gate")
    return Calibration(values["each_pass"], gate and Gate(**gate))


def _list_labels(labels: Mapping[str, Mapping[float, str]]) -> dict[str, list[tuple[float, str]]]:
    return {language: sorted(of_language.items()) for language, of_language in labels.items()}


def _read_labels(values: Mapping[str, Any]) -> dict[str, dict[float, str]]:
    return {language: dict(labels) for language, labels in values.items()}


def _write_gold(rule: GoldRule) -> dict[str, Any]:
    return {"round": rule.round, "pass": rule.pass_slug, "rule": rule.rule, "at_least": rule.at_least}


def _read_gold(values: Mapping[str, Any]) -> GoldRule:
    return GoldRule(values["round"], values["pass"], values["rule"], values["at_least"])


ROUND_RULES = TypedJson(_write_rules, _read_rules)
"""The rules of a round; "scale" is [minimum, maximum, step]; "labels" and "examples" have lists of
[point, text]."""
GOLD_RULE = TypedJson(_write_gold, _read_gold)
"""How the answers of a round become gold."""
