"""``packaging/start`` and ``packaging/test``: what they say and do before the program runs, in made-up checkouts.

No test here reaches a network or a package manager: the commands that would are stand-ins.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = (
    "cat",
    "cksum",
    "cut",
    "dirname",
    "env",
    "flock",
    "grep",
    "mkdir",
    "mktemp",
    "readlink",
    "rm",
    "sh",
    "sort",
    "tail",
    "tr",
)
PROGRAM = '#!/bin/sh\nprintf "<%s>" "$@"\n'


@dataclass
class Checkout:
    """A copy of the scripts, with stand-ins for the commands that reach outside."""

    root: Path
    commands: Path
    settings: dict[str, str] = field(default_factory=dict)

    def command(self, name: str, script: str) -> Path:
        path = self.commands / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def run(self, script: str | Path, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [script if isinstance(script, Path) else self.root / "packaging" / script, *arguments],
            cwd=cwd,
            env={"PATH": str(self.commands), "HOME": str(self.root.parent), **self.settings},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def pip(self, script: str) -> None:
        """Let the environment's Python write down what pip is asked, and then do as ``script`` says."""
        python = self.commands / "python3"
        real = python.read_text().removeprefix("#!/bin/sh\n")
        asked = f'echo "$*" >>"{self.root}/pip asked"'
        self.command("python3", f'case "$*" in *"-m pip"*) {asked}\n{script} ;; esac\n{real}')

    def make_ready(self, *needs: str) -> None:
        """Leave an environment as a finished set-up leaves it, with a program that prints its arguments."""
        folder = self.root / ".venv" / "bin"
        folder.mkdir(parents=True)
        (folder / "python").symlink_to(self.commands / "python3")
        (folder / "lmsp-inspector").write_text(PROGRAM)
        (folder / "lmsp-inspector").chmod(0o755)
        for state, content in (("made", "made_for"), *((f"ready-{need}", "installed_from") for need in needs)):
            script = f'root=$1; me=test; . "$1/packaging/setup.sh"; {content} >"$1/.venv/{state}"'
            subprocess.run(["sh", "-c", script, "-", self.root], check=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a checkout, with spaces"
    shutil.copytree(ROOT / "packaging", root / "packaging")
    shutil.copy(ROOT / "pyproject.toml", root)
    commands = tmp_path / "commands"
    commands.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found is None:
            pytest.skip(f"no {name} here")
        (commands / name).symlink_to(found)
    made = Checkout(root, commands)
    made.command("id", "echo 1000")
    made.command("apt-get", "exit 1")
    made.command("sudo", "exit 1")
    made.command("python3", f'exec "{sys.executable}" "$@"')
    return made


def a_python_that_misses(library: str) -> str:
    """Return a stand-in for Python that finds every library but one."""
    return (
        f'case "$*" in *ctypes*) grep "{library}" | cut -d " " -f 1 ;;'
        f' *ensurepip*) exit 0 ;; *) exec "{sys.executable}" "$@" ;; esac'
    )


def lines(text: str) -> list[str]:
    return text.strip().split("\n")


def test_a_ready_checkout_starts_the_program_with_the_arguments_as_they_are(checkout: Checkout) -> None:
    checkout.make_ready("run")
    checkout.command("python3", "echo used >&2; exit 1")

    done = checkout.run("start", "tasks", "a file.db", "", "--json")

    assert (done.returncode, done.stdout, done.stderr) == (0, "<tasks><a file.db><><--json>", "")


def test_it_starts_from_another_folder_and_through_a_link(checkout: Checkout, tmp_path: Path) -> None:
    checkout.make_ready("run")
    link = tmp_path / "begin"
    link.symlink_to(checkout.root / "packaging" / "start")
    relative = tmp_path / "begin here"
    relative.symlink_to(Path(checkout.root.name) / "packaging" / "start")

    for script in (link, relative):
        assert checkout.run(script, "x", cwd=Path("/")).stdout == "<x>"


@pytest.mark.parametrize("changed", ["pyproject.toml", "packaging/versions.lock", "packaging/setup.sh"])
def test_what_changed_brings_the_environment_up_to_date(checkout: Checkout, changed: str) -> None:
    checkout.make_ready("run", "dev")
    with (checkout.root / changed).open("a") as file:
        file.write("# changed\n")
    checkout.command("python3", a_python_that_misses("none"))
    checkout.pip("exit 0")

    done = checkout.run("start", "x")

    assert (done.returncode, done.stdout) == (0, "<x>")
    assert lines(done.stderr) == ["packaging/start: what .venv was made from has changed; bringing it up to date."]
    lock = f"-I -m pip install -c {checkout.root}/packaging/versions.lock"
    assert lines((checkout.root / "pip asked").read_text()) == [
        f"{lock} hatchling editables",
        f"{lock} --no-build-isolation --editable {checkout.root}",
    ]
    assert not (checkout.root / ".venv" / "ready-dev").exists()
    assert checkout.run("start", "x").stderr == ""


NO_NETWORK = """echo "WARNING: Retrying (Retry(total=1, connect=None)) after connection broken by \
'NewConnectionError('Failed to establish a new connection: [Errno -3] Temporary failure in name resolution')'"
exit 1"""


@pytest.mark.parametrize(
    ("pip", "said"),
    [
        (
            NO_NETWORK,
            [
                "packaging/start: the Python package index cannot be reached; connect this machine to the network, "
                "then start again."
            ],
        ),
        (
            "echo ERROR: no space left >&2; exit 1",
            [
                "ERROR: no space left",
                "packaging/start: pip could not install the locked packages (its last lines are above).",
            ],
        ),
    ],
    ids=["no network", "another reason"],
)
def test_what_pip_cannot_do_is_said_and_nothing_half_done_counts(checkout: Checkout, pip: str, said: list[str]) -> None:
    checkout.make_ready("run")
    (checkout.root / ".venv" / "ready-run").unlink()
    checkout.command("python3", a_python_that_misses("none"))
    checkout.pip(pip)

    done = checkout.run("start", "x")

    assert (done.returncode, done.stdout) == (2, "")
    assert lines(done.stderr)[1:] == said
    assert not (checkout.root / ".venv" / "made").exists()


@pytest.mark.parametrize("damage", ["interrupted", "moved", "python gone", "empty"])
def test_a_half_made_environment_is_made_anew(checkout: Checkout, damage: str) -> None:
    checkout.make_ready("run")
    environment = checkout.root / ".venv"
    if damage == "interrupted":
        (environment / "made").unlink()
    elif damage == "moved":
        checkout.root = checkout.root.rename(checkout.root.with_name("elsewhere"))
    elif damage == "python gone":
        (environment / "bin" / "python").unlink()
    else:
        shutil.rmtree(environment)
        environment.mkdir()
    left_over = checkout.root / ".venv" / "left over"
    left_over.touch()
    # It goes as far as making the environment, which this Python then cannot.
    checkout.command(
        "python3", f'case "$*" in *"-m venv"*) echo no venv here; exit 1 ;; esac\n{a_python_that_misses("none")}'
    )

    done = checkout.run("start")

    assert done.returncode == 2
    assert lines(done.stderr) == [
        "packaging/start: making .venv and installing the locked packages, once; this takes a minute or two.",
        "no venv here",
        f"packaging/start: {checkout.commands}/python3 could not make a virtual environment (its output is above).",
    ]
    assert not left_over.exists()


def test_missing_packages_are_named_in_a_line_to_run(checkout: Checkout) -> None:
    checkout.command("python3", a_python_that_misses("libEGL\\|libxcb-cursor"))

    done = checkout.run("start")

    assert done.returncode == 2
    assert lines(done.stderr) == [
        "packaging/start: packages of the system are missing; run this as root, then start again: "
        "apt-get update && apt-get install -y --no-install-recommends libegl1 libxcb-cursor0"
    ]
    assert not (checkout.root / ".venv").exists()


def test_the_tests_want_a_virtual_display_too(checkout: Checkout) -> None:
    checkout.command("python3", a_python_that_misses("none"))

    done = checkout.run("test")

    assert done.returncode == 2
    assert done.stderr.strip().endswith("apt-get install -y --no-install-recommends xauth xvfb")


@pytest.mark.parametrize(
    ("commands", "asked"),
    [
        ({"id": "echo 0"}, "apt-get"),
        ({"sudo": 'shift; exec "$@"'}, "sudo"),
    ],
    ids=["root", "sudo without a password"],
)
def test_who_may_installs_what_is_missing(checkout: Checkout, commands: Mapping[str, str], asked: str) -> None:
    for name, script in commands.items():
        checkout.command(name, script)
    checkout.command("true", "exit 0")
    checkout.command("apt-get", f'echo "{asked} $*" >>"{checkout.root}/asked"')
    checkout.command("python3", a_python_that_misses("libEGL"))

    done = checkout.run("start")

    assert (checkout.root / "asked").read_text() == (
        f"{asked} -q update\n{asked} install -y --no-install-recommends libegl1\n"
    )
    assert lines(done.stderr) == [
        "packaging/start: installing packages of the system: libegl1",
        "packaging/start: packages of the system are installed and still not found: libegl1",
    ]
    assert done.returncode == 2


def test_a_system_without_apt_is_told_what_is_missing(checkout: Checkout) -> None:
    (checkout.commands / "apt-get").unlink()
    checkout.command("python3", a_python_that_misses("libEGL"))

    done = checkout.run("start")

    assert done.returncode == 2
    assert lines(done.stderr) == [
        "packaging/start: install what this system calls the Debian packages libegl1, then start again."
    ]


def test_an_old_python_is_named(checkout: Checkout) -> None:
    checkout.command("python3", 'case "$*" in *version_info*) exit 1 ;; *) echo 3.9.2 ;; esac')

    done = checkout.run("start")

    assert done.returncode == 2
    assert lines(done.stderr) == [
        "packaging/start: Python 3.11 to 3.14 is needed, and python3 is 3.9.2; install one, "
        "then name it: PYTHON=/path/to/python3.12 packaging/start"
    ]


def test_a_fitting_python_beside_an_old_one_is_found(checkout: Checkout) -> None:
    checkout.command("python3", "exit 1")
    checkout.command("python3.12", a_python_that_misses("libEGL"))

    assert "install -y --no-install-recommends libegl1" in checkout.run("start").stderr


def test_a_python_that_is_not_there_is_named(checkout: Checkout) -> None:
    checkout.settings = {"PYTHON": "/nowhere/python3"}

    done = checkout.run("start")

    assert done.returncode == 2
    assert lines(done.stderr) == [
        "packaging/start: PYTHON is /nowhere/python3, and there is no such program; "
        "name a Python 3.11 to 3.14, or leave PYTHON unset."
    ]


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(checkout: Checkout) -> None:
    checkout.command("python3", a_python_that_misses("none"))
    checkout.root.chmod(0o555)

    done = checkout.run("start")

    checkout.root.chmod(0o755)
    assert done.returncode == 2
    assert lines(done.stderr) == [
        f"packaging/start: cannot write in {checkout.root}; "
        "copy the repository to a folder of yours and start it there."
    ]


def test_the_scripts_pass_shellcheck() -> None:
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("no shellcheck here")
    scripts = ["packaging/start", "packaging/test", "packaging/setup.sh", ".ci/run"]

    done = subprocess.run([shellcheck, "-x", "-a", *scripts], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
