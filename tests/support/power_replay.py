"""What a loss of power leaves on a disk, worked out from what was asked of it.

A file's bytes are durable once it was synced. Of what was asked after that, anything may be there: nothing, all, some
writes and not others, some sectors of a write; where a file grew and its bytes did not arrive, zeros or other bytes.
A write changes no byte beside its own (SQLite counts on this "powersafe overwrite").

A name in the folder is durable once the folder was synced. Of what was made and removed under a name after that, any
beginning may be there, for each name by itself: a file that was removed may be back, with what it held.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.support.apsw_disk import Kind, Op

SECTOR_BYTES: Final = 512

_MOODS: Final = ("nothing", "all", "a beginning", "some", "torn", "torn", "junk")


@dataclass(slots=True)
class _Pending:
    op: Op
    is_lost: bool = False
    """Its sync has failed: the system has thrown it away and a later sync knows nothing of it."""


@dataclass(slots=True)
class _Node:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[_Pending] = field(default_factory=list)

    def sync(self) -> None:
        for pending in self.pending:
            if not pending.is_lost:
                _apply(self.durable, pending.op)
        self.pending.clear()

    def survivor(self, chance: random.Random) -> bytes:
        """Return what is there when the power is back."""
        mood = chance.choice(_MOODS)
        left = bytearray(self.durable)
        if mood == "nothing":
            return bytes(left)
        ops = [pending.op for pending in self.pending]
        if mood == "a beginning":
            ops = ops[: chance.randint(0, len(ops))]
        for op in ops:
            if mood in ("all", "a beginning"):
                _apply(left, op)
            elif mood == "some" or op.kind is Kind.TRUNCATE:
                if chance.random() < 0.5:
                    _apply(left, op)
            else:
                _apply_torn(left, op, chance, leaves_junk=mood == "junk")
        return bytes(left)


class PowerLoss:
    """The ops of a disk, played up to a crash point; points are asked for in rising order.

    ``removals_last`` takes a removed file as gone for good at once, as a folder does that syncs each change.
    """

    def __init__(self, before: Mapping[str, bytes], ops: Sequence[Op], *, removals_last: bool = False) -> None:
        self._ops = ops
        self._played = 0
        self._removals_last = removals_last
        self._nodes = {node: _Node(bytearray(held)) for node, held in enumerate(before.values())}
        self._names: dict[str, int] = {name: node for node, name in enumerate(before)}
        self._moves: list[tuple[str, int | None]] = []

    def at(self, position: int, chance: random.Random) -> dict[str, bytes]:
        """Return the files that are there after the first ``position`` ops and a loss of power, with their bytes."""
        while self._played < position:
            self._play(self._ops[self._played])
            self._played += 1
        names = dict(self._names)
        for name in sorted({name for name, _ in self._moves}):
            moves = [node for moved, node in self._moves if moved == name]
            for node in moves[: chance.randint(0, len(moves))]:
                _move(names, name, node)
        return {name: self._nodes[node].survivor(chance) for name, node in names.items()}

    def _play(self, op: Op) -> None:
        match op.kind:
            case Kind.CREATE:
                self._nodes[op.node] = _Node()
                self._moves.append((op.name, op.node))
            case Kind.DELETE:
                self._moves.append((op.name, None))
                if self._removals_last:
                    self._sync_folder(only=op.name)
            case Kind.WRITE | Kind.TRUNCATE:
                self._nodes[op.node].pending.append(_Pending(op))
            case Kind.SYNC:
                self._nodes[op.node].sync()
            case Kind.FAILED_SYNC:
                for pending in self._nodes[op.node].pending:
                    pending.is_lost = True
        if op.syncs_folder:
            self._sync_folder()

    def _sync_folder(self, only: str | None = None) -> None:
        for name, node in self._moves:
            if only in (None, name):
                _move(self._names, name, node)
        self._moves = [(name, node) for name, node in self._moves if only not in (None, name)]


def _move(names: dict[str, int], name: str, node: int | None) -> None:
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def _apply(held: bytearray, op: Op) -> None:
    if op.kind is Kind.TRUNCATE:
        del held[op.offset :]
        held.extend(bytes(op.offset - len(held)))
    else:
        held.extend(bytes(max(0, op.offset + len(op.data) - len(held))))
        held[op.offset : op.offset + len(op.data)] = op.data


def _apply_torn(held: bytearray, op: Op, chance: random.Random, *, leaves_junk: bool) -> None:
    """Write some sectors of the op. Where the file has grown and its bytes did not arrive, it holds something else."""
    end = op.offset + len(op.data)
    start = op.offset
    while start < end:
        stop = min(end, (start // SECTOR_BYTES + 1) * SECTOR_BYTES)
        piece = op.data[start - op.offset : stop - op.offset]
        if chance.random() < 0.5:
            _apply(held, Op(Kind.WRITE, op.name, op.node, start, piece))
        elif leaves_junk and stop > len(held):
            _apply(held, Op(Kind.WRITE, op.name, op.node, start, chance.randbytes(len(piece))))
        start = stop
