"""A worker that misbehaves on demand: its first argument is how, objects say when.

An object `{"do": X}` makes it X: exit, hang, rubbish, endless, noise. Every other object is answered with one error
whose field is the object's `n`.
"""

from __future__ import annotations

import json
import sys
import time

KIND = {"group": "g", "version": "v1", "kind": "K", "resource": "ks", "api_version": "g/v1"}


def say(record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def main(mode: str) -> None:
    if mode == "dies":
        print("out of luck", file=sys.stderr)
        sys.exit(3)
    if mode == "silent":
        time.sleep(60)
    if mode == "rubbish":
        print("hello", flush=True)
    say({"name": "odd", "protocol": 99 if mode == "protocol" else 1, "kinds": [KIND]})
    held: list[object] = []
    for line in sys.stdin:
        case = json.loads(line)
        todo = case["object"].get("do")
        if mode == "always-dies" or todo == "exit":
            print("fatal: told to", file=sys.stderr, flush=True)
            sys.exit(7)
        if todo == "hang":
            time.sleep(60)
        if todo == "rubbish":
            print("%%% not json", flush=True)
        if todo == "noise":
            print("x" * 100_000, file=sys.stderr, flush=True)
        answer = {"id": case["id"], "handwritten": [{"type": "T", "field": str(case["object"].get("n"))}]}
        if todo == "unknown-id":
            say({"id": 123456789})
        if todo == "twice":
            say(answer)
        if mode != "backwards":
            say(answer)
            continue
        held.append(answer)
        if len(held) == 10:
            for one in reversed(held):
                say(one)
            held = []


main(sys.argv[1])
