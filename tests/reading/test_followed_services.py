"""Which service has a file open is followed within a second, also where one takes the place of another."""

from pathlib import Path

import pytest

from inspector.layout.opened import Mode
from inspector.reading import following
from inspector.reading.holders import Holder, holders_listed
from inspector.reading.locks import LockRange
from inspector.reading.reader import open_reader
from tests.support.reading_crashes import crashed
from tests.support.reading_databases import make, read_at
from tests.support.reading_service import Service, service_on

pytestmark = pytest.mark.timeout(30)


class Clock:
    """Stands in for the module time in following: a test lets it go on."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def monotonic(self) -> float:
        return self.at

    def a_second_later(self) -> None:
        self.at += 1.01


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("inspector.reading.following.time", clock)
    return clock


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_a_service_that_is_restarted_again_and_again_is_the_one_that_is_named_within_a_second(
    tmp_path: Path, clock: Clock, *, killed: bool
) -> None:
    path = make(tmp_path / "service.db", "early")
    service = Service(path)
    with open_reader(path, now_ms=read_at) as reader:
        for _ in range(3):
            reader.look()
            (service.kill if killed else service.close)()
            service = Service(path)
            clock.a_second_later()
            reader.look()
            assert reader.opened.holder == f"{comm(service)} (pid {service.pid})"
        (service.kill if killed else service.close)()
        clock.a_second_later()
        reader.look()
        assert reader.opened.mode is not Mode.LIVE


def test_a_process_that_comes_and_goes_on_the_file_of_a_dead_service_puts_off_no_look(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crashed(tmp_path / "service.db")
    passing = [(Holder(1, "passing"),)]

    def also_passing(path: str, wanted: LockRange) -> tuple[Holder, ...] | None:
        return passing.pop() if passing else holders_listed(path, wanted)

    monkeypatch.setattr(following, "holders_listed", also_passing)
    with open_reader(path, now_ms=read_at) as reader:
        clock.a_second_later()
        reader.look()
        assert not passing
        assert reader.opened.mode is Mode.CRASHED
        with service_on(path):
            clock.a_second_later()
            reader.look()
            assert reader.opened.mode.value == "live"


def test_where_the_list_of_locks_says_nothing_it_is_asked_seldom(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path / "service.db", "early")
    asked: list[str] = []

    def nothing_listed(of: str, _wanted: object) -> tuple[Holder, ...]:
        asked.append(of)
        return ()

    monkeypatch.setattr(following, "holders_listed", nothing_listed)
    with service_on(path), open_reader(path, now_ms=read_at) as reader:
        for _ in range(9):
            clock.a_second_later()
            reader.look()
        assert len(asked) == 2
        assert reader.opened.mode is Mode.LIVE


def comm(service: Service) -> str:
    return Path(f"/proc/{service.pid}/comm").read_text().strip()
