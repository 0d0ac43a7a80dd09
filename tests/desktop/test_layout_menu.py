"""The menu of layouts: the open file is read as what a chosen file describes, or is left as it was."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu

from inspector.desktop.actions import open_with_layout
from inspector.desktop.composition import Inspector
from inspector.desktop.menus import WindowActions
from inspector.desktop.session.launch import Target
from inspector.desktop.session.trying import refusal_of
from inspector.desktop.widgets.message_bar import MessageBar
from inspector.layout.description import description_from, toml_of
from inspector.layout.opened import Mode
from tests.support.foreign_databases import close_names
from tests.support.inspectors import an_inspector
from tests.support.proof import differences, touch_state
from tests.support.reading_databases import make
from tests.support.waiting import until

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("qloop")]

MINE = """name = "mine"
[tasks]
table = "jobs"
[tasks.columns]
id = "id"
status = "state"
[tasks.statuses]
done = "cancelled"
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "mine & yours.toml"
    describe(path, "mine")
    return path


def describe(own: Path, name: str) -> None:
    write(own, MINE.replace("mine", name))


def write(path: Path, text: str) -> None:
    path.write_text(text)


def read(path: Path) -> str:
    return path.read_text()


def menu_of(inspector: Inspector) -> QMenu:
    [menu] = [each for each in inspector.window.file_menu.findChildren(QMenu) if each.title() == "Which layout it has"]
    return menu


def entries(inspector: Inspector) -> dict[str, QAction]:
    return {each.text(): each for each in menu_of(inspector).actions() if each.isVisible() and not each.isSeparator()}


def chosen(inspector: Inspector) -> list[str]:
    return [word for word, each in entries(inspector).items() if each.isChecked()]


def layout_of(inspector: Inspector) -> str | None:
    return None if inspector.session.how is None else inspector.session.how.layout_name


def messages(inspector: Inspector) -> str:
    return "\n".join(bar.text() for bar in inspector.window.findChildren(MessageBar) if bar.isVisible())


def statuses(inspector: Inspector) -> set[str]:
    rows = inspector.window.views.tasks.rows
    return {task.status for row in range(rows.rowCount()) if (task := rows.task_at(row)) is not None}


async def choose(inspector: Inspector, layout: Path) -> None:
    await take(inspector, "Open with a layout…", layout)


async def take(inspector: Inspector, word: str, layout: Path) -> None:
    """Choose the file in the dialog that the entry shows."""
    entries(inspector)[word].trigger()
    dialog = inspector.window.findChild(QFileDialog)
    assert isinstance(dialog, QFileDialog)
    dialog.fileSelected.emit(str(layout))
    dialog.reject()
    await until(lambda: inspector.window.findChild(QFileDialog) is None)


async def shown_on(inspector: Inspector, path: Path, layout: Path | None = None, mode: Mode | None = None) -> None:
    inspector.window.show()
    inspector.open(Target(path, mode, layout), task_id="second")
    rows = inspector.window.views.tasks.rows
    await until(lambda: rows.rowCount() == 3 and bool(inspector.window.findChildren(WindowActions)))


async def test_the_open_file_is_read_as_a_chosen_layout_and_by_itself_again(tmp_path: Path, own: Path) -> None:
    path = close_names(tmp_path / "jobs.db")
    before = touch_state(path)
    async with an_inspector() as inspector:
        await shown_on(inspector, path)
        assert layout_of(inspector) == "guessed from its names"
        assert list(entries(inspector)) == ["Found by itself", "Open with a layout…", "Save layout…"]
        assert chosen(inspector) == ["Found by itself"]

        await choose(inspector, own)
        await until(lambda: layout_of(inspector) == "mine" and "cancelled" in statuses(inspector))
        assert chosen(inspector) == ["mine && yours.toml"]
        assert inspector.selection.task_id == "second"

        describe(own, "corrected")
        entries(inspector)["mine && yours.toml"].trigger()
        await until(lambda: layout_of(inspector) == "corrected")

        entries(inspector)["Found by itself"].trigger()
        await until(lambda: layout_of(inspector) == "guessed from its names")
        assert chosen(inspector) == ["Found by itself"]
    assert differences(before, touch_state(path)) == ()


def no_toml(own: Path) -> str:
    own.write_text("tasks = 1")
    return "[tasks] of mine & yours.toml is no table."


def no_file(own: Path) -> str:
    own.unlink()
    return "mine & yours.toml is no file with a layout."


def of_another(own: Path) -> str:
    own.write_text(MINE.replace("jobs", "works"))
    return "jobs.db is not of the layout “mine”: "


