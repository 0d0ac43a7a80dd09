"""Mutants of the checker, made from its text: each place at which a rule speaks is made silent."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.mutation.mutants import Mutant, source_of

PATHS: Final = (
    "inspector/checks/content_rules.py",
    "inspector/checks/log_rules.py",
    "inspector/checks/task_rules.py",
)

TESTS: Final = (
    "tests/checks/test_rulebook.py::test_a_broken_rule_is_found",
    "tests/checks/test_rulebook.py::test_a_sequence_number_that_is_there_twice_is_found",
)


def silent_rules() -> Iterator[Mutant]:
    """Give for each ``yield`` of each rule a mutant in which it gives nothing."""
    for path in PATHS:
        text = source_of(path)
        for rule in ast.parse(text).body:
            if not isinstance(rule, ast.FunctionDef) or rule.name.startswith("_"):
                continue
            spoken = [node for node in ast.walk(rule) if isinstance(node, ast.Yield)]
            for number, said in enumerate(sorted(spoken, key=lambda node: node.lineno), start=1):
                whole = ast.get_source_segment(text, rule)
                sentence = ast.get_source_segment(text, said)
                assert whole is not None
                assert sentence is not None
                claim = rule.name.replace("_", " ")
                which = f", break {number} of {len(spoken)}" if len(spoken) > 1 else ""
                # "yield from" keeps it a generator, whatever else it gives.
                silent = whole.replace(sentence, "yield from ()")
                yield Mutant(f"nobody says whether {claim}{which}", path, whole, silent, TESTS)
