"""Hostile suites, drawn: what their Python does to the process, where, and when, beside a real difference."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

from tests.robust import truth
from tests.robust.commands import Fault, Said
from tests.robust.scene import TYPES
from tests.robust.suites import WAYS

SUITE = """from harness.suite import Suite, SuiteKind

from .handwritten import default, validate

THING = SuiteKind("Thing", "things", {"v1": "types.go"}, validate%s)
SUITE = Suite("thing_v1", "thing.example.com", [THING])
"""
HANDWRITTEN = """import asyncio, builtins, ctypes, gc, os, random, resource, signal
import subprocess, sys, threading, time, warnings
from harness.field import Path
from harness.field.make import invalid, too_long_characters

DRAWN, CALLS, SAID = random.Random(os.getpid()), [0], set()
LOG = os.path.abspath("truth.log")
LIVES, FLAGS = os.path.exists(LOG), os.O_WRONLY | os.O_APPEND | os.O_CREAT


def truth(text, SAID=SAID, opened=os.open, write=os.write, close=os.close, flags=FLAGS, log=LOG):
    if text not in SAID:
        SAID.add(text)
        number = opened(log, flags, 0o644)
        write(number, text.encode() + b"\\n")
        close(number)


class Odd:
    def __init__(self, do):
        self.do = do

    def __str__(self):
        return self.do()

    __repr__ = __str__


def misbehave(value):
%(body)s


%(top)s


def default(value):
    %(default)s
    return value


def validate(new, old, context):
    truth("asked")
    CALLS[0] += 1
    spec, path, errors = new.get("spec") or {}, Path().child("spec"), []
    name, size = spec.get("name", ""), spec.get("size", 0)
    stored = (old or {}).get("spec") or {}
    if len(name) > 8 and name != stored.get("name", ""):
        errors.append(too_long_characters(path.child("name"), 8, origin="maxLength", covered=True))
    if size < 0 and (old is None or size != stored.get("size", 0)):
        said = "must be greater than or equal to 0"
        errors.append(invalid(path.child("size"), size, said, origin="minimum", covered=True))
    if %(planted)s and size %% 2:
        errors.append(invalid(path.child("size"), size, "must be even", origin="odd", covered=True))
    if %(when)s:
        truth("did %(way)s")
        made = misbehave(spec)
        if made is not None:
            return made
    if errors and errors[-1].detail == "must be even":
        truth("planted")
    return errors
