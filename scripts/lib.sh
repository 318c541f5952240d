# For the scripts beside this file. `prepare` makes .venv in the repository and installs into it, only when needed.
# What it says goes to standard error; what the tools say goes to .venv/setup.log and is shown when they fail.
# shellcheck shell=bash

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv

unset PYTHONHOME PYTHONPATH
[ -n "${HOME:-}" ] || unset HOME # an empty one would put caches at the top of the file system

# prepare [GROUP]: what kittybook needs to run and, if named, a dependency group of pyproject.toml.
prepare() {
  local group=${1:-runtime}
  if ! is_installed "$group"; then
    (
      find_python
      take_turn
      if ! is_installed "$group"; then install "$group"; fi
    ) 9<"$root" # take_turn locks this folder; the lock ends with the subshell
  fi
  export PATH="$venv/bin:$PATH"
}

say() { printf 'kittybook: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# A stamp is written after an installation has succeeded. It says what was installed, where and for which Python.
is_installed() {
  [ -f "$venv/.installed-$1" ] && [ ! -e "$venv/.unfinished" ] && [ "$(<"$venv/.installed-$1")" = "$(stamp)" ]
}

stamp() {
  printf '%s\n' "$root"
  "$venv/bin/python" -I -S -c 'import sys; print(*sys.version_info[:2], sep=".")' 2>/dev/null || echo 'no Python'
  cat -- "$root/pyproject.toml"
}

install() {
  local group=$1
  if ! is_usable; then make_venv; fi
  : >"$venv/.unfinished"
  if [ "$group" = runtime ]; then
    say "installing what kittybook needs to run"
    pip_install --editable .
  else
    say "installing kittybook with its '$group' tools (a minute or two)"
    pip_install --upgrade 'pip>=25.1' # older ones do not know dependency groups
    pip_install --editable . --group "$group"
    stamp >"$venv/.installed-$group"
  fi
  stamp >"$venv/.installed-runtime"
  rm -f -- "$venv/.unfinished"
}

# Half made, half installed, moved with its folder, or made by a Python that has gone: all of these are made anew.
is_usable() {
  [ -x "$venv/bin/python" ] && [ ! -e "$venv/.unfinished" ] &&
    "$venv/bin/python" -I -c 'import pip, sys; sys.exit(sys.version_info < (3, 11) or sys.prefix == sys.base_prefix)' \
      >/dev/null 2>&1 &&
    grep -qF -e "#!$venv/bin/python" -e "exec' $venv/bin/python" -e "exec' \"$venv/bin/python" -- "$venv/bin/pip"
}

make_venv() {
  if [ -e "$venv" ] || [ -L "$venv" ]; then say "the .venv here is unfinished, broken or moved: making it anew"; fi
  rm -rf -- "$venv"
  mkdir -- "$venv" || fail "nothing can be written to $root"
  : >"$venv/.unfinished"
  say "making .venv with $python"
  quietly "$python" -I -m venv "$venv"
}

pip_install() {
  (
    cd -- "$root" || exit
    export PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1
    if [ -z "${HOME:-}" ] || [ ! -w "$HOME" ]; then export PIP_NO_CACHE_DIR=1; fi
    quietly "$venv/bin/python" -m pip install "$@"
  )
}

quietly() {
  local status=0
  "$@" >"$venv/setup.log" 2>&1 </dev/null || status=$?
  if [ "$status" != 0 ]; then
    # What pip refuses, it refuses before it changes anything: what was installed earlier goes on working.
    if [ "$status" -lt 128 ] && [ -e "$venv/.installed-runtime" ]; then rm -f -- "$venv/.unfinished"; fi
    tail -n 15 -- "$venv/setup.log" >&2
    say "this failed: $*"
    say "all it said is in $venv/setup.log; the first time needs a network or a package index; then simply try again"
    exit "$status"
  fi
}

# Sets `python`: the first that is new enough and can make environments, never one inside an environment.
find_python() {
  local candidate found bare=''
  for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11 python; do
    found=$("$candidate" -I -c 'import sys
if sys.version_info >= (3, 11): print(getattr(sys, "_base_executable", "") or sys.executable)' 2>/dev/null) || continue
    if [ -z "$found" ]; then continue; fi
    if "$found" -I -c 'import ensurepip, venv' >/dev/null 2>&1; then
      python=$found
      return
    fi
    bare=${bare:-$found}
  done
  if [ -n "$bare" ]; then
    fail "$bare cannot make environments: it lacks 'ensurepip'. On Debian and Ubuntu: apt-get install" \
      "python3-venv. Or name another Python: PYTHON=/path/to/python3"
  fi
  fail "no Python 3.11 or newer found. Install one (Debian and Ubuntu: apt-get install python3 python3-venv)," \
    "or name it: PYTHON=/path/to/python3"
}

# get_program NAME [PACKAGE...]: installs a program from the Debian package of its name, where it is missing and that can
# be done, with other packages that it needs here. Where not, it fails and leaves the reason in `why`. After a failure it tries again only when an hour is over.
get_program() {
  local name=$1 log=$venv/$1.log
  shift
  why=''
  if command -v "$name" >/dev/null; then return; fi
  if ! command -v apt-get >/dev/null; then
    why="$name is not installed, and there is no apt-get to install it with"
  elif [ "$(id -u)" != 0 ]; then
    why="$name is not installed: apt-get install $name"
  elif [ -n "$(find "$log" -mmin -60 2>/dev/null)" ]; then
    why="$name is not installed: apt-get could not get it within the last hour; what it said is in $log"
  else
    say "installing $name (five minutes at most)"
    if apt_get 120 install "$name" "$@" >"$log" 2>&1 ||
      { apt_get 60 update && apt_get 120 install "$name" "$@"; } >>"$log" 2>&1; then
      rm -f -- "$log"
    else
      why="$name is not installed: apt-get could not get it; what it said is in $log"
    fi
  fi
  if [ -n "$why" ]; then
    say "$why"
    return 1
  fi
}

apt_get() {
  local seconds=$1
  shift
  DEBIAN_FRONTEND=noninteractive timeout --kill-after=5 "$seconds" \
    apt-get -qq --yes --no-install-recommends -o DPkg::Lock::Timeout=30 "$@" </dev/null
}

take_turn() {
  "$python" -I -c '
import fcntl, sys
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("kittybook: waiting for another installation in this folder", file=sys.stderr)
    fcntl.flock(9, fcntl.LOCK_EX)
except OSError:
    pass  # a file system without locks
'
}
