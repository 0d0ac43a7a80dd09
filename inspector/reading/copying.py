"""A whole copy of a database as a new file, consistent also while a service writes: for ``recover --to``."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from inspector.layout.opened import Mode
from inspector.layout.visible import visible
from inspector.reading.archive_kinds import Archive
from inspector.reading.beside import why_not_new
from inspector.reading.companions import SUFFIXES
from inspector.reading.errors import SqliteTrouble, Unreadable, sentence_of
from inspector.reading.opening import look_at
from inspector.reading.private_copy import copy_files, settle_journal
from inspector.reading.whole_copies import copy_live, take_in_companions

_TAKES_IN: Final = (Mode.CRASHED, Mode.COPY)


class NotCopied(Exception):
    """The copy was not made, because of where it should go. Nothing of it is left. ``sentence`` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def copy_database(
    path: str | os.PathLike[str], to: str | os.PathLike[str], *, should_stop: Callable[[], bool] = lambda: False
) -> None:
    """Copy the database at ``path`` to the new file ``to``, with all that its -wal holds, as of one moment.

    Nothing at or beside ``path`` is changed; nothing but ``to`` itself is left at the target. Raises Unreadable where
    the database cannot be read, NotCopied where ``to`` or a companion of it exists or cannot be made. Opens and closes
    the file: not for a process with a connection to it.
    """
    target = Path(os.path.realpath(Path(to).parent)) / Path(to).name
    name = visible(target.name)
    for taken in (target, *_beside(target)):
        if os.path.lexists(taken):
            raise NotCopied(f"{visible(taken.name)} exists already: a copy is made only where nothing is.")
    why_not = why_not_new(target, Path(path))
    if why_not is not None:
        raise NotCopied(why_not)
    if any(_is_too_long(each) for each in _beside(target)):
        raise NotCopied(
            f"{name} cannot be made: SQLite keeps files beside it whose names would be too long. Name it shorter."
        )
    look = look_at(path)
    try:
        target.open("xb").close()
    except OSError as error:
        raise NotCopied(f"{name} cannot be made: {error.strerror}.") from error
    try:
        if look.archive is not None:
            _unpack(look.archive, target, should_stop)
        elif look.mode is Mode.LIVE:
            copy_live(look.path, str(target))
        else:
            copy_files(look.path, str(target), look.name, should_stop=should_stop)
            if look.mode in _TAKES_IN:
                take_in_companions(str(target))
    except SqliteTrouble as error:
        _remove(target)
        raise Unreadable(sentence_of(error, look.name)) from error
    except BaseException:
        _remove(target)
        raise


def _unpack(archive: Archive, target: Path, should_stop: Callable[[], bool]) -> None:
    # Few copies are made of what lies in an archive.
    from inspector.reading.unpacking import unpack  # noqa: PLC0415

    unpacked = unpack(archive, str(target), should_stop=should_stop)
    if not unpacked.is_whole:
        raise Unreadable(f"{unpacked.name} is not copied, since not all of it can be had. {' '.join(unpacked.notes)}")
    settle_journal(str(target))
    take_in_companions(str(target))


def _beside(target: Path) -> tuple[Path, ...]:
    return tuple(target.with_name(target.name + suffix) for suffix in SUFFIXES)


def _is_too_long(path: Path) -> bool:
    try:
        path.lstat()
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG
    return False


def _remove(target: Path) -> None:
    for made in (target, *_beside(target)):
        made.unlink(missing_ok=True)
