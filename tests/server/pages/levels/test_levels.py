"""The levels of a draft: uploads, the columns that are guessed and corrected, and problems of the data."""

from io import BytesIO
from typing import Any

import pytest

from server.core import child_processes
from server.gold import versions as gold_versions
from server.levels import contents, files
from server.levels.models import WaitingFile
from server.tasks.models import Level, Split
from tests.server.drafting import GOLD, ITEMS, LEVEL, SCALE, draft_of, upload, with_level
from tests.server.small_task import TEXTS
from tests.server.visitors import filled_in, words
from tests.server.world import World

pytestmark = pytest.mark.one_database

SHORT = [(left, right, f"News-{i}") for i, (left, right) in enumerate(TEXTS, start=1)]
HEADED = (
    "pair_ID,sentence_A,sentence_B,source\n" + "".join(f'{i},"{a}",{b},mail\n' for a, b, i in SHORT)
).encode()


def level_of(world: World) -> Level:
    (level,) = draft_of(world).levels
    return level


def columns_of(world: World) -> Any:
    return level_of(world).layout["columns"]


def splits_of(world: World) -> dict[str, Split]:
    return {split.name: split for split in level_of(world).splits}


def waiting(world: World) -> list[tuple[str, str, str]]:
    rows = world.session.query(WaitingFile).order_by(WaitingFile.split, WaitingFile.kind)
    return [(row.split, row.kind, row.name) for row in rows]


def columns(*roles: str, delimiter: str = "tab", header: bool = False) -> dict[str, str]:
    form = {f"columns-roles-{i}": role for i, role in enumerate(roles)} | {"columns-delimiter": delimiter}
    return {**form, "columns-header": "y"} if header else form


def test_columns_are_guessed_and_the_first_rows_shown(world: World) -> None:
    ada, at = with_level(world, HEADED)
    level = level_of(world)
    assert level.layout["columns"] == {"id": "pair_ID", "left": "sentence_A", "right": "sentence_B"}
    assert level.layout["delimiter"] == "comma"
    assert splits_of(world)["test"].n_items == 4
    page = words(ada.get(at))
    assert "sentence_A" in page
    assert TEXTS[0][0] in page
    assert "4 items, no gold yet." in page


def test_header_of_the_words_of_the_level_is_guessed(world: World) -> None:
    ada, at = with_level(world, b"sentence\tparagraph\tgenre\n" + ITEMS.replace(b"News-", b"news "))
    assert columns_of(world) == {"left": "paragraph", "right": "sentence", "genre": "genre"}
    assert "4 items, no gold yet." in words(ada.get(at))


def test_guessed_columns_can_be_corrected(world: World) -> None:
    ada, at = with_level(world, HEADED)
    form = columns("id", "right", "left", "genre", delimiter="comma", header=True)
    assert ada.post(at, form).headers["Location"] == at
    assert columns_of(world) == {
        "id": "pair_ID",
        "right": "sentence_A",
        "left": "sentence_B",
        "genre": "source",
    }
    assert level_of(world).layout["genre"] == "genre"
    assert 'selected value="genre"' in ada.get(at).text
    ada.post(at, columns("id", "left", "right", "ignored", delimiter="comma"))
    assert columns_of(world) == ["id", "left", "right", "..."]
    assert "5 items, no gold yet." in words(ada.get(at))  # the header is an item now
    assert splits_of(world)["test"].n_items == 5


def test_columns_that_do_not_fit_items_in_use_are_refused(world: World) -> None:
    ada, at = with_level(world, HEADED)
    response = ada.post(at, columns("id", "left", "right", "ignored", delimiter="tab"))
    assert response.status_code == 422
    assert "The Test items that are in use do not fit these columns" in words(response)
    assert columns_of(world)["left"] == "sentence_A"


def test_columns_are_guessed_again_for_another_delimiter(world: World) -> None:
    ada, at = with_level(world, HEADED + b"1\t\n")  # cannot be used, so that any columns are possible
    ada.post(at, columns("id", "left", "right", "ignored", delimiter="tab"))
    assert columns_of(world) == ["..."]
    assert "Choose one column each for the left text, the right text and" in words(ada.get(at))
    ada.post(at, columns("ignored", delimiter="comma") | {"columns-roles-0": "pair"})
    assert columns_of(world)["left"] == "sentence_A"


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (("left", "ignored", "id"), "Choose the columns of the left text and of the right text."),
        (("left", "left", "right"), "Choose “left text” for one column only."),
        (("pair", "left", "right"), "Choose either “both texts”, or “left text” and “right text”."),
        (("left", "right", "nonsense"), "Not a valid choice."),
    ],
)
def test_columns_without_both_texts_are_rejected(world: World, roles: tuple[str, ...], message: str) -> None:
    ada, at = with_level(world)
    response = ada.post(at, columns(*roles))
    assert response.status_code == 422
    assert message in words(response)
    assert columns_of(world) == ["left", "right", "id"]


