# shellcheck shell=sh
# What start and test share: the system packages, and the virtual environment .venv at the repository root. Read by a
# script that has set root (the repository) and me (the script's own name, for its sentences).
#
# .venv/made says for which interpreter and place the environment was made; it is missing while pip is at work, so that
# an environment whose set-up was interrupted is made anew. .venv/ready-run and .venv/ready-dev say what was installed.
# All that is said here goes to standard error: standard output belongs to the program.

venv=${root:?}/.venv

say() {
    printf '%s: %s\n' "${me:?}" "$1" >&2
}

give_up() {
    say "$1"
    exit 2
}

give_up_writing() {
    give_up "cannot write in $root; copy the repository to a folder of yours and start it there."
}

# The interpreter behind the environment, and the place: an environment that was moved or copied does not work.
made_for() {
    readlink -f -- "$venv/bin/python"
    printf '%s\n' "$root"
}

# What says which packages belong into the environment.
installed_from() {
    cksum <"$root/pyproject.toml"
    cksum <"$root/packaging/versions.lock"
    cksum <"$root/packaging/setup.sh"
}

# $1 is what the environment is needed for: run, or one of the extras in pyproject.toml.
is_ready() {
    [ -x "$venv/bin/python" ] && [ -f "$venv/made" ] && [ -f "$venv/ready-$1" ] &&
        [ "$(cat -- "$venv/made" "$venv/ready-$1")" = "$(made_for && installed_from)" ]
}

# The newest Qt that we use knows no Python after 3.14.
is_fitting_python() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
}

# Sets python to a fitting interpreter, or to nothing. PYTHON names the one to take.
find_python() {
    if [ -n "${PYTHON:-}" ]; then
        python=$(command -v "$PYTHON") && is_fitting_python "$python" && return
    else
        for python in python3 python3.14 python3.13 python3.12 python3.11; do
            python=$(command -v "$python") && is_fitting_python "$python" && return
        done
    fi
    python=
}

# Debian's names of the packages that are missing here, asked of what they bring: another system may have the same
# libraries under other names, and it needs no rights to ask.
missing_packages() {
    if [ -z "$python" ]; then
        echo python3-venv
    elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        case $("$python" -c 'import os, sys; print(os.path.realpath(sys.executable))') in
            "$(readlink -f /usr/bin/python3)") echo python3-venv ;;
            *) "$python" -c 'import sys; print("python3.%d-venv" % sys.version_info[1])' ;;
        esac
    fi
    if [ -n "$python" ]; then
        "$python" -c '
import ctypes, sys
for package, library in map(str.split, sys.stdin):
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
'
    else
        cut -d " " -f 1
    fi <<END
libegl1 libEGL.so.1
libgl1 libGL.so.1
libglib2.0-0 libgthread-2.0.so.0
libdbus-1-3 libdbus-1.so.3
libfontconfig1 libfontconfig.so.1
libxkbcommon-x11-0 libxkbcommon-x11.so.0
libxcb-cursor0 libxcb-cursor.so.0
libxcb-icccm4 libxcb-icccm.so.4
libxcb-keysyms1 libxcb-keysyms.so.1
libxcb-shape0 libxcb-shape.so.0
END
    if [ "$1" = dev ]; then
        command -v xvfb-run >/dev/null && command -v Xvfb >/dev/null || echo xvfb
        command -v xauth >/dev/null || echo xauth
    fi
}

# $1 is what is_ready gets.
install_packages() {
    missing=$(missing_packages "$1" | sort -u | tr '\n' ' ')
    missing=${missing% }
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null ||
        give_up "install what this system calls the Debian packages $missing, then start again."
    line="apt-get install -y --no-install-recommends $missing"
    if [ "$(id -u)" -eq 0 ]; then
        as_root="env"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root="sudo -n env"
    else
        give_up "packages of the system are missing; run this as root, then start again: apt-get update && $line"
    fi
    say "installing packages of the system: $missing"
    log=$(mktemp) || give_up "there is no room for a temporary file; make some, then start again."
    # shellcheck disable=SC2086 # as_root and line are lists of words
    if ! { $as_root apt-get -q update && $as_root DEBIAN_FRONTEND=noninteractive $line; } >"$log" 2>&1 </dev/null; then
        tail -n 20 -- "$log" >&2
        rm -f -- "$log"
        give_up "apt could not install the packages of the system (its last lines are above); run this as root, then start again: apt-get update && $line"
    fi
    rm -f -- "$log"
    find_python
    missing=$(missing_packages "$1" | sort -u | tr '\n' ' ')
    [ -z "$missing" ] || give_up "packages of the system are installed and still not found: ${missing% }"
}

