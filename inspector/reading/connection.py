"""The one place of the read side that connects to a database: hardened by faults.md 3.1.

The file is not trusted. Nothing can be written or attached, no function but SQLite's own can be called, every query
has a deadline, and every cursor is fetched to its end, so that no checkpoint of the service waits for us.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Final, Protocol, TypeAlias

from inspector.lmsp.values import value
from inspector.reading.errors import NotOpened, TookTooLong, primary_code
from inspector.reading.secrets import hiding
from inspector.reading.uri import uri_of

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Value, ...]
Parameters: TypeAlias = Sequence[Value] | Mapping[str, Value]

LONGEST_VALUE: Final = 16 << 20
"""SQLite gives up on a text or blob above this many bytes."""

LONGEST_SHORT_VALUE: Final = 64 << 10
"""The same for what stands in lists."""

MOST_VARIABLES: Final = 999

_BUSY_S: Final = 0.25
_TOO_LONG: Final = "This took too long to read and was stopped."
_OPS_BETWEEN_LOOKS: Final = 1_000

_LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST_VALUE,
    # A schema is parsed under these too, and one beyond them counts as malformed: as large as SQLite has them itself.
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: LONGEST_VALUE,
    sqlite3.SQLITE_LIMIT_COLUMN: 2_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 1_000,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 500,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 127,
    # These are of statements alone.
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 256,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: MOST_VARIABLES,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}

_PRAGMAS: Final = ("trusted_schema=OFF", "query_only=ON", "mmap_size=0", "cell_size_check=ON", "temp_store=MEMORY")

_SWITCHES: Final = (
    ("SQLITE_DBCONFIG_DEFENSIVE", True),
    ("SQLITE_DBCONFIG_TRUSTED_SCHEMA", False),
    ("SQLITE_DBCONFIG_ENABLE_TRIGGER", False),
    ("SQLITE_DBCONFIG_ENABLE_VIEW", False),
    ("SQLITE_DBCONFIG_DQS_DML", False),
    ("SQLITE_DBCONFIG_DQS_DDL", False),
)

_READS: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_TRANSACTION}
)
_FORBIDDEN_FUNCTIONS: Final = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
_PLAIN_PRAGMAS: Final = frozenset(
    {"data_version", "schema_version", "user_version", "application_id", "page_count", "page_size", "encoding"}
)
_TABLE_PRAGMAS: Final = frozenset(
    {"table_xinfo", "index_list", "index_xinfo", "foreign_key_list", "quick_check", "integrity_check"}
)


VIRTUAL: Final = 2
"""What ``PRAGMA table_xinfo`` calls a generated column that is not stored."""


class StoredBytes(bytes):
    """A text as its bytes, where a blob is told from it."""

    __slots__ = ()


def decoded(raw: bytes) -> str:
    r"""Return stored text; bytes that are no UTF-8 become ``\xNN``."""
    return raw.decode("utf-8", "backslashreplace")


@value
class Allowances:
    """What a connection lets a file get away with, since it could not be read otherwise."""

    functions: bool = False
    """Its schema calls functions, JSON's for one, that SQLite then takes for unsafe."""
    damage: bool = False
    """It is shorter than it says, or a part of its schema cannot be understood: the rest is read all the same."""


SCHEMA: Final = "main.sqlite_schema"
"""The table of the schema, for a FROM."""