def test_gold_is_checked_against_the_items_and_its_values_are_shown_to_nobody(world: World) -> None:
    ada, at = with_level(world, gold=GOLD)
    response = ada.get(at)
    assert "4 items, 3 with a gold label." in words(response)
    assert not {value for value in GOLD.decode().split() if value in response.text}
    upload(ada, at, gold=b"0.125\nx\n9.5\n")
    page = words(ada.get(at))
    assert "The new files are not used yet, and those before them stay in use." in page
    assert "Gold, gold.tsv The gold has 3 lines, but there are 4 items" in page
    assert 'Gold, gold.tsv: Line 2 Gold value "x" is not a number' in page
    upload(ada, at, gold=b"0.125\n1\n9.5\n1\n")
    outside = "Item News-3 has the gold label 9.5, which is outside the scale, 0 to 4"
    assert f"{outside}; correct it, or the scale of the task" in words(ada.get(at))
    assert waiting(world) == [("test", "gold", "gold.tsv")]
    assert ada.post(at, {"test-remove": "y"}).status_code == 302  # what waits, and not what is in use
    assert waiting(world) == []
    gold = gold_versions.find_gold(world.session, splits_of(world)["test"])
    assert gold is not None
    assert (gold.number, world.storage.get(gold.sha256)) == (1, GOLD)


def test_gold_off_the_steps_of_the_scale_is_pointed_out_by_its_lines(world: World) -> None:
    ada, at = with_level(world, gold=b"0.5\n1.25\n\n3.9\n")
    ada.post(at.replace("levels/p2s/", "scoring"), {**SCALE, "step": "0.5"})
    page = words(ada.get(at))
    assert "2 gold values are not in steps of 0.5 from 0: lines 2, 4." in page
    assert "no problems" in page
    ada.post(at.replace("levels/p2s/", "scoring"), {**SCALE, "step": "0.05"})
    assert "not in steps of" not in words(ada.get(at))


def test_gold_waits_for_the_scale_and_is_used_once_it_fits(world: World) -> None:
    ada, at = with_level(world, scale=False, gold=GOLD)
    assert "The gold waits for the scale of the task." in words(ada.get(at))
    assert waiting(world) == [("test", "gold", "gold.tsv")]
    ada.post(at.replace("levels/p2s/", "scoring"), {**SCALE, "high": "3", "labels": ""})
    assert "which is outside the scale, 0 to 3" in words(ada.get(at))
    assert waiting(world) == [("test", "gold", "gold.tsv")]
    ada.post(at.replace("levels/p2s/", "scoring"), SCALE)
    assert waiting(world) == []
    gold = gold_versions.find_gold(world.session, splits_of(world)["test"])
    assert gold is not None
    response = ada.post(at.replace("levels/p2s/", "scoring"), {**SCALE, "high": "3", "labels": ""})
    assert response.status_code == 422
    assert "The gold standard of Paragraph to sentence, Test, does not fit" in words(response)


def test_metric_that_needs_the_spread_of_ratings_is_refused_until_the_gold_has_it(world: World) -> None:
    ada, at = with_level(world, gold=GOLD)
    scoring = at.replace("levels/p2s/", "scoring")
    reason = "there is no sd, the standard deviation of the ratings; begin the gold with a header"
    refused = ada.post(scoring, {**SCALE, "others": "within_sd"})
    assert (refused.status_code, reason in words(refused)) == (422, True)
    of_level = {f"names-{name}": value for name, value in {**LEVEL, "official": "within_sd"}.items()}
    refused = ada.post(f"{at}edit", of_level)
    assert (refused.status_code, reason in words(refused)) == (422, True)
    assert level_of(world).metrics == ["pearson", "spearman"]
    upload(ada, at, gold=b"gold\tn\tsd\n0.125\t4\t0.5\n1.375\t4\t1.2\n\t1\t\n3.875\t2\t0\n")
    assert "4 items, 3 with a gold label." in words(ada.get(at))
    assert ada.post(f"{at}edit", of_level).status_code == 302
    assert level_of(world).metrics == ["within_sd"]
    upload(ada, at, gold=b"gold\tsd\n0.125\t0.5\n1.375\t\n\t\n3.875\t0\n")
    assert "Gold, gold.tsv: Line 3 There is no sd" in words(ada.get(at))


