"""The machine's own zone against the same one by its name, over changes of the clock."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QTimeZone

from inspector.desktop.zone import local_zone

NAMES = ("Europe/Zurich", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC")
HOUR_S = 3_600


@pytest.fixture(params=NAMES)
def named(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("month", [3, 10], ids=["spring", "autumn"])
def test_each_hour_of_a_season_is_told_as_in_the_zone_of_that_name(named: str, month: int) -> None:
    here, by_name = local_zone(), ZoneInfo(named)
    start_s = int(datetime(2025, month, 1, tzinfo=UTC).timestamp())
    for at_s in range(start_s, start_s + 40 * 24 * HOUR_S, HOUR_S):
        ours, theirs = datetime.fromtimestamp(at_s, tz=here), datetime.fromtimestamp(at_s, tz=by_name)
        assert ours.replace(tzinfo=None) == theirs.replace(tzinfo=None)
        assert (ours.fold, ours.utcoffset(), ours.tzname()) == (theirs.fold, theirs.utcoffset(), theirs.tzname())


@pytest.mark.usefixtures("named")
def test_a_moment_comes_back_from_the_zone() -> None:
    for at_s in (0, 1_743_296_400, 1_761_440_399, 1_761_443_999):
        assert datetime.fromtimestamp(at_s, tz=local_zone()).timestamp() == at_s


def test_a_name_that_means_nothing_here_is_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Nowhere/At_All")
    time.tzset()
    try:
        assert datetime.fromtimestamp(1_743_296_400, tz=local_zone()).hour == 1
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.usefixtures("named")
def test_the_zone_of_the_environment_tells_its_name() -> None:
    assert str(local_zone()) == QTimeZone.systemTimeZoneId().toStdString()


def test_the_zone_tells_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)
    assert str(local_zone()) == QTimeZone.systemTimeZoneId().toStdString()