@pytest.mark.parametrize("spoil", [no_toml, no_file, of_another])
async def test_a_layout_that_does_not_fit_is_refused_and_all_that_is_shown_stays(
    tmp_path: Path, own: Path, spoil: Callable[[Path], str]
) -> None:
    sentence = spoil(own)
    async with an_inspector() as inspector:
        await shown_on(inspector, close_names(tmp_path / "jobs.db"))
        reader = inspector.session.reader_pid
        await choose(inspector, own)
        await until(lambda: sentence in messages(inspector))

        assert "What is shown stays as it was read." in messages(inspector)
        assert inspector.session.reader_pid == reader
        assert inspector.window.views.tasks.rows.rowCount() == 3
        assert (inspector.selection.task_id, chosen(inspector)) == ("second", ["Found by itself"])

        describe(own, "mine")
        await choose(inspector, own)
        await until(lambda: layout_of(inspector) == "mine")
        assert sentence not in messages(inspector)


async def test_a_private_copy_is_called_by_the_name_of_its_file_and_stays_one(tmp_path: Path, own: Path) -> None:
    sentence = of_another(own)
    async with an_inspector() as inspector:
        await shown_on(inspector, close_names(tmp_path / "jobs.db"), mode=Mode.COPY)
        await choose(inspector, own)
        await until(lambda: sentence in messages(inspector))
        assert "copy.db" not in messages(inspector)

        describe(own, "mine")
        await choose(inspector, own)
        await until(lambda: layout_of(inspector) == "mine")
        assert inspector.session.how is not None
        assert inspector.session.how.mode is Mode.COPY


async def test_a_guess_is_saved_into_a_new_file_to_be_corrected_and_opened_with(tmp_path: Path) -> None:
    saved = tmp_path / "guess.toml"
    async with an_inspector() as inspector:
        await shown_on(inspector, close_names(tmp_path / "jobs.db"))
        await take(inspector, "Save layout…", tmp_path / "guess")
        await until(lambda: inspector.window.statusBar().currentMessage() == f"Saved as {saved}.")
        text = read(saved)
        assert text == toml_of(description_from(text, "it"))

        await take(inspector, "Save layout…", saved)
        await until(lambda: f"{saved} is there already and is left as it is: name a new one." in messages(inspector))
        assert read(saved) == text

        write(saved, text.replace("guessed from its names", "mine"))
        await choose(inspector, saved)
        await until(lambda: layout_of(inspector) == "mine")
        assert "is there already" not in messages(inspector)


async def test_a_native_file_has_no_layout_to_save(tmp_path: Path) -> None:
    async with an_inspector() as inspector:
        inspector.window.show()
        inspector.open(Target(make(tmp_path / "native.db", "t")))
        await until(lambda: bool(inspector.window.findChildren(WindowActions)) and bool(inspector.session.how))
        assert entries(inspector)["Open with a layout…"].isEnabled()
        assert not entries(inspector)["Save layout…"].isEnabled()
        assert "there is nothing to save" in entries(inspector)["Save layout…"].toolTip()


async def test_without_a_file_it_is_off_and_says_so(tmp_path: Path, own: Path) -> None:
    async with an_inspector() as inspector:
        await shown_on(inspector, close_names(tmp_path / "jobs.db"), own)
        assert chosen(inspector) == ["mine && yours.toml"]
        assert all(each.isEnabled() for each in entries(inspector).values())
        [actions] = inspector.window.findChildren(WindowActions)
        actions.close_file.trigger()

        assert menu_of(inspector).toolTipsVisible()
        assert list(entries(inspector)) == ["Found by itself", "Open with a layout…", "Save layout…"]
        for each in entries(inspector).values():
            assert not each.isEnabled()
            assert "No database is open." in each.toolTip()


async def test_a_layout_is_tried_on_the_file_in_a_process_that_ends(tmp_path: Path, own: Path) -> None:
    native, other = make(tmp_path / "native.db", "t"), close_names(tmp_path / "jobs.db")
    assert await refusal_of(Target(other, layout=own)) is None
    assert str(await refusal_of(Target(native, layout=own))).startswith("native.db is not of the layout “mine”: ")
    assert await refusal_of(Target(other), within_s=0.0) == "The file could not be opened like this within 0 s."


async def test_a_layout_that_was_tried_for_a_file_is_not_for_another(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    async def slow(target: Target) -> None:
        tried.append(target.path)
        inspector.open(Target(tmp_path / "native.db"))

    make(tmp_path / "native.db", "t")
    monkeypatch.setattr(open_with_layout, "refusal_of", slow)
    async with an_inspector() as inspector:
        await shown_on(inspector, close_names(tmp_path / "jobs.db"))
        await choose(inspector, own)
        await until(lambda: inspector.window.views.tasks.rows.rowCount() == 1)
        assert tried == [tmp_path / "jobs.db"]
        assert inspector.session.target == Target(tmp_path / "native.db")
