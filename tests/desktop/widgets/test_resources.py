import sys
from pathlib import Path

import pytest

from inspector.desktop.widgets import resources
from inspector.desktop.widgets.resources import resource


def lay(folder: Path, *parts: str) -> Path:
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True)
    path.write_text("x", encoding="utf-8")
    return path


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the package seems to lie."""
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "inspector" / "desktop" / "widgets" / "resources.py"))
    monkeypatch.delattr(sys, "_MEIPASS", raising=False)
    return tmp_path


def test_a_checkout_has_them_beside_the_package() -> None:
    assert resource("icons", "tasks.svg").is_file()


def test_a_checkout_is_found(elsewhere: Path) -> None:
    path = lay(elsewhere, "resources", "icons", "a.svg")

    assert resource("icons", "a.svg") == path


def test_an_installed_wheel_has_them_within_the_package(elsewhere: Path) -> None:
    path = lay(elsewhere, "inspector", "resources", "icons", "a.svg")
    lay(elsewhere, "resources", "icons", "a.svg")

    assert resource("icons", "a.svg") == path


def test_a_frozen_build_has_them_where_it_was_unpacked(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = elsewhere / "unpacked"
    monkeypatch.setattr(sys, "_MEIPASS", str(unpacked), raising=False)
    lay(elsewhere, "resources", "icons", "a.svg")
    path = lay(unpacked, "resources", "icons", "a.svg")

    assert resource("icons", "a.svg") == path


def test_a_missing_one_is_named_where_a_person_would_look(elsewhere: Path) -> None:
    assert resource("icons", "none.svg") == elsewhere / "resources" / "icons" / "none.svg"
