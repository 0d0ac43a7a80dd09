"""Rules of the house that no linter knows: what may stand where, and what to do instead.

Each rule is a pattern over the text of a file, and each is shown to catch what it is there for.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DRAWERS = re.compile(r"(^|_)(utils?|common|helpers?|misc|managers?)(_|$)")
LINES_A_FILE = {"inspector/*": 400, "packaging/*": 400, "tests/*": 500}  # tests hold their tables


class Reads(Enum):
    """What of a file a rule looks at; the rest is blank, at the same places."""

    CODE = auto()  # neither comments nor strings
    STRINGS = auto()  # strings that are not docstrings
    ALL = auto()


@dataclass(frozen=True)
class Rule:
    name: str
    pattern: str
    instead: str
    caught: str
    """A piece of a file that the rule refuses."""
    passes: str
    """One like it that the rule lets through."""
    within: tuple[str, ...] = ("inspector/*", "tests/*", "packaging/*")
    allowed: tuple[str, ...] = ()
    reads: Reads = Reads.CODE


RULES = (
    Rule(
        "star import",
        r"^\s*from\s+\S+\s+import\s+\*",
        "import each name",
        caught="from inspector.lmsp.statuses import *",
        passes="def f(*, a): ...",
    ),
    Rule(
        "print",
        r"(?<![\w.])print\(",
        "log it, return it, or let the command line say it",
        caught="print('done')",
        passes="report.print(x); blueprint(x)",
        within=("inspector/*",),
        allowed=("inspector/cli.py", "inspector/demo/__main__.py"),
    ),
    Rule(
        "timer",
        r"\bQTimer\b[\w.]*\(|\bstartTimer\(",
        "the session has the clock; a view is told, and a widget in desktop/widgets may blink",
        caught="self._tick = QTimer(self)",
        passes="def stop(timer: QTimer) -> None: ...",
        within=("inspector/*",),
        allowed=(
            "inspector/desktop/session/*",
            "inspector/desktop/widgets/*",
            "inspector/desktop/tasks/filters.py",  # a pause in typing
            "inspector/desktop/wiring/frame.py",  # the ages on screen grow from here
        ),
    ),
    Rule(
        "transaction begun",
        r"\bBEGIN(\s+(IMMEDIATE|DEFERRED|EXCLUSIVE|TRANSACTION))?\s*(?:;|[\"']|$)",
        "use store.writing.write_transaction, which takes the lock before the first read",
        caught='db.execute("BEGIN IMMEDIATE")',
        passes='"CREATE TRIGGER t BEFORE UPDATE ON tasks BEGIN SELECT 1; END"',
        within=("inspector/*",),
        allowed=(
            "inspector/store/writing.py",
            "inspector/reading/connection.py",  # reads of one moment
        ),
        reads=Reads.STRINGS,
    ),
    Rule(
        "deferred transaction",
        r"\.atomic\(",
        "use store.writing.write_transaction: sqlite-utils begins without the lock",
        caught="with db.atomic(): pass",
        passes="atomic(x)",
    ),
    Rule(
        "clock",
        r"\btime\.time(_ns)?\b|\bfrom time import\b.*\btime(_ns)?\b|\bdatetime\.(now|utcnow|today)\(|\bdate\.today\("
        r"|\bcurrentDateTime|\bcurrentMSecsSinceEpoch\(",
        "take the time as an argument (now_ms)",
        caught="now_ms = time.time_ns() // 1_000_000",
        passes="time.monotonic(); self.time.timer",
        within=("inspector/*",),
        allowed=(
            "inspector/cli.py",
            "inspector/demo/*",
            "inspector/desktop/app.py",
            "inspector/desktop/session/*",
            "inspector/desktop/wiring/frame.py",  # the ages on screen grow from here
            "inspector/reading/__main__.py",  # an answer says when it was read
        ),
    ),
    Rule(
        "SQLite's clock",
        r"\b(?:strftime|julianday|unixepoch|datetime)\s*\(\s*(?:'now'|\))|CURRENT_TIMESTAMP",
        "take the time as an argument (now_ms)",
        caught="db.execute(\"UPDATE tasks SET updated_at = unixepoch('now')\")",
        passes="\"SELECT datetime(created_at / 1000, 'unixepoch')\"",
        within=("inspector/*",),
        reads=Reads.STRINGS,
    ),
    Rule(
        "database opened",
        r"\bsqlite3\.connect\(|\bfrom sqlite3 import .*\bconnect\b|(?<![\w.])Database\(|\bsqlite_utils\.Database\("
        r"|\bQSqlDatabase\b",
        "open it through store.connecting or the read side, which set the pragmas that keep it safe",
        caught="db = Database(sqlite3.connect(path))",
        passes="def f(db: Database) -> None: open_service_database(path)",
        within=("inspector/*",),
        allowed=(
            "inspector/store/connecting.py",
            "inspector/checks/schema.py",
            "inspector/store/layouts.py",
            "inspector/reading/connection.py",
            "inspector/reading/whole_copies.py",
        ),
    ),
    Rule(
        "SQL in the window",
        r"^\s*(?:import|from)\s+sqlite(?:3|_utils)\b",
        "ask the session",
        caught="import sqlite3",
        passes="from inspector.desktop.session import session",
        within=("inspector/desktop/*",),
        allowed=("inspector/desktop/actions/about.py",),  # which version of SQLite this is
    ),
    Rule(
        "sleep in a test",
        r"\btime\.sleep\(|\bfrom time import\b.*\bsleep\b|\bqtbot\.wait\(|\bQTest\.qWait\(|\bQThread\.m?sleep\(",
        "wait for a signal or a condition (qtbot.waitSignal, qtbot.waitUntil, an asyncio.Event)",
        caught="qtbot.wait(20)",
        passes="qtbot.waitUntil(lambda: done); await asyncio.sleep(0)",
        within=("tests/*",),
    ),
    Rule(
        "sleep",
        r"\btime\.sleep\(|\bfrom time import\b.*\bsleep\b|\bQThread\.m?sleep\(",
        "wait for what is to happen, with a limit; only the simulated service has work that takes time",
        caught="time.sleep(0.1)",
        passes="await asyncio.sleep(0)",
        within=("inspector/*",),
        allowed=("inspector/demo/*",),
    ),
    Rule(
        "event loop pumped",
        r"\bprocessEvents\(|\bqWait\w*\(|@asyncClose\b|\bQEventLoop\(\)",
        "return to the event loop and be called back",
        caught="QApplication.processEvents()",
        passes="qasync.QEventLoop(app)",
    ),
    Rule(
        "nested event loop",
        r"\.exec_?\(|\bQMessageBox\.(?:question|information|warning|critical|about)\(|\bQInputDialog\.get\w+\("
        r"|\bQFileDialog\.get\w+\(",
        "open() the dialog and act on finished: a nested loop breaks every other task of the session",
        caught="if dialog.exec(): pass",
        passes="dialog.open()",
        within=("inspector/*", "tests/*"),
        allowed=("inspector/desktop/app.py",),
    ),
    Rule(
        "type: ignore without its reason",
        r"#\s*type:\s*ignore(?!\[)",
        "name the error: type: ignore[code]",
        caught="x = f()  # type: ignore",
        passes="x = f()  # type: ignore[no-any-return]",
        reads=Reads.ALL,
    ),
    Rule(
        "left for later",
        r"\b(?:TODO|FIXME|XXX|HACK)\b",
        "do it, or say in the release notes that it is open",
        caught="# TODO: sort",
        passes="# a list of what is left",
        reads=Reads.ALL,
    ),
    Rule(
        "a place on one machine",
        r"(?<![\w.])/(?:root|home)/\w|(?<![\w.])/tmp/\w",
        "take the place as an argument, or make one (tmp_path, tempfile)",
        caught='open("/home/ada/service.db")',
        passes="# see https://example.org/home/x",
        within=("inspector/*", "packaging/*"),
        reads=Reads.ALL,
    ),
)


@dataclass(frozen=True)
class Source:
    path: str
    text: str

    def seen_by(self, reads: Reads) -> str:
        if reads is Reads.ALL:
            return self.text
        if not self.path.endswith(".py"):
            return self.text if reads is Reads.CODE else ""
        code, strings = _parts(self.text)
        return code if reads is Reads.CODE else strings


@cache
def _parts(text: str) -> tuple[str, str]:
    """Return the code alone and the strings alone, everything else blank. Docstrings are in neither."""
    docstrings = {
        (node.body[0].lineno, node.body[0].col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }
    lines = text.splitlines(keepends=True)
    code = [list(line) for line in lines]
    strings = [[c if c == "\n" else " " for c in line] for line in lines]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_string = tokenize.tok_name[token.type] in ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
        if not is_string and token.type != tokenize.COMMENT:
            continue
        for row in range(token.start[0] - 1, token.end[0]):
            first = token.start[1] if row == token.start[0] - 1 else 0
            last = token.end[1] if row == token.end[0] - 1 else len(lines[row])
            for column in range(first, min(last, len(lines[row]))):
                if lines[row][column] != "\n":
                    code[row][column] = " "
                    if is_string and token.start not in docstrings:
                        strings[row][column] = lines[row][column]
    return "".join(map("".join, code)), "".join(map("".join, strings))


def sources() -> Iterator[Source]:
    here = Path(__file__).relative_to(ROOT).as_posix()  # it quotes all that it refuses
    for top in ("inspector", "tests", "packaging"):
        for path in sorted((ROOT / top).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and "__pycache__" not in path.parts and name != here and not _is_binary(path):
                yield Source(name, path.read_text(encoding="utf-8"))


def _is_binary(path: Path) -> bool:
    return b"\0" in path.read_bytes()[:1024]


def breaches(rule: Rule, source: Source) -> list[str]:
    if not any(fnmatch(source.path, place) for place in rule.within):
        return []
    if any(fnmatch(source.path, place) for place in rule.allowed):
        return []
    found = re.finditer(rule.pattern, source.seen_by(rule.reads), re.MULTILINE)
    return [f"{source.path}:{source.text.count(chr(10), 0, match.start()) + 1}" for match in found]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_house_keeps_the_rule(rule: Rule) -> None:
    found = [breach for source in sources() for breach in breaches(rule, source)]

    assert not found, f"{rule.name}: {rule.instead}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_rule_catches_what_it_is_there_for_and_nothing_beside_it(rule: Rule) -> None:
    place = rule.within[0].replace("*", "some_room/some_file.py")

    assert breaches(rule, Source(place, rule.caught))
    assert not breaches(rule, Source(place, rule.passes))
    for allowed in rule.allowed:
        assert not breaches(rule, Source(allowed.replace("*", "some_file.py"), rule.caught))


@pytest.mark.parametrize(
    ("text", "reads", "seen"),
    [
        ('"""print("x")"""\n', Reads.CODE, False),
        ('"""BEGIN"""\n', Reads.STRINGS, False),
        ("# print(1)\n", Reads.CODE, False),
        ("print(1)  # says it\n", Reads.CODE, True),
        ('x = "print(1)"\n', Reads.CODE, False),
        ('x = "BEGIN"\n', Reads.STRINGS, True),
        ("print(1)\n", Reads.ALL, True),
    ],
)
def test_comments_docstrings_and_strings_are_told_apart(text: str, reads: Reads, seen: bool) -> None:
    assert bool(re.search(r"print\(|BEGIN", Source("inspector/x.py", text).seen_by(reads))) is seen


def drawers(paths: list[str]) -> list[str]:
    return [path for path in paths if any(DRAWERS.search(part.partition(".")[0]) for part in path.split("/"))]


def test_no_file_is_a_drawer_for_whatever_is_left_over() -> None:
    assert not drawers([source.path for source in sources()]), "name it after its subject"


@pytest.mark.parametrize("path", ["inspector/utils.py", "tests/common/x.py", "inspector/desktop/qt_helpers.py"])
def test_a_drawer_is_caught(path: str) -> None:
    assert drawers([path, "inspector/desktop/session/communication.py"]) == [path]


def too_long(source: Source) -> bool:
    limit = next(lines for place, lines in LINES_A_FILE.items() if fnmatch(source.path, place))
    return source.path.endswith(".py") and source.text.count("\n") > limit


def test_no_file_has_grown_a_second_subject() -> None:
    found = [f"{source.path}: {source.text.count(chr(10))} lines" for source in sources() if too_long(source)]

    assert not found, "move its second subject into a file of its own"


def test_a_file_that_is_too_long_is_caught() -> None:
    assert too_long(Source("inspector/store/tasks.py", "\n" * 401))
    assert not too_long(Source("inspector/store/tasks.py", "\n" * 400))
    assert not too_long(Source("tests/store/test_tasks.py", "\n" * 401))


def rooms() -> list[Path]:
    return sorted(
        path.parent for path in (ROOT / "inspector").rglob("__init__.py") if path.parent != ROOT / "inspector"
    )


@pytest.mark.parametrize("room", rooms(), ids=lambda room: room.relative_to(ROOT).as_posix())
def test_a_room_says_what_it_is_for(room: Path) -> None:
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))

    assert docstring
    assert len(docstring.split("\n\n")) >= 2, "purpose, what it may import, what it never does"
    assert re.search(r"\bnever\b", docstring, re.IGNORECASE), "say what it never does"


def test_each_folder_of_python_files_is_a_package_and_packaging_is_none() -> None:
    folders = {path.parent for top in ("inspector", "tests") for path in (ROOT / top).rglob("*.py")}

    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []
    # It would hide the library of that name, which pytest and pip need.
    assert not list((ROOT / "packaging").rglob("__init__.py"))


def qt_names() -> set[str]:
    modules = [pytest.importorskip(f"PySide6.{name}") for name in ("QtCore", "QtGui", "QtWidgets")]
    kinds = [getattr(module, name) for module in modules for name in dir(module)]
    return {name for kind in kinds if isinstance(kind, type) for name in dir(kind)}


def own_camel_case(text: str, names_of_qt: set[str]) -> list[str]:
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name != node.name.lower()
        and node.name not in names_of_qt
    ]


def undocumented(texts: list[str], names_of_qt: set[str]) -> list[str]:
    """Return the public methods that are ours and say nothing of themselves, nor does a method that they override."""
    methods = [
        (kind.name, method.name, ast.get_docstring(method))
        for text in texts
        for kind in ast.walk(ast.parse(text))
        if isinstance(kind, ast.ClassDef) and not kind.name.startswith("_")
        for method in kind.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and not method.name.startswith("_")
    ]
    told = {name for _, name, docstring in methods if docstring} | names_of_qt
    return [f"{kind}.{name}" for kind, name, docstring in methods if not docstring and name not in told]


def test_only_qt_s_own_methods_have_qt_s_names_and_no_docstring() -> None:
    known = qt_names()
    desktop = [source.text for source in sources() if fnmatch(source.path, "inspector/desktop/*.py")]

    assert not [name for text in desktop for name in own_camel_case(text, known)]
    assert not undocumented(desktop, known)


def test_an_own_method_with_a_name_like_qt_s_is_caught() -> None:
    text = "class View:\n    def paintEvent(self): ...\n    def showTasks(self): ...\n    def show_all(self): ...\n"

    assert own_camel_case(text, qt_names()) == ["showTasks"]
    assert undocumented([text], qt_names()) == ["View.showTasks", "View.show_all"]
