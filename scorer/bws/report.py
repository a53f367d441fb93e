"""The reports of `scorer bws score` and `scorer bws reliability`, and the agreement of answers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scorer.annotation.agreement import strong_agreement
from scorer.annotation.agreement_report import ALL
from scorer.annotation.krippendorff import krippendorff_alpha
from scorer.annotation.ratings import Indices, Ratings
from scorer.bws.answers import Answers
from scorer.bws.expert import expert_tables, match_judgments
from scorer.bws.reliability import MissingItemRule, Reliability
from scorer.bws.scores import bws_scores
from scorer.files.text import count_noun, shorten
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.values import Undefined, value_or_undefined

QUESTIONS = ("best", "worst")
_HEADINGS = {"answers of": "subset", "answered twice": "with 2+ answers"}


def score_report(answers: Answers, expert: Ratings | None = None) -> TableReport:
    """Create a report with the scores of all items, and the counts from which they are computed.

    Parameters
    ----------
    answers : Answers
        The answers.
    expert : Ratings, optional
        The ratings of an expert, above or below .5, with which the scores are compared.

    Returns
    -------
    TableReport
        The table "scores" and, if there is an expert, "expert" and "differences".
    """
    scores = bws_scores(answers)
    grouped = answers.groups is not None
    words = (*(["group"] if grouped else []), "item")
    head = (*words, "shown", "best", "worst", "score", "scaled")
    rows: list[list[TableCell]] = [
        [
            *([item_score.group] if grouped else []),
            item_score.item, item_score.shown, item_score.best, item_score.worst, item_score.score,
            item_score.scaled,
        ]
        for item_score in scores
    ]  # fmt: skip
    shown = [item_score.shown for item_score in scores]
    notes: tuple[str, ...] = (
        _counts_note(answers),
        *treatment_notes(answers),
        f"Each item was shown {_range(min(shown), max(shown))} times.",
        "score: of the answers to tuples with the item, the share that chose it as best minus the share that "
        "chose it as worst; scaled: (score + 1) / 2.",
    )
    tables = [ReportTable("scores", "Best-worst scores", head, rows, words)]
    signature = f"bws-score|{_counts(answers)}"
    if expert is not None:
        judgments = match_judgments(scores, expert)
        tables += expert_tables(judgments)
        signature += f"|judgments:{len(judgments)}"
        notes += (
            "Ratings of the expert that are not compared (of items without a score, of .5, or repeats): "
            f"{len(expert) - len(judgments)}.",
        )
    return TableReport("assay.bws.score/1", signature, tuple(tables), _about(answers), notes)


def treatment_notes(answers: Answers) -> list[str]:
    """Return notes on how many answers the options affect, and how. There is no note without an option."""
    kinds = (
        ("with the same item as best and worst", answers.same, answers.same_answers),
        ("without a best or worst item", answers.incomplete, answers.incomplete_answers),
        ("to tuples with a control item", answers.control, answers.control_answers),
    )
    done = {"drop": "left out", "count": "counted"}
    return [f"Answers {which} ({done[rule]}): {count}." for which, rule, count in kinds if rule is not None]


def _counts(answers: Answers) -> str:
    t, m = answers.shown.shape
    rules = {"same": answers.same, "incomplete": answers.incomplete, "control-answers": answers.control}
    options = "".join(f"|{name}:{rule}" for name, rule in rules.items() if rule is not None)
    return f"n:{len(answers.items)}|size:{m}|tuples:{t}|answers:{len(answers)}{options}"


def _about(answers: Answers) -> dict[str, TableCell]:
    t, m = answers.shown.shape
    groups = len(answers.group_names) if answers.groups is not None else None
    return {
        "n": len(answers.items),
        "size": m,
        "tuples": t,
        "answers": len(answers),
        "annotators": answers.annotators,
        "groups": groups,
        "repeats_left_out": answers.repeats,
        "choices": "positions" if answers.by_position else "items",
        "same": answers.same,
        "same_answers": answers.same_answers,
        "incomplete": answers.incomplete,
        "incomplete_answers": answers.incomplete_answers,
        "control": answers.control,
        "control_answers": answers.control_answers,
    }


def _counts_note(answers: Answers) -> str:
    t, m = answers.shown.shape
    sizes = answers.sizes
    by_annotators = "" if answers.annotators is None else f" by {count_noun(answers.annotators, 'annotator')}"
    per_tuple = _range(int(sizes.min()), int(sizes.max()))
    omissions = f" Repeats by the same annotator (left out): {answers.repeats}." if answers.repeats else ""
    given, tuples = count_noun(len(answers), "answer"), count_noun(t, "tuple")
    counts = f"{given}{by_annotators}, {per_tuple} to each of {tuples}"
    return f"{counts}. A tuple has {m} items, and there are {len(answers.items)} items.{omissions}"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def choices_as_ratings(answers: Answers, question: str, *, by_place: bool) -> Ratings:
    """Convert the answers to one question to ratings, whose units are tuples and whose values are choices.

    Parameters
    ----------
    answers : Answers
        The answers.
    question : "best" or "worst"
        The question.
    by_place : bool
        Whether the values are positions in the tuple, in the order of its first row, instead of items.

    Returns
    -------
    Ratings
        The ratings; an answer without this choice has none. The c-th answer to each tuple belongs to the c-th
        annotator, because nominal agreement does not depend on who answered.
    """
    chosen = answers.best if question == "best" else answers.worst
    value = np.argmax(answers.shown[answers.tuple_of] == chosen[:, None], axis=1) if by_place else chosen
    sizes = answers.sizes
    return Ratings(
        source=answers.source,
        units=tuple(f"{place} {question}" for place in range(len(sizes))),
        annotators=tuple(map(str, range(int(sizes.max())))),
        unit=answers.tuple_of,
        annotator=np.arange(len(answers)) - answers.starts[answers.tuple_of],
        value=value.astype(float),
        line=np.zeros(len(answers), dtype=np.intp),
    ).take(chosen < len(answers.items))


def _ratings_by_question(answers: Answers, *, by_place: bool) -> dict[str, Ratings]:
    """Return the ratings for both questions together, and for each question."""
    best, worst = (choices_as_ratings(answers, question, by_place=by_place) for question in QUESTIONS)
    return {"both": _join_questions(best, worst), "best": best, "worst": worst}


def _join_questions(best: Ratings, worst: Ratings) -> Ratings:
    """Join the ratings for both questions, so that each tuple is two units."""
    return replace(
        best,
        units=best.units + worst.units,
        unit=np.concatenate([best.unit, worst.unit + len(best.units)]),
        annotator=np.concatenate([best.annotator, worst.annotator]),
        value=np.concatenate([best.value, worst.value]),
        line=np.concatenate([best.line, worst.line]),
    )


def answers_of_group(answers: Answers, group: str) -> Answers:
    """Return the answers to the tuples of one group, without renumbering the items."""
    in_group = np.array([name == group for name in answers.groups or ()], dtype=bool)[answers.shown[:, 0]]
    is_kept = in_group[answers.tuple_of]
    new = np.cumsum(in_group) - 1
    return replace(
        answers,
        shown=answers.shown[in_group],
        tuple_of=new[answers.tuple_of[is_kept]],
        best=answers.best[is_kept],
        worst=answers.worst[is_kept],
    )


def agreement_table(answers: Answers, strong: float) -> ReportTable:
    """Create a table of alpha and strong agreement, over all answers, by question and by group.

    Notes
    -----
    A unit is one question (best or worst) about a tuple. A value is the position of the chosen item in its
    tuple, and agreement is nominal, so random answers have an alpha of 0. For "alpha by item", the value is
    the item itself. Then random answers to tuples of m of n items have an alpha of about 1 / m - 1 / n, which
    looks like agreement.

    References
    ----------
    Asaadi, Kolagar, Liebel & Zarcone (2022), GiCCS: A German in-Context Conversational Similarity Benchmark,
    GEM, doi:10.18653/v1/2022.gem-1.30, report alpha over answers (.74) and strong agreement (four of five).
    """
    parts = [(ALL, answers), *((name, answers_of_group(answers, name)) for name in answers.group_names)]
    rows: list[list[TableCell]] = []
    for name, part in parts:
        places, items = (_ratings_by_question(part, by_place=by_place) for by_place in (True, False))
        for question in places if name == ALL else ("both",):
            alphas = [_alpha(ratings[question]) for ratings in (places, items)]
            answered = items[question]
            counts = len(answered.units), answered.pairable
            rows.append([name, question, *counts, *alphas, strong_agreement(answered, strong)])
    words = ("answers of", "question")
    head = (*words, "questions", "answered twice", "alpha", "alpha by item", "strong")
    shares = f"the share of questions with 2+ answers where at least {strong:.0%} are equal (strong)"
    title = f"Krippendorff's alpha of the answers, and {shares}"
    return ReportTable("agreement", title, head, rows, words, headings=_HEADINGS)


_NO_ALPHA = {
    "no_pairs": "no question has two answers, so there is nothing to compare",
    "constant": "all answers are the same, so no disagreement is expected by chance",
}


def _alpha(ratings: Ratings) -> float | Undefined:
    alpha = value_or_undefined(krippendorff_alpha, ratings, "nominal")
    return Undefined(alpha.code, _NO_ALPHA[alpha.code]) if isinstance(alpha, Undefined) else alpha


def reliability_report(
    answers: Answers,
    reliabilities: tuple[Reliability, Sequence[Reliability]],
    *,
    repeats: int,
    seed: int,
    missing: MissingItemRule,
    strong: float,
) -> TableReport:
    """Create a report with split-half reliability and agreement, over all answers and by group."""
    whole, groups = reliabilities
    named = [(ALL, whole), *zip(answers.group_names, groups, strict=True)]
    signature = f"bws-reliability|{_counts(answers)}|repeats:{repeats}|seed:{seed}|missing:{missing}"
    return TableReport(
        "assay.bws.reliability/1",
        f"{signature}|strong:{strong!r}",
        (_reliability_table(named, repeats), agreement_table(answers, strong)),
        {**_about(answers), "repeats": repeats, "seed": seed, "missing": missing, "single": whole.single},
        tuple(_notes(answers, whole, missing)),
    )


def _reliability_table(named: Sequence[tuple[str, Reliability]], repeats: int) -> ReportTable:
    head = (
        "answers of", "items", "tuples", "answers", "pearson", "pearson sd", "spearman", "spearman sd",
        "spearman-brown", "missing", "degenerate",
    )  # fmt: skip
    rows: list[list[TableCell]] = [
        [
            name, part.items, part.tuples, part.answers, part.pearson, part.pearson_sd, part.spearman,
            part.spearman_sd, part.spearman_brown, part.missing, part.degenerate,
        ]
        for name, part in named
    ]  # fmt: skip
    splits = "1 split" if repeats == 1 else f"{repeats} splits"
    title = f"Split-half reliability: means and standard deviations over {splits}"
    return ReportTable("reliability", title, head, rows, ("answers of",), {"missing": 2}, _HEADINGS)


def _notes(answers: Answers, whole: Reliability, missing: MissingItemRule) -> list[str]:
    notes = [
        _counts_note(answers),
        *treatment_notes(answers),
        "The answers to each tuple are split at random. If their number is odd, one half, chosen at random, "
        "gets one more.",
        "missing: the mean number of items without an answer in one half. degenerate: the number of splits "
        "without a correlation, for example because all scores of a half are equal. Means and standard "
        "deviations are over the other splits.",
        "spearman-brown: 2 r / (1 + r), where r is the mean Pearson: an estimate of the reliability of "
        "scores from all answers, not from half of them.",
        "Alpha is computed from the questions with at least two answers. A unit is one question (best or "
        "worst) about one tuple, and the value is the position that was chosen (nominal). Random answers "
        "have an alpha near 0. In the column 'alpha by item', the value is the chosen item, and random "
        "answers have an alpha above 0.",
    ]
    if whole.single and whole.single < whole.tuples:
        notes.append(f"Tuples with a single answer, which is in only one half of a split: {whole.single}.")
    if whole.missing:
        rule = (
            "Such items are left out of the split"
            if missing == "left-out"
            else "If it is the first half, the item is left out of the split; if it is the second half, the "
            "item has the score 0 there, as in SHR-BWS.pl"
        )
        lonely = _items_with_single_answers(answers)
        listed = ", ".join(map(shorten, lonely[:5])) + (", …" if len(lonely) > 5 else "")
        notes.append(
            f"Items that are only in tuples with a single answer: {len(lonely)} ({listed}). On average, "
            f"{whole.missing:.2f} of them have no answer in one half of a split. {rule}."
        )
    return notes


def _items_with_single_answers(answers: Answers) -> list[str]:
    """Return the items whose tuples all have a single answer. Only these can be missing from a half."""
    most: Indices = np.zeros(len(answers.items), dtype=np.intp)
    np.maximum.at(most, answers.shown, answers.sizes[:, None])
    return [answers.items[place] for place in np.flatnonzero(most == 1).tolist()]
