"""Each threat that a file can be has its tests: those marked ``threat(id="T4")``.

``pytest -m 'threat(id="T4")'`` runs the tests of one, and ``pytest -m threat`` those of all.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parent

THREATS: Final = {
    "T1": "a -journal names another file, which SQLite deletes as it rolls back",
    "T2": "a view without an end has the name of a table",
    "T3": "a generated column works for seconds, or makes a value of gigabytes",
    "T4": "a trigger of others does more than the write that fires it",
    "T5": "a schema calls functions of the program that opens it",
    "T6": "one call of a function runs for seconds and asks nobody",
    "T7": "a statement that somebody typed writes, or reaches other files",
    "T8": "the path is a pipe, a device, a folder or a link",
    "T9": "a file that is mapped into memory is cut off, which kills whoever reads on",
    "T10": "a name of a file is taken for something else",
    "T11": "a text is taken for markup",
    "T12": "a markup in a text loads a picture, or makes room for one",
    "T13": "a row in a list draws its text as markup",
    "T14": "an editor takes its text for markup",
    "T15": "characters that cannot be seen make one id look like another",
    "T16": "a text in the output is obeyed by the terminal",
    "T17": "a text in an export is run as a formula",
    "T18": "a value is so large that what shows it stands still",
    "T19": "a secret leaves the file",
    "T20": "the words of an error quote what is stored",
    "T21": "an archive holds links, devices, or names that lead out of it",
    "T22": "a schema is larger than anybody expects",
}


def marked(source: str) -> Iterator[tuple[str, str]]:
    """Give each mark in the text of a module: the id that it names, and the test that it stands at.

    A mark that is written in another way, or stands elsewhere, gives itself in place of the id.
    """
    tree = ast.parse(source)
    marks = {node: ast.unparse(node) for node in ast.walk(tree) if _is_mark(node)}
    for test in tree.body:
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_"):
            for decorator in test.decorator_list:
                if marks.pop(decorator, None):
                    yield _named(decorator), test.name
    yield from ((written, "no test") for written in marks.values())


def _is_mark(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and ast.unparse(called) == "pytest.mark.threat"


def _named(mark: ast.expr) -> str:
    match mark:
        case ast.Call(args=[], keywords=[ast.keyword(arg="id", value=ast.Constant(value=str(threat)))]):
            return threat
    return ast.unparse(mark)


def in_all_modules() -> dict[str, list[str]]:
    """Return the ids of all marks in the tests, each with where it stands."""
    found: dict[str, list[str]] = {}
    for module in sorted(TESTS.rglob("test_*.py")):
        source = module.read_text(encoding="utf-8")
        if "mark.threat" in source and module != Path(__file__):
            for threat, test in marked(source):
                found.setdefault(threat, []).append(f"{module.relative_to(TESTS)}::{test}")
    return found


def test_every_threat_has_a_test_and_no_mark_names_another() -> None:
    found = in_all_modules()

    assert {threat: found[threat] for threat in found.keys() - THREATS.keys()} == {}
    assert THREATS.keys() - found.keys() == set()


@pytest.mark.parametrize(
    ("source", "gives"),
    [
        ('@pytest.mark.threat(id="T4")\ndef test_a(): ...', [("T4", "test_a")]),
        ('@pytest.mark.threat(id="T4")\n@pytest.mark.threat(id="T9")\nasync def test_a(): ...', ["T4", "T9"]),
        ('@pytest.mark.threat("T4")\ndef test_a(): ...', [("pytest.mark.threat('T4')", "test_a")]),
        ('@pytest.mark.threat(id="T4")\ndef a(): ...', [("pytest.mark.threat(id='T4')", "no test")]),
        ('pytestmark = pytest.mark.threat(id="T4")', [("pytest.mark.threat(id='T4')", "no test")]),
        ("@pytest.mark.large\ndef test_a(): ...", []),
    ],
)
def test_a_mark_is_found_where_it_stands(source: str, gives: list[tuple[str, str] | str]) -> None:
    assert list(marked(source)) == [(each, "test_a") if isinstance(each, str) else each for each in gives]
