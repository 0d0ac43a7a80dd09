"""Breaking any rule of the store, the checker or the layout makes a test fail.

Each run of the suite sees that every mutant can still be made, that nothing was forgotten, and that a few of them are
found; ``packaging/test --large tests/mutation`` tries all of them.
"""

import ast
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from inspector.layout import native
from tests.mutation import layout_mutants
from tests.mutation.layout_mutants import layout_mutants as mutants_of_the_layout
from tests.mutation.mutants import ROOT, Mutant, modules, source_of, written_mutants
from tests.mutation.silent_rules import silent_rules
from tests.mutation.trying import Copy, Run, try_all

pytestmark = [pytest.mark.ours, pytest.mark.process]

AT_ONCE = 2

QUICK = {
    "inspector/store/tasks.py: a worker of an older attempt may write": "tests/store/test_fence.py",
    "inspector/store/finishing.py: any task is completed": "tests/store/test_finishing.py",
    "inspector/store/writing.py: a rule reads before it holds the lock": "tests/store/test_writing.py",
    "inspector/store/idempotency.py: digests of requests are not compared": "tests/store/test_idempotency.py",
    "inspector/lmsp/recovery.py: the attempt of a resumed task is not raised": "tests/lmsp/test_recovery.py",
    "inspector/layout/native_v1.sql: tasks_are_deleted_only_when_finished: not there": "tests/layout/test_refusals.py",
}
"""A few that are tried in each run, each with the one file of tests that finds it soon."""


@cache
def every_mutant() -> tuple[Mutant, ...]:
    return (*written_mutants(), *mutants_of_the_layout(), *silent_rules())


def told(survived: list[tuple[Mutant, Run]]) -> str:
    return "".join(f"\n{mutant.name}\n{run.tail}\n" for mutant, run in survived)


def functions_of(path: str) -> dict[str, range]:
    """Return the functions that a module gives to others, with their lines."""
    return {
        node.name: range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in ast.parse(source_of(path)).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    }


def refusals_of(path: str) -> Iterator[range]:
    """Give the lines of each condition of a module that ends in an error."""
    for node in ast.walk(ast.parse(source_of(path))):
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise):
            yield range(node.lineno, node.body[-1].lineno + 1)


def test_every_mutant_can_be_made() -> None:
    impossible = []
    for mutant in every_mutant():
        assert mutant.old != mutant.new
        broken = mutant.applied_to(source_of(mutant.path))
        try:
            if mutant.path == layout_mutants.PATH:
                with closing(sqlite3.connect(":memory:")) as conn:
                    conn.executescript(broken)
            else:
                ast.parse(broken)
        except (SyntaxError, sqlite3.Error) as error:
            impossible.append(f"{mutant.name}: {error}")
    assert impossible == []


def test_the_tests_that_must_notice_are_there() -> None:
    named = {test for mutant in every_mutant() for test in mutant.tests if not test.startswith("-")}
    for test in {*named, *QUICK.values()}:
        path, _, function = test.partition("::")
        assert (ROOT / path).is_file(), test
        assert not function or f"def {function}(" in source_of(path), test


def test_no_mutant_is_there_twice() -> None:
    names = Counter(mutant.name for mutant in every_mutant())
    texts = Counter((mutant.path, mutant.applied_to(source_of(mutant.path))) for mutant in every_mutant())
    assert [name for name, number in names.items() if number > 1] == []
    twice = {text for text, number in texts.items() if number > 1}
    assert [
        mutant.name for mutant in every_mutant() if (mutant.path, mutant.applied_to(source_of(mutant.path))) in twice
    ] == []


@pytest.mark.parametrize("path", modules())
def test_every_condition_that_refuses_has_a_mutant(path: str) -> None:
    text = source_of(path)
    covered = {line for mutant in every_mutant() if mutant.path == path for line in mutant.lines_in(text)}
    assert [refused.start for refused in refusals_of(path) if covered.isdisjoint(refused)] == []


@pytest.mark.parametrize("path", [path for path in modules() if not path.startswith("inspector/checks/")])
def test_every_function_that_others_call_has_a_mutant(path: str) -> None:
    text = source_of(path)
    covered = {line for mutant in every_mutant() if mutant.path == path for line in mutant.lines_in(text)}
    assert [name for name, lines in functions_of(path).items() if covered.isdisjoint(lines)] == []


@pytest.mark.parametrize("path", modules())
def test_every_module_has_a_mutant(path: str) -> None:
    only_values = path == "inspector/checks/findings.py"
    assert any(mutant.path == path for mutant in every_mutant()) is not only_values


def test_every_trigger_and_every_check_of_the_layout_has_a_mutant() -> None:
    claims = [mutant.claim for mutant in mutants_of_the_layout()]
    assert {claim.partition(":")[0] for claim in claims if claim.endswith(": not there")} == set(native.TRIGGERS)
    assert sum(": without CHECK" in claim for claim in claims) == native.DDL.count("CHECK (")
    assert {claim.partition(":")[0] for claim in claims if claim.endswith("without STRICT")} == set(native.TABLES)


def test_what_is_left_out_as_no_other_layout_is_one_of_its_mutants() -> None:
    left_out = layout_mutants.NO_OTHER_LAYOUT
    claims = {change.claim for change in layout_mutants.changes()}
    assert set(left_out) <= claims


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Copy]:
    with Copy(tmp_path / "copy") as made:
        yield made


def test_a_copy_runs_its_own_program(copy: Copy) -> None:
    (copy.folder / "inspector" / "lmsp" / "events.py").write_text("raise ValueError('another program')\n")
    assert "another program" in copy.run(["tests/lmsp/test_events.py"]).output


def test_a_mutant_that_breaks_nothing_is_told(copy: Copy) -> None:
    mutant = Mutant(
        "it says the same", "inspector/lmsp/events.py", "its log.", "the log.", ("tests/lmsp/test_events.py",)
    )
    run = copy.try_out(mutant)
    assert (run.status, run.found) == (0, False)
    assert (copy.folder / mutant.path).read_text(encoding="utf-8") == source_of(mutant.path)


def test_a_module_that_cannot_be_imported_is_no_mutant_that_was_found(copy: Copy) -> None:
    mutant = Mutant("it stops", "inspector/lmsp/events.py", "from enum import", "from enums import", ("tests/lmsp",))
    assert not copy.try_out(mutant).found


def test_a_few_mutants_are_found_in_each_run(copy: Copy, proved: Callable[[str], None]) -> None:
    quick = [replace(mutant, tests=(QUICK[mutant.name],)) for mutant in every_mutant() if mutant.name in QUICK]
    assert len(quick) == len(QUICK)
    survived = try_all([copy], quick, lambda *_: None)
    assert not survived, told(survived)
    proved(f"mutation: {len(quick)} of {len(every_mutant())} mutants tried, all found")


@pytest.mark.large
@pytest.mark.timeout(3600)
def test_every_mutant_is_found(tmp_path: Path, proved: Callable[[str], None]) -> None:
    everything = sorted({test for mutant in every_mutant() for test in mutant.tests if not test.startswith("-")})
    with ExitStack() as stack:
        first = stack.enter_context(Copy(tmp_path / "0"))
        unbroken = first.run(everything, unbroken=True)
        assert unbroken.status == 0, f"the tests fail without a mutant\n{unbroken.tail}"
        others = [stack.enter_context(first.again(tmp_path / str(number))) for number in range(1, AT_ONCE)]
        survived = try_all([first, *others], every_mutant(), lambda *_: None)

    assert not survived, told(survived)
    proved(f"mutation: {len(every_mutant())} mutants, {len(every_mutant())} found, 0 survived")