def test_items_that_are_the_gold_too_are_refused_unless_everyone_can_download_it(world: World) -> None:
    ada, at = with_level(world)
    ada.post(
        at.replace("levels/p2s/", "scoring"),
        {**SCALE, "run_format": "keyed", "keyed_id": "n", "keyed_score": "s"},
    )
    table = ("n\tone\ttwo\ts\n" + "".join(f"{i}\t{a}\t{b}\t2\n" for a, b, i in SHORT)).encode()
    ada.post(at, {"test-remove": "y"})
    assert "with the id that runs and gold refer to" in words(ada.get(at))  # not: the id can be left out
    upload(ada, at, items=table, gold=table)
    ada.post(at, columns("id", "left", "right", "ignored", header=True))
    assert "Upload items without it, or let everyone download the gold." in words(ada.get(at))
    assert splits_of(world) == {}
    upload(ada, at, public=True)
    assert "4 items, 4 with a gold label." in words(ada.get(at))
    assert splits_of(world)["test"].public_gold


def test_items_with_errors_are_kept_and_every_line_is_named(world: World) -> None:
    ada, at = with_level(world, ITEMS + b"only one\nx\t\tNews-6\n")
    page = words(ada.get(at))
    assert "Saved, but the files have problems, which this page lists. Levels and files /" in page
    assert "These files are kept, but not used yet." in page
    assert "Items, items.tsv: Line 5" in page
    assert 'Items, items.tsv: Line 6 The column "right" is empty' in page
    assert waiting(world) == [("test", "items", "items.tsv")]
    upload(ada, at, items=ITEMS)
    assert "4 items, no gold yet." in words(ada.get(at))
    assert waiting(world) == []


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"PK\x03\x04 no text", b"\xff\xfe\0a", b"a\x00b\tc\n", b'"a,b\n']
)
def test_file_that_is_no_table_is_explained(world: World, data: bytes) -> None:
    ada, at = with_level(world, data)
    response = ada.get(at)
    assert response.status_code == 200
    assert "has problems" in words(response)


def test_gold_before_items_is_kept_and_items_are_asked_for(world: World) -> None:
    ada, at = with_level(world, None, gold=GOLD)
    assert "Upload the items of the split, too." in words(ada.get(at))
    upload(ada, at, items=ITEMS)
    assert "4 items, 3 with a gold label." in words(ada.get(at))


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"items": GOLD, "gold": ITEMS}, "Items and gold seem to be swapped."),
        ({"items": GOLD}, "The file of the items seems to be the gold: it has numbers and no texts."),
        ({"gold": ITEMS}, "The file of the gold seems to be the items: it has texts."),
        ({"items": ITEMS, "gold": b"News-1\t2\nNews-2\t1.5\n"}, "The gold seems to be a table with ids."),
        ({"items": ITEMS, "gold": b"1\nx\n"}, ""),
    ],
)
def test_file_in_the_field_of_another_is_recognized(
    world: World, sent: dict[str, bytes], message: str
) -> None:
    ada, at = with_level(world, None)
    upload(ada, at, **sent)
    page = words(ada.get(at))
    assert message in page
    assert ("Choose the texts in the field" in page) == (message != "" and "with ids" not in message)


def test_page_of_a_level_shows_what_its_files_look_like(world: World) -> None:
    ada, at = with_level(world, None)
    page = words(ada.get(at))
    assert "A boat leaves the harbour. → A ship sails. → id-17" in page
    assert "The gold has one value per line, in the order of the items: 4 " in page
    upload(ada, at, items=HEADED)
    scoring = {**SCALE, "run_format": "keyed", "keyed_id": "pair_ID", "keyed_score": "relatedness"}
    ada.post(at.replace("levels/p2s/", "scoring"), scoring)
    page = words(ada.get(at))
    assert "pair_ID,sentence_A,sentence_B id-17,A boat leaves the harbour.,A ship sails." in page
    assert "in any order: pair_ID → relatedness id-17 → 4 " in page


def test_without_a_file_nothing_is_saved(world: World) -> None:
    ada, at = with_level(world, None)
    response = upload(ada, at, public=True)
    assert response.status_code == 422
    assert "Choose a file for the Test split first." in words(response)