"""
WHEN = {
    "value": "size %% %d == %d", "name": "len(name) %% %d == %d", "update": "old is not None", "nth": "CALLS[0] == %d",
    "share": "DRAWN.random() < 0.%d", "first-life": "not LIVES and CALLS[0] > %d", "always": "True", "never": "False",
}  # fmt: skip
AGAIN = frozenset({"value", "name", "update", "always"})

MORE: dict[str, str] = {
    "aborts": "os.abort()",
    "sleeps-shortly": "time.sleep(0.01)",
    "returns-number": "return 5",
    "returns-text": "return 'abc'",
    "returns-table": "return {1: 2}",
    "returns-none-in-list": "return [None]",
    "returns-lists": "return [[]]",
    "returns-itself": "return misbehave",
    "returns-iterator": "return iter([])",
    "returns-generator": "return (one for one in [])",
    "returns-broken-generator": "return (1 / 0 for one in [1])",
    "returns-true": "return True",
    "many-errors": "return [invalid(Path().child('spec', f'a{n}'), n, 'bad') for n in range(300)]",
    "odd-value": "return [invalid(Path().child('spec'), Odd(lambda: 1 / 0), 'bad')]",
    "odd-value-exits": "return [invalid(Path().child('spec'), Odd(lambda: os._exit(0)), 'bad')]",
    "odd-value-hangs": "return [invalid(Path().child('spec'), Odd(lambda: time.sleep(99)), 'bad')]",
    "odd-detail": "return [invalid(Path().child('spec'), 1, Odd(lambda: 'x'))]",
    "odd-path": "return [invalid('spec', 1, 'bad')]",
    "odd-origin": "return [invalid(Path().child('spec'), 1, 'bad', origin=5, covered='yes')]",
    "nan-value": "return [invalid(Path().child('spec'), float('nan'), 'bad')]",
    "huge-value": "return [invalid(Path().child('spec'), 10 ** 5000, 'bad')]",
    "huge-detail": "return [invalid(Path().child('spec'), 1, 'x' * 3000000)]",
    "escapes": "return [invalid(Path().child('spec', chr(27) + '[2J'), 1, chr(27) + '[2J' + chr(0))]",
    "raises": "raise ValueError('no')",
    "raises-half": "raise ValueError(chr(0xd800))",
    "raises-long": "raise ValueError('x' * 3000000)",
    "raises-lines": "raise ValueError('a' + chr(10) + chr(27) + '[2J' + chr(13))",
    "raises-group": "raise ExceptionGroup('a', [ValueError(1), KeyError(2)])",
    "raises-base-group": "raise BaseExceptionGroup('a', [KeyboardInterrupt()])",
    "raises-stop": "raise StopIteration(3)",
    "raises-class": "raise type('X' * 5000, (BaseException,), {})",
    "raises-memory": "raise MemoryError",
    "raises-timeout": "raise TimeoutError('it')",
    "raises-pipe": "raise BrokenPipeError",
    "asserts": "assert not value, value",
    "deep-cause": "\n        error = None\n        for n in range(3000):\n"
    "            new = ValueError(n); new.__cause__ = error; error = new\n        raise error",
    "no-limit-recursion": "sys.setrecursionlimit(10 ** 9); return misbehave(value)",
    "recursion-limit": "sys.setrecursionlimit(CALLS[0] and 60)",
    "changes-object": "value['size'] = 10 ** 6; value.pop('name', None)",
    "changes-object-deeply": "value['tags'] = value; value['self'] = [value]",
    "no-streams": "sys.stdout = sys.stderr = sys.stdin = None",
    "no-modules": "sys.modules.clear()",
    "no-path": "sys.path.clear()",
    "moves": "os.chdir('/')",
    "no-environment": "os.environ.clear()",
    "no-files": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    "no-processor": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1)); [None for _ in iter(int, 1)]",
    "alarm": "signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(0.05)",
    "no-alarm": "signal.setitimer(signal.ITIMER_REAL, 0)",
    "own-group": "os.setpgid(0, 0)",
    "no-garbage": "gc.disable()",
    "traces": "sys.settrace(lambda *a: 1 / 0); misbehave.__code__; (lambda: 1)()",
    "audits": "sys.addaudithook(lambda *a: (_ for _ in ()).throw(OSError('no')))",
    "warns": "warnings.warn('a' + chr(27)); warnings.simplefilter('error')",
    "thread-raises": "threading.Thread(target=lambda: 1 / 0).start()",
    "thread-exits": "threading.Thread(target=lambda: (time.sleep(0.02), os._exit(0))).start()",
    "thread-floods": "threading.Thread(target=lambda: [os.write(1, b'{}') for _ in range(3000)]).start()",
    "thread-loops": "threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()",
    "dies-later": "__import__('atexit').register(lambda: 1 / 0)",
    "deletes": "type('D', (), {'__del__': lambda self: 1 / 0})()",
    "class-of": "value.__class__ = int",
    "open": "builtins.open = builtins.print = builtins.__import__ = None",
    "time": "time.monotonic = time.perf_counter = time.time = lambda: 0",
    "json": "__import__('msgspec').json.encode = lambda *a: b'{}'",
    "child-answers": "os.fork() or (os.write(1, b'{\"id\": 1}' + b'\\\\n'), os._exit(0))",
    "child-stays": "subprocess.Popen(['sleep', '20'])",
    "child-holds": "os.fork() or (time.sleep(20), os._exit(0))",
    "writes-answers": "os.write(1, b'{\"id\": 1, \"handwritten\": []}' + b'\\\\n')",
    "writes-half": "os.write(1, b'{\"id\": ')",
    "reads-input": "os.read(0, 100000)",
    "closes-input": "os.close(0)",
    "flaky": "return None if DRAWN.random() < 0.6 else "
    "[invalid(Path().child('spec', 'tags'), 1, 'no', origin='luck', covered=True)]",
}
EVERY = WAYS | MORE | {"floods": "[os.write(1, b'x' * 65536) for _ in range(20)]"}
HARMLESS = frozenset({
    "prints", "floods", "swallows", "sleeps-shortly", "no-garbage", "thread-raises", "child-stays", "child-holds",
    "dies-later", "deletes", "no-path",
})  # fmt: skip
"""What changes no verdict. Threads that stay take memory until none can start, and who leads a session may not leave
its group: both raise."""
HARM = frozenset({
    "loops", "sleeps", "waits", "exits", "faults", "killed", "leaves-process", "stops-signals", "sys-exit", "million",
    "endless", "memory", "cancelled", "interrupt", "system-exit", "generator-exit", "pytest-fail", "bad-str",
    "recursion", "no-errors", "reads", "odd-error", "surrogate", "aborts", "returns-number", "returns-text",
    "returns-none-in-list", "returns-lists", "returns-itself", "returns-broken-generator", "returns-true", "odd-value",
    "odd-value-exits", "odd-value-hangs", "odd-detail", "odd-path", "raises", "raises-half", "raises-long",
    "raises-lines", "raises-group", "raises-base-group", "raises-stop", "raises-class", "raises-memory",
    "raises-timeout", "raises-pipe", "deep-cause", "no-limit-recursion", "class-of",
})  # fmt: skip
"""What is a finding, or the end of the run, whenever it happens."""
COMMANDS: tuple[tuple[str, ...], ...] = (
    *[("run", "thing")] * 14, ("check", "thing", "new.yaml"), ("kinds", "thing"), ("lint", "thing"),
    ("compile", "thing"), ("rules", "thing"), ("docs", "thing", "--output", "o"),
    ("record", "thing", "--max-cases", "20", "--output", "r.recording", "--jobs", "1"),
    ("bench", "thing", "--max-cases", "10", "--max-time", "1"), ("replay", "report.json", "thing"),
)  # fmt: skip


def faults(seed: int) -> Iterator[Fault]:
    """Draw hostile suites without an end; the same ones for the same seed."""
    drawn = random.Random(f"suites {seed}")
    while True:
        yield _fault(drawn)


def _fault(drawn: random.Random) -> Fault:
    way, where = drawn.choice(list(EVERY)), drawn.choice(("validator",) * 6 + ("import", "default", "thread"))
    when = drawn.choice(("value", "value", "name", "update", "nth", "share", "first-life", "always"))
    number = drawn.choice((1, 1, 2, 3, 7, 40))
    condition = _condition(when if where == "validator" else "never", number)
    call = f"truth('did {way}'); misbehave({{}})"
    top = "" if where != "import" else call
    if where == "thread":
        top = f"threading.Thread(target=lambda: ({call.replace('; ', ', ')}), daemon={drawn.random() < 0.5}).start()"
    source = HANDWRITTEN % {
        "body": "    " + EVERY[way], "top": top, "way": way, "when": condition, "planted": drawn.random() < 0.7,
        "default": call if where == "default" else "pass",
    }  # fmt: skip
    suite = SUITE % (", defaults={'v1': default}" if where == "default" else "")
    # Types of its own: those of the project are changed, so that `verify` has something to look at.
    texts = {"handwritten.py": source, "suite.py": suite, "types.go": TYPES}
    files = {f"thing/{name}": text.encode() for name, text in texts.items()}
    argv, after = drawn.choice(COMMANDS), None
    if argv[0] == "run":
        budget = ("--max-cases", drawn.choice(("60", "200", "400")), "--max-time", "3", "--jobs", "1")
        argv, after = (*argv, *budget, "--json", str(truth.REPORT)), partial(check_run, way, where, when)
    return Fault(f"suite {way} in {where} {when} {number}", argv, files, after=after)


def _condition(when: str, number: int) -> str:
    text = WHEN[when]
    if "%%" in text:
        return text % (number + 1, number)
    return text % number if "%" in text else text


def check_run(way: str, where: str, when: str, said: Said) -> Iterator[str]:
    """Yield what a run of this suite did not keep."""
    if "asked" not in truth.log() and said.code == 0:
        yield "a suite whose validator never ran is not exit code 0"
    again = where == "validator" and when in AGAIN and way in HARM
    did = frozenset({f"did {way}"})
    harm = did if again else frozenset()
    yield from truth.problems(
        said.code,
        harm=harm,
        lies=did - harm if way not in HARMLESS else frozenset(),
        strange=did if way not in HARMLESS else frozenset(),
    )
