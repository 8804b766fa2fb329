"""Checks whether a worker conforms to the wire protocol."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import jsonschema_rs
import msgspec

from harness.case import PROTOCOL, KindInfo, Operation, RuledKind, TargetInfo
from harness.targets.life import MAX_LINE
from harness.targets.wire import decode_info, protocol_schema


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check: the requirement, whether it is met, the observation, and a fix."""

    name: str
    ok: bool
    detail: str = ""
    fix: str = ""


class _Broken(Exception):
    """The worker printed no line in time, or a line that is not JSON, so the check is aborted."""


class _Ended(_Broken):
    """The worker closed its output."""


class _Talk:
    """A conversation with a worker, line by line, with a time limit for every read and write."""

    def __init__(self, argv: Sequence[str], timeout: float) -> None:
        self._timeout = timeout
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the talk
        try:
            self.process = subprocess.Popen(
                list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                start_new_session=True, bufsize=0,
            )  # fmt: skip
        except BaseException:
            self._errors.close()
            raise
        self._pending = b""

    def stderr_line(self) -> str:
        """Return the last line of its standard error, for a check that failed because the worker ended."""
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 4096))
        lines = self._errors.read().decode("utf-8", "replace").split("\n")
        return next((f"; it wrote: {line.strip()[:200]}" for line in reversed(lines) if line.strip()), "")

    def __enter__(self) -> _Talk:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._errors):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def send(self, *records: Any) -> None:
        """Send records as lines."""
        self.send_raw(b"".join(msgspec.json.encode(record) + b"\n" for record in records))

    def send_raw(self, data: bytes) -> None:
        """Send bytes and read at the same time, so that neither process blocks the other."""
        assert self.process.stdin is not None
        view, end = memoryview(data), time.monotonic() + self._timeout
        os.set_blocking(self.process.stdin.fileno(), False)
        while view:
            readable, writable = self._ready(end, writing=True)
            if readable:
                self._read()
            if writable:
                try:
                    view = view[os.write(self.process.stdin.fileno(), view) :]
                except BrokenPipeError as error:
                    raise _Broken("it closed its input") from error
                end = time.monotonic() + self._timeout
            elif not readable:
                raise _Broken("it does not read its input")

    def line(self) -> bytes:
        """Return the next line. Raises: _Broken."""
        end = time.monotonic() + self._timeout
        while b"\n" not in self._pending:
            if not self._ready(end, writing=False)[0]:
                raise _Broken(f"it printed no line for {self._timeout:g} seconds")
            self._read()
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def rest(self) -> bytes:
        """Close its input and return its remaining output. Raises: _Broken."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        end = time.monotonic() + self._timeout
        with suppress(_Ended):
            while self._ready(end, writing=False)[0]:
                self._read()
        return self._pending

    def _ready(self, end: float, writing: bool) -> tuple[bool, bool]:
        """Wait until `end` (of the monotonic clock) for something to read, and to write if asked."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        readers, writers = [self.process.stdout], [self.process.stdin] if writing else []
        readable, writable, _ = select.select(readers, writers, [], max(0.0, end - time.monotonic()))
        return bool(readable), bool(writable)

    def _read(self) -> None:
        assert self.process.stdout is not None
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0)  # afterwards its standard error is complete
            raise _Ended(f"it ended{self.stderr_line()}")
        self._pending += chunk
        if len(self._pending) > MAX_LINE:
            raise _Broken(f"it printed more than {MAX_LINE:,} bytes without an answer")

    def answer(self) -> dict[str, Any]:
        """Return the next line as an answer that fits the schema. Raises: _Broken."""
        line = self.line()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _Broken(f"it printed a line that is not JSON: {line[:120]!r}") from error
        if mismatch := _schema_error("Answer", answer):
            raise _Broken(f"its answer does not fit the schema: {mismatch}")
        return dict(answer)

    def ends(self) -> bool:
        """Close its input and return whether it ends by itself."""
        self.rest()
        try:
            self.process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            return False
        return True


@cache
def _validator(name: str) -> Any:
    schema = protocol_schema()
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})


def _schema_error(name: str, record: Any) -> str:
    """Return why a record does not fit its schema; empty if it does."""
    error = next(iter(_validator(name).iter_errors(record)), None)
    if error is None:
        return ""
    path = "/".join(str(part) for part in error.instance_path)
    return f"{path + ': ' if path else ''}{error.message[:200]}"


