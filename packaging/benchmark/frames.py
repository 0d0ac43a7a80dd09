"""A frame of the Tasks table while it scrolls over a database, against a plain QTableView with the plainest ``data()``.

Bar 9. Run by itself it prints what it measured as JSON: ``frames.py DB``. Both show the same rows in the same size and
are painted whole at each step; they take turns, and the second turn of the same table shows how far chance goes.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QTableView
from verdicts import Databases, Verdict

from inspector.desktop.app import run
from inspector.desktop.composition import Inspector
from inspector.desktop.session.launch import Target
from inspector.desktop.settings import Settings

LIMIT, LIMIT_99 = 0.45, 2.0
ROUNDS, FRAMES = 9, 40
LOADED_WITHIN_S = 60.0

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Frames:
    """What was measured."""

    platform: str
    rows: int
    ratio: float
    """The median of the rounds."""
    control: float
    """The table against itself."""
    late: float
    """The 99th percentile of its frames, each as a multiple of the median of its round."""
    frame_ms: float


class NaiveModel(QAbstractTableModel):
    """As many rows, whose texts are there already, given as most give them: the role is looked up in ``data()``."""

    def __init__(self, texts: Sequence[Sequence[str]], rows: int) -> None:
        super().__init__()
        self._texts = texts
        self._rows = rows

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._texts[0])

    def data(self, index: Index, role: int = Qt.DisplayRole) -> str | None:
        if role == Qt.DisplayRole:
            return self._texts[index.row() % len(self._texts)][index.column()]
        return None


def frames_of(table: QTableView, first: int) -> list[float]:
    """Scroll ``table`` from row ``first`` on, by two rows and a half at a time, and return what each frame took."""
    took = []
    bar, height = table.verticalScrollBar(), table.rowHeight(0)
    for step in range(FRAMES):
        started = time.perf_counter()
        bar.setValue(first * height + step * height * 5 // 2)
        table.viewport().repaint()
        took.append((time.perf_counter() - started) * 1_000)
    return took


async def _loaded(inspector: Inspector, first: int) -> None:
    """Go to row ``first``, and wait until it and those below it are loaded."""
    tasks = inspector.window.views.tasks
    bar, height = tasks.table.verticalScrollBar(), tasks.table.rowHeight(0)
    async with asyncio.timeout(LOADED_WITHIN_S):
        for row in (first + 100, first):
            # The scroll bar learns of new rows when the table is laid out, a moment after them.
            while bar.maximum() < row * height:
                await asyncio.sleep(0.01)
            bar.setValue(row * height)
            while tasks.rows.missing(row, row + 40) or tasks.rows.missing(*tasks.table.shown_rows()):
                await asyncio.sleep(0.01)


def _naive(inspector: Inspector, first: int) -> QTableView:
    """Return the other arm, on the texts of the rows from ``first`` on."""
    tasks = inspector.window.views.tasks
    model, columns = tasks.rows, range(tasks.rows.columnCount())
    texts = [[str(model.index(row, column).data()) for column in columns] for row in range(first, first + 100)]
    table = QTableView()
    naive = NaiveModel(texts, model.rowCount())
    naive.setParent(table)
    table.setModel(naive)
    table.setWordWrap(False)
    table.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.verticalHeader().setDefaultSectionSize(tasks.table.rowHeight(0))
    for column in columns:
        table.setColumnWidth(column, tasks.table.columnWidth(column))
    table.resize(tasks.table.size())
    table.show()
    return table


async def _measure(inspector: Inspector, database: Path) -> Frames:
    tasks = inspector.window.views.tasks
    inspector.window.show()
    inspector.open(Target(database))
    async with asyncio.timeout(LOADED_WITHIN_S):
        while not tasks.rows.rowCount() or tasks.rows.canFetchMore(QModelIndex()):
            await asyncio.sleep(0.01)
    rows = tasks.rows.rowCount()
    if rows < 400:
        raise SystemExit("A database with so few tasks does not scroll.")
    ratios, controls, ours, medians = [], [], [], []
    for _ in range(ROUNDS):
        first = random.randrange(rows - 300)
        await _loaded(inspector, first)
        other = _naive(inspector, first)
        await asyncio.sleep(0.05)
        frames_of(tasks.table, first)
        one, naive, again = frames_of(tasks.table, first), frames_of(other, first), frames_of(tasks.table, first)
        other.close()
        other.deleteLater()
        # Each round beside its own median: between two rounds the machine's speed may change.
        ours += [frame / statistics.median(one) for frame in one]
        medians.append(statistics.median(one))
        ratios.append(statistics.median(one) / statistics.median(naive))
        controls.append(statistics.median(again) / statistics.median(one))
    return Frames(
        platform=os.environ["QT_QPA_PLATFORM"],
        rows=rows,
        ratio=statistics.median(ratios),
        control=statistics.median(controls),
        late=statistics.quantiles(ours, n=100)[98],
        frame_ms=statistics.median(medians),
    )


def frames_on(database: Path) -> Frames:
    """Open ``database`` in the window, scroll at nine places of it, and return the frames. Once in a process."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    found: list[Frames] = []

    async def use(inspector: Inspector) -> None:
        found.append(await _measure(inspector, database))

    run(use, Settings(None))
    return found[0]


def measure(on: Databases) -> list[Verdict]:
    """Return the verdicts, of a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, str(on.big)], stdout=subprocess.PIPE, check=True, text=True, timeout=300
    )
    frames = Frames(**json.loads(done.stdout))
    note = f"{frames.frame_ms:.1f} ms, {frames.platform}, {frames.rows:,} tasks"
    return [
        Verdict(
            "9 frame while scrolling, beside a plain QTableView",
            frames.ratio,
            LIMIT,
            frames.control,
            note=note,
        ),
        Verdict("9 frame while scrolling, 99 % beside the median", frames.late, LIMIT_99, frames.control),
    ]


if __name__ == "__main__":
    print(json.dumps(asdict(frames_on(Path(sys.argv[1])))))
