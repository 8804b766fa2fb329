"""A worker that misbehaves as it is told: its only argument is a plan in JSON.

`{"planted": true, "start": "", "faults": [{"when": "value", "number": 3, "do": "exit"}]}`. It validates things of the
robust scene, `size` odd on the handwritten side alone when that difference is `planted`, and it keeps `truth.log` in
the current folder: a line for what it did, before it does it, so that a verdict can be held to what really happened.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from typing import Any

PLAN = json.loads(sys.argv[1])
KIND: dict[str, Any] = {
    "group": "thing.example.com", "version": "v1", "kind": "Thing", "resource": "things",
    "api_version": "thing.example.com/v1", "type": "thing.Thing",
}  # fmt: skip
GREETING = {"name": "hostile", "protocol": 1, "abilities": ["update"], "kinds": [KIND]}
LIVES = os.path.exists("truth.log")
DRAWN = random.Random(os.getpid())
TEXTS = {
    "long": "x" * 200_000, "escape": "\x1b[2J\x1b]0;a\x07", "lines": "a\nb\r\n\n", "nul": "\0",
    "half": "\ud800", "bidi": "\u202e",
    "markup": "</script><script>alert(1)</script>]]>-->",
    "format": "%s%n{0}{x.__class__}", "digits": "9" * 5000, "regex": "(((a+)+)+)+$", "empty": "",
}  # fmt: skip
said_truth: set[str] = set()


def truth(text: str) -> None:
    """Keep a line, once in each life."""
    if text not in said_truth:
        said_truth.add(text)
        with open("truth.log", "ab") as file:
            file.write(text.encode() + b"\n")


def put(data: bytes) -> None:
    """Write bytes to standard output, all of them."""
    while data:
        data = data[os.write(1, data) :]


def say(record: object) -> None:
    put(json.dumps(record).encode() + b"\n")


def error(kind: str, field: str, **others: object) -> dict[str, Any]:
    return {"type": kind, "field": field, **others}


def honest(case: dict[str, Any]) -> dict[str, Any]:
    """Answer as a worker of good will does."""
    spec = case["object"].get("spec") if isinstance(case["object"], dict) else None
    spec = spec if isinstance(spec, dict) else {}
    old = case.get("old")
    was = old.get("spec") if isinstance(old, dict) else None
    was = was if isinstance(was, dict) else {}
    name, size = spec.get("name", ""), spec.get("size", 0)
    if not isinstance(name, str) or not isinstance(size, int):
        return {"id": case["id"], "failure": {"stage": "decode", "message": "spec.name or spec.size has another type"}}
    answer: dict[str, Any] = {"id": case["id"], "handwritten": [], "declarative": []}
    if len(name) > 8 and name != was.get("name"):
        found = error("FieldValueTooLong", "spec.name", origin="maxLength", detail="may not be more than 8 characters")
        answer["handwritten"].append({**found, "covered": True})
        answer["declarative"].append({**found, "level": "beta"})
    if PLAN["planted"] and size % 2:
        found = error("FieldValueInvalid", "spec.size", origin="odd", detail="must be even", covered=True)
        answer["handwritten"].append(found)
    return answer


def is_due(fault: dict[str, Any], case: dict[str, Any], number: int) -> bool:
    """Whether a fault is to happen at this case, the `number`-th of this life."""
    n, spec = fault["number"], case["object"].get("spec") if isinstance(case["object"], dict) else None
    spec = spec if isinstance(spec, dict) else {}
    match fault["when"]:
        case "value":
            return isinstance(spec.get("size"), int) and bool(spec["size"] % (n + 2) == n + 1)
        case "name":
            return isinstance(spec.get("name"), str) and bool(len(spec["name"]) % (n + 1) == n)
        case "update":
            return bool(case["operation"] == "update")
        case "nth":
            return bool(number == n)
        case "share":
            return bool(DRAWN.random() < n / 10)
        case "first-life":
            return bool(not LIVES and number >= n)
    return True


def wait() -> None:
    time.sleep(600)


def odd_answer(what: str, answer: dict[str, Any]) -> bytes:
    """Bend an answer. Returns: what is to be printed in its place, as bytes."""
    ident = answer["id"]
    errors = answer.setdefault("handwritten", [])
    plain = error("FieldValueForbidden", "spec.tags", detail="no")
    match what:
        case "wrong-id":
            answer["id"] = ident + 1_000_000_007
        case "negative-id":
            answer["id"] = -ident
        case "text-id":
            answer["id"] = "a"
        case "null-id":
            answer["id"] = None
        case "float-id":
            answer["id"] = ident + 0.5
        case "huge-id":
            answer["id"] = 10**40
        case "no-id":
            del answer["id"]
        case "next-id":
            answer["id"] = ident + 1
        case "list":
            return b"[1, 2]\n"
        case "number":
            return b"17\n"
        case "two-on-a-line":
            return json.dumps(answer).encode() * 2 + b"\n"
        case "empty-lines":
            return b"\n\n" + json.dumps(answer).encode() + b"\n"
        case "not-json":
            return b"%%% hello\n"
        case "not-utf-8":
            return b'{"id": %d, "handwritten": [{"type": "a", "field": "\xff\xfe"}]}\n' % ident
        case "surrogate-bytes":
            return b'{"id": %d, "handwritten": [{"type": "a", "field": "\xed\xa0\x80"}]}\n' % ident
        case "nan":
            errors.append({**plain, "value": float("nan")})
        case "infinity":
            answer["nanoseconds"] = {"a": float("inf")}
        case "huge-number":
            answer["nanoseconds"] = {"a": 10**400}
        case "deep":
            return b'{"id": %d, "validated": {"v1": {"type": "a", "object": %s%s}}}\n' % (
                ident,
                b"[" * 9000,
                b"]" * 9000,
            )
        case "deep-extra":
            return b'{"id": %d, "extra": %s%s}\n' % (ident, b'{"a":' * 5000 + b"1", b"}" * 5000)
        case "huge-line":
            return b'{"id": %d, "extra": "%s"}\n' % (ident, b"x" * 600_000)
        case "endless-line":
            return b"x" * 700_000
        case "many-errors":
            errors += [error("FieldValueForbidden", f"spec.tags[{n}]", detail="no") for n in range(400)]
        case "too-many-errors":
            errors += [error("FieldValueForbidden", f"spec.tags[{n}]", detail="no") for n in range(3000)]
        case "errors-nowhere":
            errors += [error("FieldValueRequired", f"spec.a{n}.b[{n}]", detail=f"name it {n}") for n in range(300)]
        case "string-errors":
            answer["handwritten"] = "x"
        case "number-errors":
            answer["declarative"] = [3, None]
        case "object-errors":
            answer["declarative"] = {"a": plain}
        case "null-errors":
            answer["handwritten"] = None
        case "number-field":
            errors.append({**plain, "field": 5})
        case "bad-level":
            errors.append({**plain, "level": "gamma"})
        case "bad-stage":
            answer["failure"] = {"stage": "nowhere", "message": "a"}
        case "no-message":
            answer["failure"] = {"stage": "decode"}
        case "extra-keys":
            answer |= {"extra": [{"a": None}], "__class__": "x", "constructor": {}}
        case "versions":
            answer["versions"] = {"v9": [plain], "": [plain]}
        case "served":
            answer["served"] = [{"setting": "?", "gates": {"A": True}, "errors": [plain]}]
        case "validated":
            answer["validated"] = {"v1": {"type": "no.Such", "object": [[]], "options": {}}}
        case "cost":
            answer["cost"] = {"clock": "cpu", "parts": {"x": {"nanoseconds": []}}}
        case "panic":
            answer["failure"] = {"stage": "handwritten", "message": "panic: index out of range", "panic": True}
        case "fails":
            answer["failure"] = {"stage": "decode", "message": "cannot"}
        case "self":
            answer["failure"] = {"stage": "self", "message": "two answers", "panic": True}
        case "twice":
            return json.dumps(answer).encode() + b"\n" + json.dumps(answer).encode() + b"\n"
        case "contradiction":
            other = {**answer, "handwritten": [*errors, plain]}
            return json.dumps(answer).encode() + b"\n" + json.dumps(other).encode() + b"\n"
        case "crlf":
            return json.dumps(answer).encode() + b"\r\n"
        case "spaces":
            return b" \t" + json.dumps(answer, indent=None).encode() + b" " * 5000 + b"\n"
        case "bom":
            return b"\xef\xbb\xbf" + json.dumps(answer).encode() + b"\n"
        case "duplicate-keys":
            return json.dumps(answer).encode()[:-1] + b', "id": %d}\n' % ident
        case "repeated":
            errors += errors * 3
        case "shuffled":
            errors += [error("FieldValueForbidden", f"spec.tags[{n}]") for n in range(4)]
            DRAWN.shuffle(errors)
        case "flaky":
            if DRAWN.random() < 0.4:
                errors.append(error("FieldValueInvalid", "spec.tags", origin="luck", detail="no", covered=True))
        case _ if what.startswith("text-"):
            _, where, text = what.split("-")
            if where == "failure":
                answer["failure"] = {"stage": "handwritten", "message": TEXTS[text], "panic": True}
            else:
                errors.append({**plain, "covered": True, "origin": "o", where: TEXTS[text]})
        case _:
            raise SystemExit(f"no such fault: {what}")
    return json.dumps(answer).encode() + b"\n"


def act(what: str, answer: dict[str, Any]) -> bool:
    """Do something that is no answer. Returns: whether an honest answer is to follow."""
    match what:
        case "exit":
            os._exit(0)
        case "exit-3":
            print("fatal: told to", file=sys.stderr, flush=True)
            os._exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            wait()
        case "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "ignores-signals":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            wait()
        case "partial-exit":
            put(json.dumps(answer).encode()[:-3])
            os._exit(0)
        case "partial-hang":
            put(json.dumps(answer).encode()[:-3])
            wait()
        case "answer-exit":
            say(answer)
            os._exit(0)
        case "closes-stdout":
            os.close(1)
            wait()
        case "closes-stdin":
            os.close(0)
        case "closes-stderr":
            os.close(2)
        case "closes-all":
            os.closerange(0, 64)
            wait()
        case "floods":
            for _ in range(40):
                sys.stderr.write("x" * 20_000 + "\n\x1b[2J")
        case "floods-without-end":
            sys.stderr.write("\u202e" + "y" * 500_000)
        case "slow":
            time.sleep(0.02)
        case "drips":
            for byte in json.dumps(answer).encode() + b"\n":
                put(bytes([byte]))
            return False
        case "orphan":
            subprocess.Popen(["sleep", "30"])
            os._exit(4)
        case "child":
            subprocess.Popen(["sleep", "30"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        case "forks":
            for _ in range(90):
                subprocess.Popen(["sleep", "30"])
            wait()
        case "memory":
            raise MemoryError
        case _:
            put(odd_answer(what, answer))
            return False
    return True


def start(what: str) -> None:
    """Begin badly, or well."""
    match what:
        case "dies":
            print("no luck", file=sys.stderr)
            sys.exit(3)
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "silent":
            wait()
        case "rubbish":
            put(b"hello\n")
        case "protocol":
            say({**GREETING, "protocol": 99})
        case "text-protocol":
            say({**GREETING, "protocol": "1"})
        case "no-kinds":
            say({**GREETING, "kinds": []})
        case "bad-kinds":
            say({**GREETING, "kinds": [{"group": 1}]})
        case "null":
            put(b"null\n")
        case "deep":
            put(b"[" * 20_000 + b"\n")
        case "endless":
            put(b"x" * 900_000)
        case "half":
            put(json.dumps(GREETING).encode()[:-9])
            sys.exit(0)
        case "closes":
            os.close(1)
            wait()
        case "orphan":
            subprocess.Popen(["sleep", "30"])
            sys.exit(1)
        case "twice":
            say({**GREETING, "kinds": [KIND, KIND]})
        case "odd-name":
            say({**GREETING, "name": "\x1b[2J\n" + "n" * 3000})
        case "half-name":
            say({**GREETING, "name": "\ud800"})
        case "abilities":
            say(
                {
                    **GREETING,
                    "abilities": ["update", "nothing", "served", "versions", "validated", "repeat", "switches"],
                }
            )
        case "composition":
            say({**GREETING, "kinds": [{**KIND, "composition": "never"}]})
        case "normalization":
            say({**GREETING, "kinds": [{**KIND, "normalization": [["(((a+", "b"]]}]})
        case "other-type":
            say({**GREETING, "kinds": [{**KIND, "type": "no.Such"}, KIND]})
        case "empty-names":
            say({**GREETING, "kinds": [KIND, dict.fromkeys(KIND, "")]})
        case "many-kinds":
            say({**GREETING, "kinds": [KIND, *({**KIND, "resource": f"r{n}"} for n in range(60))]})
        case "goodbye":
            say(GREETING)
            sys.exit(0)
        case "":
            say(GREETING)
        case _:
            raise SystemExit(f"no such start: {what}")


def main() -> None:
    truth("begins")
    start(PLAN["start"])
    for number, line in enumerate(sys.stdin.buffer, 1):
        case = json.loads(line)
        answer = honest(case)
        shows = any(found["field"] == "spec.size" for found in answer.get("handwritten", ()))
        for fault in PLAN["faults"]:
            if is_due(fault, case, number):
                truth(f"did {fault['do']}")
                if not act(fault["do"], answer):
                    shows &= fault["do"] in PLAN["harmless"]
                    break
        else:
            say(answer)
        if shows:
            truth("planted")


main()