def check_worker(argv: Sequence[str], timeout: float = 20.0) -> list[CheckResult]:
    """Run every check. The worker is started once for the greeting and once for each further check.

    Units: `timeout` in seconds, per line.
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
    if mismatch := _schema_error("TargetInfo", record):
        return [CheckResult(name, False, mismatch, fix)], None
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
    return _case_of(kind, kind.operations[0], number) | over


def _case_of(kind: KindInfo, operation: Operation, number: int) -> dict[str, Any]:
    body = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": f"n{number}"}}
    case = {
        "id": number, "group": kind.group, "version": kind.version, "kind": kind.kind, "resource": kind.resource,
        "subresource": kind.subresource, "operation": str(operation), "object": body,
    }  # fmt: skip
    return case | {"old": body} if operation == Operation.UPDATE else case


def _answers_once(talk: _Talk, info: TargetInfo) -> str:
    # Not a round number, to detect a worker that prints its answers in batches of a fixed size.
    talk.send(*(_case(info, number) for number in range(1, 102)))
    ids = [talk.answer().get("id") for _ in range(101)]
    missing = set(range(1, 102)) - set(ids)
    return f"of 101 cases it left {len(missing)} unanswered and answered others twice" if missing else ""


def _has_many_in_flight(talk: _Talk, info: TargetInfo) -> str:
    for batch in range(20):
        talk.send(*(_case(info, batch * 100 + number) for number in range(1, 101)))
    ids = {talk.answer().get("id") for _ in range(2000)}
    return "" if ids == set(range(1, 2001)) else f"of 2,000 cases in flight it answered {len(ids)}"


def _prints_nothing_else(talk: _Talk, info: TargetInfo) -> str:
    talk.send(*(_case(info, number) for number in range(1, 11)))
    for _ in range(10):
        talk.answer()
    rest = talk.rest()
    return f"after its last answer it printed {rest[:120]!r}" if rest.strip() else ""


def _serves_each_kind(talk: _Talk, info: TargetInfo) -> str:
    kinds = [(kind, operation) for kind in info.kinds for operation in kind.operations]
    talk.send(*(_case_of(kind, operation, number) for number, (kind, operation) in enumerate(kinds, 1)))
    answered = {talk.answer().get("id") for _ in kinds}
    silent = {kind.name for number, (kind, _) in enumerate(kinds, 1) if number not in answered}
    return f"no answer for {', '.join(sorted(silent)[:5])}" if silent else ""


def _needs_no_optional_key(talk: _Talk, info: TargetInfo) -> str:
    case = _case(info, 1)
    for key in [key for key in ("resource", "subresource") if not case[key]]:
        del case[key]
    talk.send(case, {**_case(info, 2), "mode": "given", "options": {}, "versions": False, "a-later-key": [1]})
    return "" if _by_id(talk, 2).keys() == {1, 2} else "not answered"


def _by_id(talk: _Talk, count: int) -> dict[Any, dict[str, Any]]:
    """Read answers and return them by id, because they may arrive in any order."""
    answers = [talk.answer() for _ in range(count)]
    return {answer.get("id"): answer for answer in answers}


def _is_the_same_twice(talk: _Talk, info: TargetInfo) -> str:
    talk.send(_case(info, 1), _case(info, 1))
    first, second = talk.answer(), talk.answer()
    first.pop("nanoseconds", None)
    second.pop("nanoseconds", None)
    return "" if first == second else "the same case got two different answers"


def _survives_unknown_kind(talk: _Talk, info: TargetInfo) -> str:
    talk.send(_case(info, 1, kind="NoSuchKind", resource="nosuchkinds"), _case(info, 2))
    answers = _by_id(talk, 2)
    if not answers.get(1, {}).get("failure"):
        return "a case of a kind that it does not serve got an answer without failure"
    return "" if 2 in answers else "the case after it was not answered"


def _survives_bad_object(talk: _Talk, info: TargetInfo) -> str:
    talk.send(_case(info, 1, object=["not", "an", "object"]), _case(info, 2))
    answers = _by_id(talk, 2)
    failure = answers.get(1, {}).get("failure") or {}
    if failure.get("stage") != "decode":
        return f"an object that cannot be decoded got {failure or 'no failure'}, expected a failure of stage decode"
    return "" if 2 in answers else "the case after it was not answered"


def _shows_what_it_validated(talk: _Talk, info: TargetInfo) -> str:
    if "validated" not in info.abilities:
        return ""
    talk.send(_case(info, 1, validated=True), _case(info, 2))
    answers = _by_id(talk, 2)
    if answers.get(2, {}).get("validated"):
        return "a case that did not ask for `validated` got it"
    first = answers.get(1, {})
    version = info.kinds[0].version
    if first.get("failure") or first.get("validated", {}).get(version, {}).get("type"):
        return ""
    return f"it names the ability `validated`, and its answer has no validated[{version!r}] with a type"


def _answers_for_ruled_kinds(talk: _Talk, info: TargetInfo) -> str:
    if "declarative" not in info.abilities or not info.ruled:
        return ""
    one = info.ruled[0]
    body = {"apiVersion": f"{one.group}/{one.version}" if one.group else one.version, "kind": one.kind}
    talk.send({"id": 1, **_kind_keys(one), "operation": "create", "mode": "declarative", "object": body})
    answer = talk.answer()
    failure = answer.get("failure") or {}
    if failure.get("stage") not in (None, "declarative"):
        return f"{one.kind}, which is in `ruled`, got {failure}"
    return "a case of mode `declarative` got handwritten errors" if answer.get("handwritten") else ""


def _returns_costs(talk: _Talk, info: TargetInfo) -> str:
    if "measure" not in info.abilities:
        return ""
    talk.send(_case(info, 1, measure={"rounds": 3, "nanoseconds": 1000}), _case(info, 2))
    answers = _by_id(talk, 2)
    if answers.get(2, {}).get("cost"):
        return "a case that did not ask to `measure` got a `cost`"
    first = answers.get(1, {})
    if first.get("failure"):
        return ""
    parts = (first.get("cost") or {}).get("parts", {})
    if not {"handwritten", "declarative"} & parts.keys():
        return "it names the ability `measure`, and its `cost` has neither `handwritten` nor `declarative`"
    few = [name for name, part in parts.items() if len(part["nanoseconds"]) != 3]
    return f"of three rounds it returned another number of samples for {', '.join(few)}" if few else ""


def _kind_keys(one: RuledKind) -> dict[str, str]:
    return {"group": one.group, "version": one.version, "kind": one.kind}


def _survives_unicode(talk: _Talk, info: TargetInfo) -> str:
    case = _case(info, 1)
    case["object"]["metadata"]["annotations"] = {"k": 'é世\u2028\U0001f600"\\\u0000'}
    talk.send(case)
    return "" if talk.answer().get("id") == 1 else "not answered"


def _survives_a_large_object(talk: _Talk, info: TargetInfo) -> str:
    case = _case(info, 1)
    case["object"]["metadata"]["annotations"] = {f"k{number}": "x" * 1000 for number in range(1000)}
    talk.send(case)
    return "" if talk.answer().get("id") == 1 else "not answered"


def _survives_depth(talk: _Talk, info: TargetInfo) -> str:
    deep = b"[" * 5000 + b"]" * 5000
    body = msgspec.json.encode(_case(info, 1, object={"spec": "DEEP"})).replace(b'"DEEP"', deep)
    talk.send_raw(body + b"\n")
    talk.send(_case(info, 2))
    return "" if _by_id(talk, 2).keys() == {1, 2} else "not answered"


def _ends_at_the_end(talk: _Talk, info: TargetInfo) -> str:
    return "" if talk.ends() else "it does not end when its input is closed"


_CHECKS: tuple[tuple[str, Callable[[_Talk, TargetInfo], str], str], ...] = (
    ("answers every case once", _answers_once, "read one case per line and print one answer per line, with its id"),
    ("has many cases in flight", _has_many_in_flight, "go on reading: cases come before earlier answers are read"),
    ("answers for each kind", _serves_each_kind, "list only what you answer for, with its operations"),
    ("needs no optional key", _needs_no_optional_key, "a missing key has its default, an unknown one is ignored"),
    ("prints nothing else", _prints_nothing_else, "write everything but answers to standard error"),
    ("answers the same twice", _is_the_same_twice, "an answer depends on its case alone"),
    ("survives an unknown kind", _survives_unknown_kind, "answer with a failure of stage decode"),
    ("survives an undecodable object", _survives_bad_object, "answer with a failure of stage decode"),
    ("shows what it validated", _shows_what_it_validated, "answer `validated` by version, or do not name the ability"),
    ("answers for ruled kinds", _answers_for_ruled_kinds, "list in `ruled` only kinds that mode `declarative` takes"),
    ("tells what it costs", _returns_costs, "answer `cost` with a sample for each round and part"),
    ("survives any Unicode", _survives_unicode, "read and print UTF-8"),
    ("survives an object of 1 MB", _survives_a_large_object, "do not limit the length of a line"),
    ("survives deep nesting", _survives_depth, "answer with a failure of stage decode instead of ending"),
    ("ends with its input", _ends_at_the_end, "end when standard input ends"),
)