def test_files_of_all_splits_and_the_columns_are_saved_at_once(world: World) -> None:
    ada, at = with_level(world)
    files = {
        f"{split}-{kind}": (BytesIO(data), f"{kind}.tsv")
        for split in ("trial", "training")
        for kind, data in (("items", ITEMS), ("gold", GOLD))
    }
    sent = {**files, **columns("right", "left", "id"), "trial-public_gold": "y"}
    page = words(ada.get(ada.post(at, sent).headers["Location"]))
    assert "Saved: Trial, Training, the columns." in page
    assert columns_of(world) == ["right", "left", "id"]
    assert {name: split.public_gold for name, split in splits_of(world).items()} == {
        "trial": True, "training": False, "test": False,
    }  # fmt: skip
    page = words(ada.get(ada.post(at, {"trial-public_gold": "y"}).headers["Location"]))
    assert "Nothing was changed." in page


def test_file_of_an_old_page_is_refused_unless_it_is_the_same(world: World) -> None:
    ada, at = with_level(world)
    page = filled_in(ada.get(at), "columns-delimiter")
    for data, status in ((GOLD, 302), (GOLD, 302), (b"1\n2\n3\n4\n", 422)):
        response = ada.post(at, {**page, "test-gold": (BytesIO(data), "gold.tsv")})
        assert response.status_code == status, data
    assert "by someone else: Test." in words(response)
    gold = gold_versions.find_gold(world.session, splits_of(world)["test"])
    assert gold is not None
    assert (gold.number, world.storage.get(gold.sha256)) == (1, GOLD)


def test_wrong_columns_do_not_lose_the_files_chosen_with_them(world: World) -> None:
    ada, at = with_level(world)
    response = ada.post(at, {**columns("left", "left", "id"), "test-gold": (BytesIO(GOLD), "gold.tsv")})
    assert response.status_code == 422
    page = words(response)
    assert "Saved: Test." in page
    assert "Choose the columns of the left text and of the right text." in page
    assert gold_versions.find_gold(world.session, splits_of(world)["test"]) is not None


def test_columns_that_the_page_only_showed_do_not_refuse_the_file_that_corrects_them(world: World) -> None:
    ada, at = with_level(world, b"1\t2\t3\n4\t5\t6\n")
    shown = columns("ignored", "ignored", "ignored")
    assert ada.post(at, {**shown, "test-items": (BytesIO(ITEMS), "new.tsv")}).status_code == 302
    assert columns_of(world) == ["left", "right", "id"]


def test_gold_can_be_made_public_without_uploading_it_again(world: World) -> None:
    ada, at = with_level(world, gold=GOLD)
    assert splits_of(world)["test"].public_gold is False
    assert upload(ada, at, public=True).status_code == 302
    assert splits_of(world)["test"].public_gold is True


def test_hidden_gold_that_the_starter_kit_contains_is_refused(world: World) -> None:
    ada, at = with_level(world, items=None)
    kit = at.replace("levels/p2s/", "task-files")
    assert ada.upload(kit, b"labels = [0.125, 1.375, 3.875]\n", "baseline.py").status_code == 302
    refused = upload(ada, at, items=ITEMS, gold=GOLD)
    assert refused.status_code == 422
    assert "baseline.py contains hidden gold labels of Paragraph to sentence (Test)" in words(refused)
    assert splits_of(world) == {}
    assert upload(ada, at, public=True, items=ITEMS, gold=GOLD).status_code == 302
    hidden = ada.post(at, {"test-public_gold": ""})
    assert hidden.status_code == 422
    assert "baseline.py contains hidden gold labels" in words(hidden)
    assert splits_of(world)["test"].public_gold is True


def test_level_can_be_renamed_and_keeps_its_files(world: World) -> None:
    ada, at = with_level(world, gold=GOLD)
    names = {"names-title": "P to S", "names-slug": "Par2Sent", "names-left": "a", "names-right": "b"}
    response = ada.post(f"{at}edit", names)
    assert response.headers["Location"] == at.replace("p2s", "Par2Sent")
    level = level_of(world)
    assert (level.title, level.sides, level.counts) == ("P to S", ["a", "b"], False)
    assert "4 items, 3 with a gold label." in words(ada.get(at.replace("p2s", "Par2Sent")))
    assert ada.get(at).status_code == 404


def test_short_name_of_another_level_is_rejected_in_any_case(world: World) -> None:
    ada, at = with_level(world, None)
    response = ada.post(at.replace("p2s/", "new"), {**LEVEL, "slug": "P2S"})
    assert response.status_code == 422
    assert 'The task already has a level "P2S". Choose another short name.' in words(response)


def test_split_and_level_are_removed_with_their_files(world: World) -> None:
    ada, at = with_level(world, gold=GOLD)
    upload(ada, at, "trial", items=ITEMS, gold=GOLD, public=True)
    assert ada.post(at, {"trial-remove": "y"}).status_code == 302
    assert list(splits_of(world)) == ["test"]
    assert ada.post(f"{at}remove").status_code == 302
    assert draft_of(world).levels == []


