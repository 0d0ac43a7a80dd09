"""The files of the models: looked at cheaply, and hashed on request, on a thread of their own.

Only model files are opened here, never the database: closing a descriptor of it would drop this process's locks on it.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from inspector.layout.files import FileCheck, FileState
from inspector.layout.rows import ModelRow
from inspector.reading.model_files import check_file, verify_file

_TELL_EVERY_S: Final = 0.1
_LOOK_EVERY_S: Final = 2.0


class FileChecks(QObject):
    """What is known of each model's file. One file is hashed at a time, in the order asked.

    Signals, all on the GUI thread:
        states_changed: carries the checks by model id.
        progressed: carries model id, bytes done, bytes in all, bytes per second, and how many files wait.
        ended: nothing is being hashed any more.
    """

    states_changed = Signal(object)
    progressed = Signal(str, object, object, float, int)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._checks: dict[str, FileCheck] = {}
        self._seen: dict[str, ModelRow] = {}
        self._waiting: list[ModelRow] = []
        self._stop = threading.Event()
        self._work: set[asyncio.Task[None]] = set()
        self._hashing = False
        self._looked_at_s = -_LOOK_EVERY_S
        self._database: Path | None = None
        self._thread = ThreadPoolExecutor(max_workers=2, thread_name_prefix="model-file")

    def look_at(self, models: Sequence[ModelRow]) -> None:
        """Look at the files of these models without reading them: at new ones at once, at all every two seconds.

        What was verified stays known as long as the file has the size and the time that it had then.
        """
        fresh = [model for model in models if not _same_file(self._seen.get(model.id), model)]
        self._seen.update((model.id, model) for model in fresh)
        now_s = time.monotonic()
        if now_s - self._looked_at_s >= _LOOK_EVERY_S:
            self._looked_at_s = now_s
            fresh = list(models)
        if fresh:
            self._start(self._look(fresh))
        else:
            self.states_changed.emit(dict(self._checks))

    def set_database(self, path: Path) -> None:
        """Say which database the models are from: a model whose path leads to that file is never opened here."""
        self._database = path

    def verify(self, models: Sequence[ModelRow]) -> None:
        """Hash the files of these models, after those that wait already."""
        waiting = {model.id for model in self._waiting}
        wanted = (model for model in models if model.id not in waiting)
        self._waiting += [model for model in wanted if not _is_part_of(self._database, model.path)]
        if self._waiting and not self._hashing:
            self._hashing = True
            self._stop.clear()
            self._start(self._hash_all())

    def stop(self) -> None:
        """Stop hashing, within one read of one mebibyte; what was verified stays known."""
        self._waiting.clear()
        self._stop.set()

    def forget(self) -> None:
        """Stop, and forget all files: another database is open now."""
        self.stop()
        self._checks.clear()
        self._seen.clear()
        self._looked_at_s = -_LOOK_EVERY_S

    async def closed(self) -> None:
        """Stop, and wait until no thread reads a file."""
        self.stop()
        if self._work:
            await asyncio.wait(self._work)
        self._thread.shutdown(wait=False)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _look(self, models: Sequence[ModelRow]) -> None:
        for model in models:
            check = await self._beside(partial(check_file, model, now_ms=_now_ms()))
            if _same_file(self._seen.get(model.id), model):
                self._checks[model.id] = _newer(self._checks.get(model.id), check)
        self.states_changed.emit(dict(self._checks))

    async def _hash_all(self) -> None:
        try:
            while self._waiting and not self._stop.is_set():
                model = self._waiting.pop(0)
                check = await self._beside(partial(self._hash, model, len(self._waiting)))
                if _same_file(self._seen.get(model.id), model):
                    self._checks[model.id] = check
                    self.states_changed.emit(dict(self._checks))
        finally:
            self._hashing = False
            self.ended.emit()

    async def _beside(self, work: Callable[[], FileCheck]) -> FileCheck:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _hash(self, model: ModelRow, waiting: int) -> FileCheck:
        started = told = time.monotonic()
        total = model.size_bytes or 0

        def tell(done: int) -> None:
            nonlocal told
            now = time.monotonic()
            if now - told >= _TELL_EVERY_S:
                told = now
                self.progressed.emit(model.id, done, total, done / (now - started), waiting)

        self.progressed.emit(model.id, 0, total, 0.0, waiting)
        finding = verify_file(model.path, model.digest, model.size_bytes, progress=tell, should_stop=self._stop.is_set)
        return finding.check_of(model.id, _now_ms())


def _same_file(old: ModelRow | None, new: ModelRow) -> bool:
    return old is not None and (old.path, old.digest, old.size_bytes) == (new.path, new.digest, new.size_bytes)


def _newer(old: FileCheck | None, new: FileCheck) -> FileCheck:
    """Return what is known after another look: a look alone does not undo what reading the file has shown."""
    if old is None or old.found_digest is None or new.state is not FileState.UNCHECKED:
        return new
    unchanged = (old.found_size, old.modified_at_ms) == (new.found_size, new.modified_at_ms)
    return old if unchanged else new


def _is_part_of(database: Path | None, path: str) -> bool:
    """Say whether the path leads to the database or what lies beside it: closing it would drop an action's locks."""
    if database is None:
        return False
    parts = (database, *(Path(f"{database}{suffix}") for suffix in ("-wal", "-shm", "-journal")))
    try:
        return any(part.exists() and part.samefile(path) for part in parts)
    except (OSError, ValueError):
        return False


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
