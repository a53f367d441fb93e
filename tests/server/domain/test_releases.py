"""What a release may tell, by its rules."""

from server.domain.releases import may_tell_genres


def test_values_by_genre_and_ranks_without_one_wait_as_baselines_do() -> None:
    told = [
        may_tell_genres({"baselines": shown, "opens_gold": opens})
        for shown, opens in ((True, False), (False, True), (False, False))
    ]
    assert told == [True, True, False]
    assert may_tell_genres({}), "a release of before rules were kept"
