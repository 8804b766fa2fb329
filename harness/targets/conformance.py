"""Does a worker keep the protocol? A list of checks that anybody can run against a worker of their own."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec

from harness.case import PROTOCOL, TargetInfo
from harness.targets.wire import decode_info, protocol_schema


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check: what was promised, whether it was kept, what was seen, and how to fix it."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""


class _Broken(Exception):
    """A check cannot go on: the worker gave no line in time, or none that is JSON."""


class _Talk:
    """A conversation with a worker, line by line, every read bounded in time."""

    def __init__(self, argv: Sequence[str], timeout: float) -> None:
        self._timeout = timeout
        self.process = subprocess.Popen(
            list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, bufsize=0,
        )  # fmt: skip
        self._pending = b""

    def __enter__(self) -> _Talk:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def say(self, *records: Any) -> None:
        """Send records, one line each."""
        self.say_raw(b"".join(msgspec.json.encode(record) + b"\n" for record in records))

    def say_raw(self, data: bytes) -> None:
        """Send bytes, without waiting for ever on a worker that does not read."""
        assert self.process.stdin is not None
        view, end = memoryview(data), time.monotonic() + self._timeout
        os.set_blocking(self.process.stdin.fileno(), False)
        while view:
            _, ready, _ = select.select([], [self.process.stdin], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise _Broken("it does not read its input")
            try:
                view = view[os.write(self.process.stdin.fileno(), view) :]
            except BrokenPipeError as error:
                raise _Broken("it closed its input") from error

    def line(self) -> bytes:
        """The next line. Raises: _Broken."""
        assert self.process.stdout is not None
        end = time.monotonic() + self._timeout
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise _Broken(f"it printed no line for {self._timeout:g} seconds")
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                raise _Broken("it ended")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def answer(self) -> dict[str, Any]:
        """The next line as an answer that fits the schema."""
        line = self.line()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _Broken(f"it printed a line that is not JSON: {line[:120]!r}") from error
        if problem := _problem("Answer", answer):
            raise _Broken(f"its answer does not fit the schema: {problem}")
        return dict(answer)

    def ends(self) -> bool:
        """Close its input; does it end by itself?"""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            return False
        return True


@cache
def _validator(name: str) -> Any:
    schema = protocol_schema()
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def _problem(name: str, record: Any) -> str:
    error = next(iter(_validator(name).iter_errors(record)), None)
    if error is None:
        return ""
    path = "/".join(str(part) for part in error.instance_path)
    return f"{path + ': ' if path else ''}{error.message[:200]}"


def check_worker(argv: Sequence[str], timeout: float = 20.0) -> list[CheckResult]:
    """Run every check. The worker is started once for the greeting and once for each check behind it.

    Units: `timeout` in seconds, for each line that is waited for.
    """
    greeting, info = _check_greeting(argv, timeout)
    results = list(greeting)
    if info is None or not info.kinds:
        return results
    for name, check, fix in _CHECKS:
        try:
            with _Talk(argv, timeout) as talk:
                talk.line()
                detail = check(talk, info)
        except (_Broken, OSError) as error:
            detail = str(error)
        results.append(CheckResult(name, not detail, detail, "" if not detail else fix))
    return results


def _check_greeting(argv: Sequence[str], timeout: float) -> tuple[list[CheckResult], TargetInfo | None]:
    name, fix = "greets", "print one TargetInfo line before anything else, and nothing but lines of the protocol"
    try:
        with _Talk(argv, timeout) as talk:
            line = talk.line()
        record = json.loads(line)
    except (_Broken, OSError, ValueError, RecursionError) as error:
        return [CheckResult(name, False, str(error), fix)], None
    if problem := _problem("TargetInfo", record):
        return [CheckResult(name, False, problem, fix)], None
    info = decode_info(line)
    keys = [kind.key for kind in info.kinds]
    doubled = sorted({str(key) for key in keys if keys.count(key) > 1})
    return [
        CheckResult(name, True, f"{info.name}, {len(info.kinds)} kinds"),
        CheckResult(
            "speaks this protocol", info.protocol == PROTOCOL, f"protocol {info.protocol}", f"say protocol {PROTOCOL}"
        ),
        CheckResult("serves something", bool(keys), f"{len(keys)} kinds", "list what you serve in `kinds`"),
        CheckResult(
            "names each kind once", not doubled, ", ".join(doubled),
            "group, version, resource and subresource together name a kind",
        ),
    ], info  # fmt: skip


def _case(info: TargetInfo, number: int, **over: Any) -> dict[str, Any]:
    kind = info.kinds[0]
    body = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": f"n{number}"}}
    case = {
        "id": number, "group": kind.group, "version": kind.version, "kind": kind.kind, "resource": kind.resource,
        "subresource": kind.subresource, "operation": str(kind.operations[0]), "object": body,
    }  # fmt: skip
    if case["operation"] == "update":
        case["old"] = body
    return case | over


def _answers_once(talk: _Talk, info: TargetInfo) -> str:
    talk.say(*(_case(info, number) for number in range(1, 301)))
    ids = [talk.answer().get("id") for _ in range(300)]
    if sorted(ids, key=str) != sorted(range(1, 301), key=str):
        return f"of 300 cases it answered {len(set(ids))} different ones"
    return ""


def _keeps_order(talk: _Talk, info: TargetInfo) -> str:
    talk.say(*(_case(info, number) for number in range(1, 101)))
    ids = [talk.answer().get("id") for _ in range(100)]
    return "" if ids == list(range(1, 101)) else "answers come in another order than cases"


def _is_the_same_twice(talk: _Talk, info: TargetInfo) -> str:
    talk.say(_case(info, 1), _case(info, 1))
    first, second = talk.answer(), talk.answer()
    first.pop("nanoseconds", None)
    second.pop("nanoseconds", None)
    return "" if first == second else "the same case got two different answers"


def _survives_unknown_kind(talk: _Talk, info: TargetInfo) -> str:
    talk.say(_case(info, 1, kind="NoSuchKind", resource="nosuchkinds"), _case(info, 2))
    if not talk.answer().get("failure"):
        return "a case of a kind that it does not serve got an answer without failure"
    return "" if talk.answer().get("id") == 2 else "the case after it was not answered"


def _survives_bad_object(talk: _Talk, info: TargetInfo) -> str:
    talk.say(_case(info, 1, object=["not", "an", "object"]), _case(info, 2))
    failure = talk.answer().get("failure") or {}
    if failure.get("stage") != "decode":
        return f"an object that cannot be decoded got {failure or 'no failure'}, expected a failure of stage decode"
    return "" if talk.answer().get("id") == 2 else "the case after it was not answered"


def _survives_unicode(talk: _Talk, info: TargetInfo) -> str:
    case = _case(info, 1)
    case["object"]["metadata"]["annotations"] = {"k": 'é世\u2028\U0001f600"\\\u0000'}
    talk.say(case)
    return "" if talk.answer().get("id") == 1 else "not answered"


def _survives_a_large_object(talk: _Talk, info: TargetInfo) -> str:
    case = _case(info, 1)
    case["object"]["metadata"]["annotations"] = {f"k{number}": "x" * 1000 for number in range(1000)}
    talk.say(case)
    return "" if talk.answer().get("id") == 1 else "not answered"


def _survives_depth(talk: _Talk, info: TargetInfo) -> str:
    deep = b"[" * 500 + b"]" * 500
    body = msgspec.json.encode(_case(info, 1, object={"spec": "DEEP"})).replace(b'"DEEP"', deep)
    talk.say_raw(body + b"\n")
    talk.say(_case(info, 2))
    return "" if [talk.answer().get("id"), talk.answer().get("id")] == [1, 2] else "not answered"


def _ends_at_the_end(talk: _Talk, info: TargetInfo) -> str:
    return "" if talk.ends() else "it goes on when its input is closed"


_CHECKS: tuple[tuple[str, Callable[[_Talk, TargetInfo], str], str], ...] = (
    ("answers every case once", _answers_once, "read one case per line and print one answer per line, with its id"),
    ("keeps the order", _keeps_order, "answer in the order of the cases; the harness sorts, but replay reads easier"),
    ("answers the same twice", _is_the_same_twice, "an answer depends on its case alone"),
    ("survives an unknown kind", _survives_unknown_kind, "answer with a failure of stage decode"),
    ("survives an undecodable object", _survives_bad_object, "answer with a failure of stage decode"),
    ("survives any Unicode", _survives_unicode, "read and print UTF-8"),
    ("survives an object of 1 MB", _survives_a_large_object, "do not limit the length of a line"),
    ("survives deep nesting", _survives_depth, "answer with a failure of stage decode instead of ending"),
    ("ends with its input", _ends_at_the_end, "end when standard input ends"),
)
