from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.desktop.widgets.words import (
    NOTHING,
    age,
    byte_size,
    clock_time,
    counted,
    day_time,
    duration,
    grouped,
    offset,
    short_time,
    spoken,
)

S, MIN, H, D = 1_000, 60_000, 3_600_000, 86_400_000
BERLIN = timezone(timedelta(hours=1))


def ms(text: str, zone: tzinfo = UTC) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


NOW = ms("2026-12-01T14:02:17.412")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, NOTHING),
        (0, "0 ms"),
        (12, "12 ms"),
        (999, "999 ms"),
        (S, "1.0 s"),
        (17_312, "17.3 s"),
        (59_999, "59.9 s"),
        (MIN, "1:00 min"),
        (64 * S, "1:04 min"),
        (H - 1, "59:59 min"),
        (H, "1:00 h"),
        (2 * H + 7 * MIN + 59 * S, "2:07 h"),
        (D - 1, "23:59 h"),
        (D, "1 d"),
        (3 * D + 4 * H, "3 d 4 h"),
        (1_204 * D, "1,204 d"),
        (-12, "−12 ms"),
        (-64 * S, "−1:04 min"),
    ],
)
def test_a_duration(value: int | None, words: str) -> None:
    assert duration(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, NOTHING),
        (0, "0.0 s"),
        (312, "0.3 s"),
        (9_999, "9.9 s"),
        (10 * S, "10 s"),
        (38_200, "38 s"),
        (59_999, "59 s"),
        (64 * S, "1:04 min"),
        (2 * H + 7 * MIN, "2:07 h"),
        (3 * D + 4 * H, "3 d 4 h"),
        (-400, "−0.4 s"),
    ],
)
def test_an_age(value: int | None, words: str) -> None:
    assert age(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, NOTHING),
        (0, "0"),
        (41, "41 ms"),
        (1_067, "1.067 s"),
        (17_538, "17.538 s"),
        (62_679, "1:02.679"),
        (H + 2 * S + 5, "1:00:02.005"),
        (1_000 * H, "1,000:00:00.000"),
        (-62_679, "−1:02.679"),
    ],
)
def test_an_offset(value: int | None, words: str) -> None:
    assert offset(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, NOTHING),
        (300, "0.3 s"),
        (38 * S, "38 s"),
        (17 * MIN + 6 * S, "17 min 6 s"),
        (4 * MIN, "4 min"),
        (2 * H + 7 * MIN, "2 h 7 min"),
        (3 * D + 4 * H, "3 d 4 h"),
        (-4 * MIN, "−4 min"),
    ],
)
def test_a_duration_in_a_sentence(value: int | None, words: str) -> None:
    assert spoken(value) == words


@pytest.mark.parametrize(
    ("at", "zone", "digits", "words"),
    [
        ("2026-12-01T14:02:17.412", UTC, 3, "14:02:17.412"),
        ("2026-12-01T14:02:17.412", UTC, 1, "14:02:17.4"),
        ("2026-12-01T14:02:17.412", UTC, 0, "14:02:17"),
        ("2026-12-01T00:00:00.000", UTC, 3, "00:00:00.000"),
        ("2026-11-30T09:12:05.003", UTC, 3, "30 Nov 09:12:05.003"),
        ("2025-12-01T14:02:17.412", UTC, 0, "1 Dec 2025 14:02:17"),
        ("2026-11-30T23:30:00.000", UTC, 0, "30 Nov 23:30:00"),
        ("2026-11-30T23:30:00.000", BERLIN, 0, "00:30:00"),
    ],
)
def test_a_time_of_day_has_its_date_when_it_is_not_today_s(at: str, zone: tzinfo, digits: int, words: str) -> None:
    assert clock_time(ms(at), NOW, zone, digits=digits) == words


def test_a_time_without_a_now_has_no_date() -> None:
    assert clock_time(ms("2020-01-01T01:02:03.004"), None, UTC) == "01:02:03.004"


def test_a_time_before_1970_has_its_own_milliseconds() -> None:
    assert clock_time(-1, NOW, UTC) == "31 Dec 1969 23:59:59.999"


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-12-01T13:58:00", "today 13:58"),
        ("2026-11-30T23:59:59", "yesterday"),
        ("2026-11-28T12:00:00", "28 Nov"),
        ("2025-11-14T12:00:00", "14 Nov 2025"),
        ("2026-12-02T12:00:00", "2 Dec"),
    ],
)
def test_a_day(at: str, words: str) -> None:
    assert day_time(ms(at), NOW, UTC) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, NOTHING),
        (0, "0 bytes"),
        (1, "1 byte"),
        (138, "138 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (3_100_000, "3.1 MB"),
        (99_949_999, "99.9 MB"),
        (99_950_000, "100 MB"),
        (274_000_000, "274 MB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1.0 GB"),
        (4_683_073_184, "4.7 GB"),
        (2**63 - 1, "9.2 EB"),
        (10**22, "10,000 EB"),
        (-138, "−138 bytes"),
    ],
)
def test_a_size(value: int | None, words: str) -> None:
    assert byte_size(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(None, NOTHING), (0, "0"), (999, "999"), (18_412, "18,412"), (-18_412, "−18,412")]
)
def test_a_count(value: int | None, words: str) -> None:
    assert grouped(value) == words


def test_a_count_beyond_what_python_writes_out() -> None:
    assert grouped(10**5_000) == "more than 2^16609"


@pytest.mark.parametrize(("value", "words"), [(0, "0 tasks"), (1, "1 task"), (1_204, "1,204 tasks")])
def test_a_count_with_its_noun(value: int, words: str) -> None:
    assert counted(value, "task") == words


def test_a_count_with_a_plural_of_its_own() -> None:
    assert (counted(1, "entry", "entries"), counted(2, "entry", "entries")) == ("1 entry", "2 entries")


HUGE = st.one_of(st.integers(), st.sampled_from([2**63 - 1, -(2**63), 10**30, -(10**30), 10**5_000, -(10**5_000)]))


@given(HUGE, HUGE, st.integers(0, 3))
def test_no_integer_is_without_words(value: int, other: int, digits: int) -> None:
    for words in (duration, age, offset, spoken, byte_size, grouped):
        assert words(value)
    assert clock_time(value, other, UTC, digits=digits)
    assert day_time(value, other, BERLIN)


@given(st.integers(0, 10**15))
def test_what_is_said_to_have_passed_has_passed(value: int) -> None:
    number, _, unit = duration(value).partition(" ")
    factor = {"ms": 1, "s": S}.get(unit)
    if factor is not None:
        assert float(number) * factor <= value


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-12-01T09:12:05", "09:12:05"),
        ("2026-11-28T09:12:05", "28 Nov 09:12"),
        ("2026-12-02T00:00:00", "2 Dec 00:00"),
        ("2025-11-14T09:12:05", "14 Nov 2025"),
    ],
)
def test_a_short_time_has_its_date_unless_it_is_today_s(at: str, words: str) -> None:
    assert short_time(ms(at), NOW, UTC) == words
    assert short_time(ms(at), None, UTC) == at[11:]


def test_a_short_time_that_is_none_or_no_date_is_said_as_elsewhere() -> None:
    assert short_time(None, NOW, UTC) == NOTHING
    assert short_time(10**18, NOW, UTC) == clock_time(10**18, NOW, UTC, digits=0)
