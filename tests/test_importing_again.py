"""Importing again: after a reload, emptied `sys.modules` or Ctrl-C it works, or says what is wrong."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SMOKE = '''
import copy, importlib, os, pickle, pkgutil, sys, tempfile, warnings

def works(rs):
    """Each class meets those of other modules."""
    rules = rs.giuthi(5, 4)
    for play in (rs.Game(rules), rs.Match(rules, first=0), rs.Series(rules)):
        play.push(rs.Sow(0, direction="ccw"))
        text = rs.Record(play, {"South": "one"}).to_text()
        assert rs.Record.from_text(text) == rs.Record(play, {"South": "one"})
    small = rs.Position(rs.giuthi(3, 2), [2, 0, 1, 0, 1, 2])
    found = rs.solve(small), rs.simulate(rules, 3), rs.simulate_match(rules, matches=1)
    reference = rs.reference.Game(rules)
    batch = rs.Batch(rules, 2)
    batch.step(batch.sample())
    with tempfile.TemporaryDirectory() as folder:
        with rs.Tablebase.build(rs.giuthi(3, 2), 2, os.path.join(folder, "table")) as table:
            rs.analyse(rs.Game(small), depth=2, tablebase=table)
            for one in (*found, play, reference, table, rs.Sow(0), small.legal_moves, rs.svg(small)):
                copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))
    for error, call, given in (
        (rs.RulesError, rs.giuthi, {"lift": "x"}),
        (rs.PositionError, rs.Position, {"rules": rules, "pits": [1]}),
        (rs.IllegalMove, small.play, {"move": rs.Sow(4)}),
        (rs.NotationError, rs.Position.from_text, {"text": "x"}),
        (rs.TablebaseError, rs.Tablebase.open, {"path": __file__}),
    ):
        try:
            call(**given)
        except error:
            continue
        raise AssertionError(error)
'''

AGAIN = """
import relaysow
works(relaysow)
first, old = relaysow, relaysow.Game(relaysow.giuthi())
names = ["relaysow", *(m.name for m in pkgutil.walk_packages(relaysow.__path__, "relaysow."))]
loaded = {}
for name in names:
    try:
        loaded[name] = importlib.import_module(name)
    except ImportError as error:
        assert "relaysow[" in str(error), error  # an optional library
warnings.simplefilter("error")
for name, module in loaded.items():
    classes = {k: v for k, v in vars(module).items() if isinstance(v, type) and k in first.__all__}
    try:
        importlib.reload(module)
    except ImportError as error:
        assert str(error) == f"{name} cannot be loaded again in a process: restart Python", error
        refused = True
    else:
        refused = False
    print(name, "refuses" if refused else "works")
    assert {k: vars(module)[k] for k in classes} == classes, name
    works(first)

everything = [name for name in sys.modules if name.partition(".")[0] == "relaysow"]
for gone in (
    *([name] for name in everything),
    everything,
    [name for name in everything if name != "relaysow._core"],
    [name for name in everything if name != "relaysow"],
    everything,
):
    for name in gone:
        del sys.modules[name]
    for name in gone:
        importlib.import_module(name)
    import relaysow
    assert relaysow is first, gone
    assert relaysow.rules.Rules is first.Rules and relaysow.game.Game is first.Game, gone
    relaysow.Record(old), relaysow.Game(old.position)
    assert pickle.loads(pickle.dumps(old)).position == old.position
works(relaysow)
"""


def run(code: str, *, check: bool = True) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that runs `code`, which is its `__file__` too."""
    command = [sys.executable, "-c", f"__file__ = {__file__!r}\n{code}"]
    return subprocess.run(command, check=check, capture_output=True, text=True, timeout=60)


def test_reloaded_or_imported_again() -> None:
    """Every module refuses in plain words or is reloaded; from emptied `sys.modules`, all of it or
    of one module, the same package comes back, and what was made before goes on."""
    ran = run(SMOKE + AGAIN, check=False)
    assert ran.stderr == ""
    told = dict(line.split() for line in ran.stdout.splitlines())
    for name in (
        "_support.checks",
        "rules",
        "moves",
        "game",
        "match",
        "records",
        "exact.tablebase",
        "reference",
        "_support.files",
    ):
        assert told[f"relaysow.{name}"] == "refuses"
    for name in ("relaysow", "relaysow._core", "relaysow.cli"):
        assert told[name] == "works"