class Reads(Protocol):
    """What a check needs of a connection: ours here, or any other one that a few lines make look like it."""

    schema: str
    """The table of the schema, for a FROM: where a part of it is damaged the rows before that part."""

    def rows(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Run one statement and return all its rows."""

    def one_moment(self) -> AbstractContextManager[None]:
        """Let all reads of the block see the database as of one moment."""


NOTHING_ALLOWED: Final = Allowances()


class ReadConnection:
    """A connection that only reads, for one thread. Raises sqlite3.Error or UnicodeError where SQLite does."""

    schema: str = SCHEMA
    """The table of the schema, for a FROM: where a part of it is damaged the rows before that part."""
    has_in_memory: bool = False
    """Whether something in memory may stand before the file's own names (see in_memory)."""

    def __init__(
        self,
        path: str,
        options: str,
        *,
        allowed: Allowances = NOTHING_ALLOWED,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Connect to ``path`` with the URI ``options`` (``mode=ro`` and the like).

        Whatever is ``allowed``, the authorizer stays. ``should_stop`` ends a running query when it answers True.
        """
        self.ends_at: float | None = None
        """The moment at which every query is stopped, by time.monotonic; None for never."""
        self.holds_back = "immutable=1" not in options
        """Whether a checkpoint may wait for what is read: then a read is short, and what takes long is many reads."""
        self.common: set[str] = set()
        """Models that many tasks name, as was found: that is asked once, since it only decides what is quicker."""
        self.last_log: tuple[object, bool] | None = None
        """Of which log it was asked last whether its numbers lead to its events, and the answer (see places)."""
        self.is_damaged = allowed.damage
        """Whether the file could be read only by way of what is allowed for damage."""
        self._longest = LONGEST_VALUE
        self._should_stop = should_stop
        self._db = sqlite3.connect(
            uri_of(path, options), uri=True, isolation_level=None, timeout=_BUSY_S, cached_statements=64
        )
        try:
            self._harden(allowed)
        except BaseException:
            self._db.close()
            raise

    def _harden(self, allowed: Allowances) -> None:
        left_alone = {
            "SQLITE_DBCONFIG_TRUSTED_SCHEMA": allowed.functions,
            # It would switch writable_schema off again.
            "SQLITE_DBCONFIG_DEFENSIVE": allowed.damage,
        }
        if hasattr(self._db, "setconfig"):  # Python 3.12 and later
            for switch, wanted in _SWITCHES:
                if not left_alone.get(switch):
                    self._db.setconfig(getattr(sqlite3, switch), wanted)
        for limit, most in _LIMITS.items():
            self._db.setlimit(limit, most)
        for pragma in _PRAGMAS:
            self._db.execute(f"PRAGMA {pragma}").fetchall()
        if allowed.functions:
            self._db.execute("PRAGMA trusted_schema=ON").fetchall()
        if allowed.damage:
            # SQLite's own way to read what it would refuse as a whole. Nothing is written: query_only, authorizer.
            self._db.execute("PRAGMA writable_schema=ON").fetchall()
        self._db.set_progress_handler(self._is_over, _OPS_BETWEEN_LOOKS)
        self._db.set_authorizer(_reads_only)

    def rows(
        self,
        sql: str,
        parameters: Parameters = (),
        *,
        keep: Callable[[Row], object] | None = None,
        longest: int = LONGEST_VALUE,
    ) -> list[Row]:
        """Run one statement and return all its rows, or those for which ``keep`` is true, asked in their order.

        Raises TookTooLong where the deadline passed, also before the statement: a question may ask many short ones.
        Raises sqlite3.DataError where a value has more than ``longest`` bytes: many rows have no room for long ones.
        """
        if self.ends_at is not None and time.monotonic() > self.ends_at:
            raise TookTooLong(_TOO_LONG)
        if longest != self._longest:
            # It stays until another one is wanted: the same question is often asked again.
            self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
            self._longest = longest
        try:
            return self._fetched(sql, parameters, keep)
        except sqlite3.OperationalError as error:
            self._tell_interruption(error)
            if getattr(error, "sqlite_errorcode", None) is not None:
                raise
        # Only a text that is no UTF-8 ends in an error without a code. Decoding each text here costs half the speed.
        self._db.text_factory = decoded
        try:
            return self._fetched(sql, parameters, keep)
        finally:
            self._db.text_factory = str

    def _fetched(self, sql: str, parameters: Parameters, keep: Callable[[Row], object] | None) -> list[Row]:
        cursor = self._db.execute(sql, parameters)
        try:
            return cursor.fetchall() if keep is None else list(filter(keep, cursor))
        finally:
            cursor.close()

    def each(
        self, sql: str, parameters: Parameters, take: Callable[[Row], bool], *, longest: int = LONGEST_VALUE
    ) -> tuple[str, ...]:
        """Give the rows of one statement to ``take``, one by one, until it says no; return the names of the columns.

        A text comes as StoredBytes. Raises as :meth:`rows` does; ``take`` was given the rows before.
        """
        if self.ends_at is not None and time.monotonic() > self.ends_at:
            raise TookTooLong(_TOO_LONG)
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        self._longest = longest
        self._db.text_factory = StoredBytes
        try:
            cursor = self._db.execute(sql, parameters)
            try:
                names = tuple(column[0] for column in cursor.description or ())
                for row in cursor:
                    if not take(row):
                        break
            finally:
                cursor.close()
        except sqlite3.OperationalError as error:
            self._tell_interruption(error)
            raise
        finally:
            self._db.text_factory = str
        return names

    @contextmanager
    def secrets_hidden(self) -> Iterator[None]:
        """Let secrets be NULL, and no transaction begin, for what is asked in the block.

        JSON may be taken apart in it: SQLite makes the tables for that when they are first named, which is no reading.
        """
        self._db.set_authorizer(None)
        with suppress(sqlite3.Error):
            self._db.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')").close()
        self._db.set_authorizer(hiding(_reads_only))
        try:
            yield
        finally:
            self._db.set_authorizer(_reads_only)

    def value(self, sql: str, parameters: Parameters = ()) -> Value:
        """Run one statement and return the first column of its first row, or None."""
        found = self.rows(sql, parameters)
        return found[0][0] if found else None

    def data_version(self) -> int:
        """Return a number that is another one after each commit of another connection. Asked most of all: no detours.

        Raises sqlite3.Error.
        """
        found: int = self._db.execute("PRAGMA data_version").fetchall()[0][0]
        return found

    def within(self, deadline_ms: float) -> AbstractContextManager[None]:
        """Stop every query in the block when ``deadline_ms`` have passed, or at the end of a block around it."""
        return _Deadline(self, time.monotonic() + deadline_ms / 1000)

    def one_moment(self) -> AbstractContextManager[None]:
        """Let all reads of the block see the database as of one moment. Short: a checkpoint waits for its end."""
        # What nobody can change is of one moment without a transaction.
        return _Moment(self._db) if self.holds_back else nullcontext()

    def blob_slice(self, table: str, column: str, rowid: int, most: int) -> tuple[bytes, int]:
        """Return the first ``most`` bytes of a text or blob of any size, and its whole length in bytes.

        Raises NotOpened where it cannot be opened by itself.
        """
        name = table.replace("`", "``")
        if any(row[6] == VIRTUAL for row in self.rows(f"PRAGMA main.table_xinfo(`{name}`)")):
            # Older versions of SQLite count columns wrongly behind such a one, and open another one's value.
            raise NotOpened(table)
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        self._longest = LONGEST_VALUE
        try:
            with self._db.blobopen(table, column, rowid, readonly=True) as blob:
                return blob.read(most), len(blob)
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_ERROR:
                raise
            raise NotOpened(table) from error

    def make_in_memory(self, *statements: str) -> None:
        """Run statements of ours that make or drop what is in memory, for this connection alone (see in_memory).

        Raises sqlite3.Error.
        """
        self.has_in_memory = True
        self._db.set_authorizer(None)
        try:
            self._db.execute("PRAGMA query_only=OFF").fetchall()
            for statement in statements:
                self._db.execute(statement).close()
        finally:
            self._db.execute("PRAGMA query_only=ON").fetchall()
            self._db.set_authorizer(_reads_only)

    def backup_to(self, target: sqlite3.Connection) -> None:
        """Copy the whole database into ``target``, as of one moment, also while a service writes.

        Raises sqlite3.Error, also where another process keeps the file locked.
        """
        # Python's backup waits for a lock without end; one that is held already it does not wait for.
        self._db.execute("BEGIN")
        try:
            self._db.execute("PRAGMA schema_version").fetchall()
            self._db.backup(target, pages=-1)
        finally:
            self._db.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection; more than once does no harm."""
        self._db.close()

    def _tell_interruption(self, error: sqlite3.OperationalError) -> None:
        """Raise what a query was ended by. SQLite drops what a signal raises while it asks us whether to go on."""
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise (TookTooLong(_TOO_LONG) if self._is_over() else KeyboardInterrupt) from error

    def _is_over(self) -> int:
        late = self.ends_at is not None and time.monotonic() > self.ends_at
        return int(late or self._should_stop())


class _Deadline:
    """A block of :meth:`ReadConnection.within`. Asked for at each question, where a generator would take its time."""

    __slots__ = ("_connection", "_earlier", "_ends_at")

    def __init__(self, connection: ReadConnection, ends_at: float) -> None:
        self._connection = connection
        self._ends_at = ends_at

    def __enter__(self) -> None:
        self._earlier = earlier = self._connection.ends_at
        self._connection.ends_at = self._ends_at if earlier is None else min(earlier, self._ends_at)

    def __exit__(self, *_raised: object) -> None:
        self._connection.ends_at = self._earlier


class _Moment:
    """A block of :meth:`ReadConnection.one_moment`."""

    __slots__ = ("_db",)

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN").close()

    def __exit__(self, *_raised: object) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK").close()


def _reads_only(action: int, first: str | None, second: str | None, _database: str | None, _source: str | None) -> int:
    if action in _READS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = second not in _FORBIDDEN_FUNCTIONS
    elif action == sqlite3.SQLITE_PRAGMA:
        allowed = first in _PLAIN_PRAGMAS if second is None else first in _TABLE_PRAGMAS
    else:
        allowed = False
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