def test_columns_stay_when_a_second_split_or_a_corrected_file_comes(world: World) -> None:
    ada, at = with_level(world)
    ada.post(at, columns("right", "left", "id"))
    upload(ada, at, "trial", items=ITEMS)
    upload(ada, at, items=ITEMS + b"a\tb\tNews-5\n")
    assert columns_of(world) == ["right", "left", "id"]
    ada.post(at, {"trial-remove": "y"})
    upload(ada, at, items=HEADED)  # the only file, and another format
    assert columns_of(world)["left"] == "sentence_A"


def test_files_together_are_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, at = with_level(world)
    monkeypatch.setattr(files, "SIZE_LIMIT", len(ITEMS) + 4)
    response = upload(ada, at, gold=GOLD)
    assert response.status_code == 422
    assert "The files of a task can have at most" in words(response)
    assert gold_versions.find_gold(world.session, splits_of(world)["test"]) is None


@pytest.mark.parametrize(("person", "limit"), [("ada", "68 MB")])
def test_too_large_upload_is_not_read(world: World, person: str, limit: str) -> None:
    _ada, at = with_level(world, None)
    visitor = world.client(person)
    response = visitor.open(
        at,
        method="POST",
        data={"csrf_token": visitor.token()},
        environ_overrides={"CONTENT_LENGTH": str(66 * 1024 * 1024)},
    )
    assert response.status_code == 413
    assert f"can have at most {limit}" in words(response)


@pytest.mark.reading_process
def test_large_files_are_read_in_a_process_with_limits(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, at = with_level(world, None)
    monkeypatch.setattr(contents, "IN_PROCESS_LIMIT", 10)
    monkeypatch.setattr(child_processes, "TIME_LIMIT", 0.01)
    upload(ada, at, items=ITEMS)
    assert "Reading the bundle takes more than 1024 MB of memory or 0 seconds." in words(ada.get(at))
    monkeypatch.setattr(child_processes, "TIME_LIMIT", 60)
    assert "4 items, no gold yet." in words(ada.get(at))  # a check that took too long is not remembered


@pytest.mark.parametrize("header", ["", "left\tright\tid\tscore\n"])
def test_numbers_in_the_items_are_pointed_out_because_they_may_be_gold(world: World, header: str) -> None:
    rows = "".join(f"{left}\t{right}\tNews-{i}\t{i / 8}\n" for i, (left, right) in enumerate(TEXTS, start=1))
    ada, at = with_level(world, (header + rows).encode())
    assert "Column 4 has only numbers. If they are gold labels" in words(ada.get(at))
    upload(ada, at, items=ITEMS)
    assert "has only numbers" not in words(ada.get(at))


def test_last_column_of_distinct_decimals_is_not_taken_for_ids(world: World) -> None:
    rows = "".join(f"{left}\t{right}\t{i / 8}\n" for i, (left, right) in enumerate(TEXTS, start=1))
    ada, at = with_level(world, rows.encode())
    assert columns_of(world) == ["left", "right", "..."]
    assert "Column 3 has only numbers. If they are gold labels" in words(ada.get(at))


def test_level_can_have_metrics_of_its_own(world: World) -> None:
    ada, at = with_level(world)
    form = {f"names-{name}": value for name, value in {**LEVEL, "official": ""}.items()}
    own = {**form, "names-official": "kendall", "names-others": ["pearson", "kendall"]}
    assert ada.post(f"{at}edit", own).status_code == 302
    assert level_of(world).metrics == ["kendall", "pearson"]
    assert '<option selected value="kendall">' in ada.get(at).text
    assert "4 items, no gold yet." in words(ada.get(at))
    wrong = ada.post(f"{at}edit", {**form, "names-others": "pearson"})
    assert (wrong.status_code, "Choose the official metric of the level, too." in words(wrong)) == (422, True)
    assert ada.post(f"{at}edit", form).status_code == 302
    assert level_of(world).metrics == ["pearson", "spearman"]


def test_columns_beyond_the_hundredth_are_not_used(world: World) -> None:
    wide = "".join(f"{a}\t{b}\t{i}" + "\tx" * 150 + "\n" for a, b, i in SHORT).encode()
    ada, at = with_level(world, wide)
    assert "4 items, no gold yet." in words(ada.get(at))
    assert ada.post(at, columns("right", "left", *["ignored"] * 98)).status_code == 302
    assert columns_of(world) == ["right", "left", "..."]
    ada.post(at, columns(*["ignored"] * 98, "left", "right"))
    assert columns_of(world)[-3:] == ["left", "right", "..."]
    assert ada.get(at).status_code == 200
