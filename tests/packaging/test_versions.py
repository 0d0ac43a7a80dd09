"""The locked versions, and the wheel that is built of this checkout."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"


def locked() -> dict[str, str]:
    lines = (ROOT / "packaging" / "versions.lock").read_text(encoding="utf-8").split("\n")
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def named() -> list[Requirement]:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    return [Requirement(line) for line in (*project["dependencies"], *(line for extra in extras for line in extra))]


@pytest.mark.parametrize("requirement", named(), ids=str)
def test_each_locked_version_is_in_the_range_that_is_named(requirement: Requirement) -> None:
    assert requirement.specifier.contains(locked()[canonicalize_name(requirement.name)])


def needed_by(requirement: Requirement, seen: set[str]) -> set[str]:
    """Return the names of all distributions that an installed one needs here, itself included."""
    name = canonicalize_name(requirement.name)
    if name in seen:
        return seen
    seen.add(name)
    for line in metadata.requires(name) or []:
        further = Requirement(line)
        extras = requirement.extras or {""}
        if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
            needed_by(further, seen)
    return seen


@pytest.mark.parametrize("extra", ["", "[dev]"])
def test_everything_that_gets_installed_is_locked(extra: str) -> None:
    needed = needed_by(Requirement(f"lmsp-inspector{extra}"), set())

    # pip is the environment's own; sqlite-utils names it.
    assert needed - {"lmsp-inspector", "pip"} <= locked().keys()


def test_each_dependency_has_its_reason() -> None:
    text = PYPROJECT.read_text(encoding="utf-8").split("\ndependencies = [\n")[1].split("[project.scripts]")[0]
    above = ""
    for line in text.split("\n"):
        if line.startswith('  "'):
            assert "#" in above or "#" in line, f"say why: {line}"
        above = line


def test_the_wheel_holds_the_package_its_sql_and_the_resources(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())

    resources = {
        f"inspector/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "resources").rglob("*") if path.is_file()
    }
    assert resources <= names
    assert {"inspector/py.typed", "inspector/layout/native_v1.sql"} <= names
    assert {re.split(r"[/-]", name)[0] for name in names} == {"inspector", "lmsp_inspector"}
