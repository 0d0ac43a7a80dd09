"""What is remembered between two runs."""

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from inspector.desktop.settings import RECENT_FILES, Settings
from inspector.desktop.widgets.theme import Theme


@pytest.fixture
def ini(tmp_path: Path) -> Path:
    return tmp_path / "settings.ini"


def opened(ini: Path) -> Settings:
    return Settings(QSettings(str(ini), QSettings.Format.IniFormat))


def test_the_newest_files_come_first_each_once(ini: Path) -> None:
    settings = opened(ini)
    for number in (*range(12), 3):
        settings.keep_recent(Path(f"/data/{number}.db"))
    names = [path.name for path in opened(ini).recent()]
    assert names == ["3.db", *(f"{number}.db" for number in (11, 10, 9, 8, 7, 6, 5, 4, 2))]
    assert len(names) == RECENT_FILES
    settings.forget_recent()
    assert opened(ini).recent() == ()


def test_one_recent_file_is_still_a_list(ini: Path) -> None:
    opened(ini).keep_recent(Path("/data/a, b.db"))
    assert opened(ini).recent() == (Path("/data/a, b.db"),)


def test_theme_and_geometry_come_back(ini: Path) -> None:
    assert opened(ini).theme() is Theme.SYSTEM
    assert opened(ini).geometry() is None
    opened(ini).keep_theme(Theme.DARK)
    opened(ini).keep_geometry(QByteArray(b"\x01\x02"))
    assert opened(ini).theme() is Theme.DARK
    assert opened(ini).geometry() == QByteArray(b"\x01\x02")


def test_whether_content_is_shown_is_remembered_for_each_file(ini: Path) -> None:
    opened(ini).keep_shows_content(Path("/data/a.db"), True)
    opened(ini).keep_shows_content(Path("/data/b.db"), False)
    settings = opened(ini)
    assert settings.shows_content(Path("/data/a.db"), default=False)
    assert not settings.shows_content(Path("/data/b.db"), default=True)
    assert settings.shows_content(Path("/data/c.db"), default=True)


@pytest.mark.parametrize("text", ["[General]\ntheme=pink\ncontent=[1\nrecent=@Invalid()\n", "\x00\x01", "content=7"])
def test_a_settings_file_that_makes_no_sense_is_as_none(ini: Path, text: str) -> None:
    ini.write_text(text)
    settings = opened(ini)
    assert settings.theme() is Theme.SYSTEM
    assert settings.recent() == ()
    assert settings.shows_content(Path("/data/a.db"), default=True)


def test_pictures_and_demos_remember_for_themselves_and_keep_nothing() -> None:
    settings = Settings(None)
    settings.keep_recent(Path("/data/a.db"))
    settings.keep_theme(Theme.DARK)
    settings.keep_shows_content(Path("/data/a.db"), True)
    assert settings.recent() == ()
    assert settings.theme() is Theme.SYSTEM
    assert settings.shows_content(Path("/data/a.db"), default=False)