# Ctrl-C at one line after another of what is imported, each in a process of its own.
INTERRUPTED = '''
import dataclasses, typing
FORMS = {
    "package": lambda: importlib.import_module("relaysow"),
    "rest": lambda: [getattr(importlib.import_module("relaysow"), name)
                     for name in ("Record", "Match", "simulate", "Tablebase", "reference")],
}

class Interrupt:
    """Raises KeyboardInterrupt at a line of relaysow's modules, counted from 0."""
    def __init__(self, at):
        self.at, self.lines = at, 0
    def __call__(self, frame, event, _):
        if f"{os.sep}relaysow{os.sep}" not in frame.f_code.co_filename:
            return None
        if event in ("line", "return"):
            self.lines += 1
            if self.lines == self.at + 1:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

def tried(form, at):
    interrupt = Interrupt(at)
    sys.settrace(interrupt)
    try:
        FORMS[form]()
        return f"{interrupt.lines} lines"
    except BaseException as error:
        ended = type(error).__name__
    finally:
        sys.settrace(None)
    FORMS[form]()
    import relaysow, relaysow.moves
    game = relaysow.Game(relaysow.giuthi(5, 4))
    game.push(relaysow.moves.Sow(0, direction="ccw"))
    assert relaysow.Record.from_text(relaysow.Record(game).to_text()) == relaysow.Record(game)
    return ended

def in_a_process(form, at):
    """What comes of it in a process of which this one is the original."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = tried(form, at)
        except BaseException as error:
            told = f"then {error!r}"
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader) as told:
        return told.read()

for form, points in (("package", 24), ("rest", 12)):
    if form == "rest":
        import relaysow
    lines = int(in_a_process(form, -1).split()[0])
    assert lines > 300, lines
    for k in range(points):
        print(form, in_a_process(form, k * lines // points))
'''


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_interrupted_at_any_line() -> None:
    """Ctrl-C while relaysow is imported is Ctrl-C, and then it can be imported."""
    ran = run(SMOKE + INTERRUPTED, check=False)
    assert ran.stderr == ""
    told = ran.stdout.splitlines()
    assert told == ["package KeyboardInterrupt"] * 24 + ["rest KeyboardInterrupt"] * 12


def test_interrupted_and_then_imported_from_nothing() -> None:
    """Its core, of which there is one in a process, has learnt of classes that are gone."""
    ran = run(
        SMOKE
        + """
import relaysow._support.reloading
keep, relaysow._support.reloading.keep_package = relaysow._support.reloading.keep_package, None
del relaysow._core._package  # as if it had been interrupted before its last line
for name in [name for name in sys.modules if name.partition(".")[0] == "relaysow"]:
    del sys.modules[name]
import relaysow
works(relaysow)
"""
    )
    assert ran.stderr == ""


def test_a_sub_interpreter_is_refused() -> None:
    code = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
made = interpreters.create()
run = getattr(interpreters, "exec", None) or interpreters.run_string
import relaysow
try:
    told = run(made, "import relaysow")
except Exception as error:
    told = error
print(getattr(told, "formatted", told))
print(relaysow.Game(relaysow.giuthi()).legal_moves.count)
"""
    told = run(code).stdout
    python = "module relaysow._core does not support loading in subinterpreters"  # from 3.12 on
    assert "relaysow cannot be imported in a sub-interpreter" in told or python in told
    assert told.endswith("\n16\n")


def test_the_command_is_interrupted_while_it_is_loaded() -> None:
    code = """
import sys, relaysow.__main__
def interrupt(frame, event, _):
    if event == "call" and frame.f_code.co_filename.endswith("cli/__init__.py"):
        raise KeyboardInterrupt
sys.settrace(interrupt)
sys.exit(relaysow.__main__.main())
"""
    ran = run(code, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "relaysow: interrupted\n", 130)
    ran = run(code.replace("import sys, ", "import sys; sys.stderr = None; import "), check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 130)


def test_the_core_is_interrupted_while_it_is_loaded() -> None:
    """pybind11 makes an ImportError of whatever comes meanwhile."""
    code = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "relaysow._core":
            raise ImportError("initialization failed") from KeyboardInterrupt()

sys.meta_path.insert(0, Interrupted())
try:
    import relaysow
except KeyboardInterrupt:
    del sys.meta_path[0]
import relaysow
print(relaysow.giuthi().start().mover)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"


@pytest.mark.parametrize(
    ("name", "ends"), [("bin/relaysow", 130), ("relaysow.exe", 130), ("another", "in Python")]
)
def test_ctrl_c_while_the_package_is_loaded(name: str, ends: object) -> None:
    """The command ends with a line; whoever else imports it gets what Python makes of it."""
    code = f"""
import signal, sys

class Pressed:
    def find_spec(self, name, *_):
        if name == "relaysow.rules":
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = [{name!r}]
sys.meta_path.insert(0, Pressed())
try:
    import relaysow
except KeyboardInterrupt:
    print("in Python")
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if ends == 130:
        assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "relaysow: interrupted\n")
    else:
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "in Python\n", "")


def test_the_handler_of_the_loading_goes_when_the_command_answers() -> None:
    code = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["relaysow", "--version"]
import relaysow.__main__
assert signal.getsignal(signal.SIGINT) is relaysow._support.loading._leave
assert relaysow.__main__.main() == 0
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
