"""The import table where import-linter cannot look: what really gets loaded, and that no room is left out."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = sorted(path.parent.name for path in (ROOT / "inspector").glob("*/__init__.py"))
VIEWS_KNOW_NOBODY = "Views ask; they know neither a database nor who answers"
DESKTOP_ROOMS_THAT_ARE_NO_VIEW = {"actions", "session", "widgets", "wiring"}

IMPORT_THE_ROOM = """
import importlib, pkgutil, sys
room = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
    if not module.name.endswith(".__main__"):
        importlib.import_module(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"PySide6", "shiboken6", "qasync"}))
"""


def qt_loaded_by(package: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_THE_ROOM, package],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "desktop"])
def test_a_room_outside_desktop_loads_no_qt(room: str) -> None:
    assert qt_loaded_by(f"inspector.{room}") == ""


def test_the_command_line_loads_no_qt_by_itself(tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "__init__.py").write_text("import inspector.cli\n")

    assert qt_loaded_by("asked", tmp_path) == ""


def test_a_room_that_loads_qt_is_caught(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "__init__.py").write_text("")
    (tmp_path / "room" / "late.py").write_text("def f():\n    pass\nimport qasync\n")

    assert qt_loaded_by("room", tmp_path) == "PySide6 qasync shiboken6"


def contracts() -> dict[str, dict[str, list[str]]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {contract["name"]: contract for contract in settings["tool"]["importlinter"]["contracts"]}


def test_every_room_without_a_window_is_held_to_no_qt() -> None:
    held = contracts()["No Qt outside desktop"]["source_modules"]

    assert sorted(held) == sorted(f"inspector.{room}" for room in ROOMS if room != "desktop")


def test_every_view_is_held_to_what_views_may_import() -> None:
    folders = {path.parent.name for path in (ROOT / "inspector" / "desktop").glob("*/__init__.py")}
    views = sorted(f"inspector.desktop.{folder}" for folder in folders - DESKTOP_ROOMS_THAT_ARE_NO_VIEW)

    assert sorted(contracts()[VIEWS_KNOW_NOBODY]["source_modules"]) == views
    assert sorted(contracts()["Views do not know each other"]["modules"]) == views
    for name in (
        "The session knows nothing of what is shown",
        "Actions reach a database through the session only, and know no view",
        "The selection, and widgets, know nothing of a database",
    ):
        assert set(views) <= set(contracts()[name]["forbidden_modules"]), name
