"""A worker that misbehaves on demand: its first argument is how, objects say when.

An object `{"do": X}` makes it X: exit, hang, rubbish, endless, noise, twice,
contradiction, unknown-id, bad-level, errors, many, orphan, bomb, closes. Every other object is answered with one error
whose field is the object's `n`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

KIND = {"group": "g", "version": "v1", "kind": "K", "resource": "ks", "api_version": "g/v1"}


def say(record: object) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def main(mode: str) -> None:
    if mode == "dies":
        print("out of luck", file=sys.stderr)
        sys.exit(3)
    if mode == "forks":
        with Path(sys.argv[2]).open("w") as held_open:
            subprocess.Popen(["sleep", "60"], stdout=held_open)
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
        if todo == "orphan":  # what it starts holds its pipes, in a session of its own
            subprocess.Popen(["sleep", "60"], start_new_session=True)
            sys.exit(7)
        if todo == "bomb":
            for _ in range(20):
                subprocess.Popen(["sleep", "60"])
            time.sleep(60)
        if todo == "closes":  # its output, and goes on
            os.close(1)
            time.sleep(60)
        if todo == "hang":
            time.sleep(60)
        if todo == "rubbish":
            print("%%% not json", flush=True)
        if todo == "noise":
            print("x" * 100_000, file=sys.stderr, flush=True)
        answer: Any = {"id": case["id"], "handwritten": [{"type": "T", "field": str(case["object"].get("n"))}]}
        if todo == "unknown-id":
            say({"id": 123456789})
            continue
        if todo == "bad-level":
            answer["handwritten"][0]["level"] = "gamma"
        if todo == "errors":
            answer["handwritten"] = [{"type": "T", "field": f"l[{n}]"} for n in range(1000)]
        if todo == "repeats":
            answer["handwritten"] *= 1000
        if todo == "many":
            answer["handwritten"] *= 80
        if todo == "contradiction":  # both in one write, so that a busy machine cannot come between
            sys.stdout.write(json.dumps({"id": case["id"]}) + "\n")
        while todo == "endless":
            sys.stdout.write("x" * 10_000)
        if todo == "twice":
            say(answer)
        if mode == "swaps" and case["object"]["n"] % 10 == 3:
            answer["id"] += 1
        if mode != "backwards":
            say(answer)
            if mode == "one-answer":
                sys.exit(7)
            continue
        held.append(answer)
        if len(held) == 10:
            for one in reversed(held):
                say(one)
            held = []
    if mode == "talkative":
        say("goodbye")


main(sys.argv[1])
