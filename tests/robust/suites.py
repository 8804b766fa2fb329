"""Suites whose code misbehaves: while it is imported, or when a validator, a default or a generator of errors runs."""

from __future__ import annotations

from pathlib import Path

from tests.robust.scene import TYPES

SUITE = """from harness.suite import Suite, SuiteKind
from .handwritten import default, validate

SUITE = Suite("hostile", "example.com", [SuiteKind("Thing", "things", {"v1": "types.go"}, validate%s)])
"""
HANDWRITTEN = """import asyncio, builtins, ctypes, os, signal, subprocess, sys, threading, time
from harness.field import Path
from harness.field.make import invalid, too_long_characters

%(top)s

def misbehave(value):
%(body)s

def default(value):
    return value

def validate(new, old, context):
    spec, path = new.get("spec", {}), Path().child("spec")
    errors = []
    if %(when)s:
        made = misbehave(spec)
        if made is not None:
            return made
    was = None if old is None else old.get("spec", {}).get("name", "")
    name = spec.get("name", "")
    if len(name) > 8 and name != was:
        errors.append(too_long_characters(path.child("name"), 8, origin="maxLength", covered=True))
    return errors
"""
SOMETIMES = 'spec.get("count", 0) == 7'
ALWAYS = "True"

WAYS: dict[str, str] = {
    "loops": "while True: pass",
    "sleeps": "time.sleep(1000)",
    "waits": "threading.Event().wait()",
    "exits": "os._exit(0)",
    "sys-exit": "sys.exit(0)",
    "faults": "ctypes.string_at(0)",
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "kills-parent": "os.kill(os.getppid(), signal.SIGKILL)",
    "forks": "while True: os.fork()",
    "fork-once": "os.fork()",
    "leaves-process": "subprocess.Popen(['sleep', '30']); os._exit(3)",
    "closes-stdout": "sys.stdout.close(); os.close(1)",
    "closes-everything": "os.closerange(0, 256)",
    "floods": "[os.write(1, b'x' * 65536) for _ in range(100)]",
    "prints": "print('{\"id\": 1}')",
    "reads": "sys.stdin.read(); input()",
    "builtins": "builtins.len = builtins.isinstance = builtins.tuple = None",
    "million": "return [invalid(Path().child('spec'), n, 'bad') for n in range(1_000_000)]",
    "endless": "return (invalid(Path().child('spec'), 1, 'bad') for _ in iter(int, 1))",
    "memory": "return [bytes(1 << 20) for _ in iter(int, 1)]",
    "cancelled": "raise asyncio.CancelledError",
    "interrupt": "raise KeyboardInterrupt",
    "system-exit": "raise SystemExit(0)",
    "generator-exit": "raise GeneratorExit",
    "pytest-fail": "import pytest; pytest.fail('no')",
    "bad-str": "raise type('Bad', (Exception,), {'__str__': lambda self: 1 / 0})()",
    "threads": "threading.Thread(target=time.sleep, args=(1000,)).start()",
    "recursion": "return misbehave(value)",
    "surrogate": "return [invalid(Path().child('spec'), 1, '\\ud800')]",
    "no-errors": "return [3]",
    "odd-error": "return [invalid(Path().child('spec'), 1, 5)]",
    "stops-signals": "signal.signal(signal.SIGALRM, signal.SIG_IGN); time.sleep(1000)",
    "swallows": "\n        try:\n            while True: time.sleep(0.01)\n        except BaseException: pass",
}


def write_suite(folder: Path, body: str = "pass", *, top: str = "", when: str = SOMETIMES, more: str = "") -> Path:
    """Write a suite whose validator runs `body` for some objects, and `top` when it is imported."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "types.go").write_text(TYPES)
    (folder / "suite.py").write_text(SUITE % more)
    (folder / "handwritten.py").write_text(HANDWRITTEN % {"top": top, "body": "    " + body, "when": when})
    return folder
