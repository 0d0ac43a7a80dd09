"""The start view shows the files that were open lately, also where nobody may look whether they are there."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot

from inspector.desktop.settings import Settings
from inspector.desktop.start.view import StartView
from inspector.desktop.wiring.start import StartWiring
from tests.support.finding import found


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError(5, "input/output error")])
def test_a_recent_file_that_nobody_may_look_at_is_shown_as_not_there(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    settings = Settings(None)
    monkeypatch.setattr(settings, "recent", lambda: (tmp_path / "service.db",))

    def refuse(_path: Path) -> bool:
        raise error

    monkeypatch.setattr(Path, "is_file", refuse)
    view = StartView()
    qtbot.addWidget(view)
    StartWiring(view, settings)
    shown = found(view, QListWidget)
    assert shown.count() == 1
    assert "not there" in shown.item(0).text()