# $@ is what pip install gets. Its output is shown only when it fails.
pip_install() {
    if ! PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_RETRIES="${PIP_RETRIES:-2}" \
        "$venv/bin/python" -I -m pip install -c "$root/packaging/versions.lock" "$@" >"$venv/pip.log" 2>&1 </dev/null; then
        if grep -q -E 'Failed to establish a new connection|Temporary failure in name resolution|Network is unreachable|ConnectTimeout|ProxyError' "$venv/pip.log"; then
            give_up "the Python package index cannot be reached; connect this machine to the network, then start again."
        fi
        tail -n 30 -- "$venv/pip.log" >&2
        give_up "pip could not install the locked packages (its last lines are above)."
    fi
}

# $1 is what is_ready gets. Runs alone, thanks to the lock in prepare.
make_ready() {
    is_ready "$1" && return
    find_python
    if [ -z "$python" ] && [ -n "${PYTHON:-}" ] && ! command -v "$PYTHON" >/dev/null; then
        give_up "PYTHON is $PYTHON, and there is no such program; name a Python 3.11 to 3.14, or leave PYTHON unset."
    elif [ -z "$python" ] && command -v "${PYTHON:-python3}" >/dev/null; then
        give_up "Python 3.11 to 3.14 is needed, and ${PYTHON:-python3} is $("${PYTHON:-python3}" -c 'import platform; print(platform.python_version())'); install one, then name it: PYTHON=/path/to/python3.12 $me"
    fi
    install_packages "$1"
    if ! [ -x "$venv/bin/python" ] || ! [ -f "$venv/made" ] || [ "$(cat -- "$venv/made")" != "$(made_for)" ]; then
        { rm -rf -- "$venv" && mkdir -- "$venv"; } 2>/dev/null || give_up_writing
        say "making .venv and installing the locked packages, once; this takes a minute or two."
        "$python" -I -m venv "$venv" >"$venv/pip.log" 2>&1 || {
            cat -- "$venv/pip.log" >&2
            give_up "$python could not make a virtual environment (its output is above)."
        }
    else
        say "what .venv was made from has changed; bringing it up to date."
    fi
    made=$(made_for)
    rm -f -- "$venv/made" 2>/dev/null || give_up_writing
    if ! [ -f "$venv/ready-run" ] || [ "$(cat -- "$venv/ready-run")" != "$(installed_from)" ]; then
        rm -f -- "$venv"/ready-*
        # The build backend comes from the lock too: an isolated build would fetch whatever is newest.
        pip_install hatchling editables
        pip_install --no-build-isolation --editable "$root"
        # Where Python is told not to keep what it compiled, every start would compile the whole program again.
        "$venv/bin/python" -I -m compileall -q "$root/inspector" >/dev/null 2>&1 || true
        installed_from >"$venv/ready-run"
    fi
    if [ "$1" != run ]; then
        # The project is there already; this adds what its extra names.
        pip_install "lmsp-inspector[$1]"
        installed_from >"$venv/ready-$1"
    fi
    printf '%s\n' "$made" >"$venv/made"
}

# $1 is what is_ready gets. Two set-ups at once wait for each other; a set-up that is not needed waits for nobody.
prepare() {
    is_ready "$1" && return
    (
        unset PYTHONHOME PYTHONPATH PYTHONSTARTUP
        if command -v flock >/dev/null && ! flock -n 9 2>/dev/null; then
            say "another set-up is at work here; waiting for it."
            flock 9
        fi
        make_ready "$1"
    ) 9<"$root/packaging/setup.sh" || exit $?
}
