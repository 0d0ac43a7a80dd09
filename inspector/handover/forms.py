"""The two forms of an export: lines of JSON in one file, and a CSV file for each table in a folder."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from inspector.handover.cells import COLUMNS, Cell
from inspector.handover.csv_rows import csv_row
from inspector.handover.ndjson import document_line, line_of
from inspector.handover.targets import NewFile, new_file, new_folder
from inspector.layout.whole import Part


class Form(StrEnum):
    """What an export is written as."""

    NDJSON = "ndjson"
    """One file of lines, each a JSON object with a ``type``."""
    CSV = "csv"
    """A folder with a file for each table, and ``about.json``."""


class Sheet(Protocol):
    """What an export is written onto."""

    def begin(self, about: Mapping[str, object]) -> None:
        """Write what is known before the rows."""

    def write(self, part: Part, cells: Sequence[Cell]) -> None:
        """Write one row."""

    def end(self, ending: Mapping[str, object]) -> tuple[str, ...]:
        """Write what is known after the rows; return the names of the files in the folder, none for a single file."""


_TYPES: Final = {Part.MODELS: "model", Part.TASKS: "task", Part.RESPONSES: "response", Part.EVENTS: "event"}

_ABOUT: Final = "about.json"


@contextmanager
def new_sheet(form: Form, path: Path, parts: Sequence[Part], *, private: bool) -> Iterator[Sheet]:
    """Give what an export in this form is written onto; it is at ``path`` when the block has ended. Raises NotWritten.

    ``parts`` are the tables that it has, also where they have no rows.
    """
    match form:
        case Form.NDJSON:
            with new_file(path, private=private) as file:
                yield _Lines(file)
        case Form.CSV:
            with new_folder(path, private=private) as folder, ExitStack() as files:
                sheet = _Tables(folder, path, parts, private=private)
                files.callback(sheet.close)
                yield sheet


class _Lines:
    """One file of lines."""

    def __init__(self, file: NewFile) -> None:
        self._file = file

    def begin(self, about: Mapping[str, object]) -> None:
        self._file.write(document_line("about", about))

    def write(self, part: Part, cells: Sequence[Cell]) -> None:
        self._file.write(line_of(_TYPES[part], COLUMNS[part], cells))

    def end(self, ending: Mapping[str, object]) -> tuple[str, ...]:
        self._file.write(document_line("end", ending))
        return ()


class _Tables:
    """A file for each table."""

    def __init__(self, folder: Path, path: Path, parts: Sequence[Part], *, private: bool) -> None:
        self._about: dict[str, object] = {}
        self._files: dict[str, NewFile] = {}
        try:
            for name in (_ABOUT, *(f"{part}.csv" for part in parts)):
                self._files[name] = NewFile(folder / name, path / name, private=private)
        except BaseException:
            self.close()
            raise
        self._writers = {part: csv.writer(self._files[f"{part}.csv"], quoting=csv.QUOTE_ALL) for part in parts}

    def begin(self, about: Mapping[str, object]) -> None:
        self._about |= about
        for part, writer in self._writers.items():
            writer.writerow(COLUMNS[part])

    def write(self, part: Part, cells: Sequence[Cell]) -> None:
        self._writers[part].writerow(csv_row(cells))

    def end(self, ending: Mapping[str, object]) -> tuple[str, ...]:
        self._files[_ABOUT].write(f"{json.dumps({**self._about, **ending}, indent=1)}\n")
        for file in self._files.values():
            file.finish()
        return tuple(self._files)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
