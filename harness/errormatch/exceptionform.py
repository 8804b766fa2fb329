"""Checks the form of entries of equivalence_exceptions.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from harness.diagnostics import Position, near_miss
from harness.errormatch.entries import Entry, EntryFile, Form
from harness.errormatch.exceptionentry import (
    ANY,
    BOTH,
    PLACE,
    SCOPE,
    SEVERITIES,
    UNEXPLAINED,
    VERSION,
    GroupRule,
    parse_rule,
)
from harness.field import ErrorType

IGNORED = "occurs"
"""A key of older files. It is accepted and ignored, because witnesses decide which entries are unused."""
_OPTIONAL = (VERSION, "link", IGNORED)
FORM = Form(
    "exception",
    "exception",
    ("suite", *SCOPE, "severity", "reason", "owner", "until"),
    _OPTIONAL,
    may_be_empty=("path", "type", "origin", "link"),
    variant=Form(
        "exception for a group",
        "exception",
        ("suite", *PLACE, "rules", "reason", "owner", "until"),
        _OPTIONAL,
        may_be_empty=("link",),
        lists=("rules",),
        either=tuple(PLACE),
    ),
)

MAX_WILDCARDS = 3
"""An entry with more wildcards than this is too wide for one finding or one root cause."""

MISMATCHES = (
    "unmatched", "extra", "served", "version", "conversion", "generated", "composition", "path", "panic", "self",
)  # fmt: skip
SIDES = ("handwritten", "declarative", "both")


def check(page: EntryFile, entry: Entry, causes: Iterable[str]) -> None:
    """Add diagnostics for all invalid values of an entry. `causes` are the codes of all causes."""
    named = (
        *(cause for cause in causes if cause != UNEXPLAINED),
        ANY,
    )  # that one means no cause yet
    if "rules" in entry.lists:
        _check_group(page, entry, named)
    else:
        _one_of(page, entry, "severity", SEVERITIES)
        _one_of(page, entry, "mismatch", (*MISMATCHES, ANY))
        _one_of(page, entry, "cause", named)
        _check_type(page, entry.place("type"), entry["type"])
        _check_stars(page, entry)
        _check_width(page, entry)
    _check_version(page, entry)
    _check_until(page, entry)


def _check_version(page: EntryFile, entry: Entry) -> None:
    text = entry[VERSION]
    if ANY in text or "/" in text:
        why = "it is a version of the group, and an entry without it is for every version"
        page.complain(entry.place(VERSION), "value", f"unknown version {text!r}", why, "version: v1beta1", len(text))


def _check_group(page: EntryFile, entry: Entry, causes: Sequence[str]) -> None:
    if ANY in entry["suite"]:
        why, fix = "a group is part of one suite", "write one entry for each suite"
        page.complain(entry.place("suite"), "wide", "suite is open", why, fix, len(entry["suite"]))
    for key, known in (("place", ()), ("cause", causes), ("side", SIDES)):
        _check_values(page, entry, key, known)
    is_open = ANY in (text for text, _ in page.texts(entry, "cause"))
    seen: set[GroupRule] = set()
    for text, place in entry.lists["rules"]:
        rule = parse_rule(text)
        if rule is None:
            why = (
                "a rule is MEMBER TYPE/ORIGIN MISMATCH SEVERITY, with - for no member or type, and no /ORIGIN for none"
            )
            fix = "- spec.name FieldValueInvalid/format=k8s-short-name unmatched graduation"
            page.complain(place, "rule", f"this is not a rule: {text[:80]!r}", why, fix, len(text))
        elif rule in seen:
            page.complain(place, "rule", "the entry has the rule twice", "one is enough", "remove one", len(text))
        else:
            seen.add(rule)
            _check_rule(page, place, rule, is_open)


def _check_values(page: EntryFile, entry: Entry, key: str, known: Sequence[str]) -> None:
    """Report invalid values of a key that has one value or a list."""
    texts = page.texts(entry, key)
    for number, (text, place) in enumerate(texts):
        if known and text not in known:
            why = f"{key} is one of {', '.join(known)}"
            page.complain(place, "value", f"unknown {key} {text!r}", why, near_miss(text, known), len(text))
        elif not known and ANY in text:
            why = "a group may be open in kinds, versions and operations, but it names its Go types"
            page.complain(place, "wide", f"{key} is open", why, "name each Go type, in a list", len(text))
        elif not known and (not text.strip() or BOTH in text):
            page.complain(
                place, "value", f"{text!r} is not a Go type", "several types are a list", "- k8s.io/api/core.Pod"
            )
        elif text in [one for one, _ in texts[:number]]:
            page.complain(place, "value", f"{key} has {text!r} twice", "once is enough", "remove one", len(text))


def _check_rule(page: EntryFile, place: Position, rule: GroupRule, is_open: bool) -> None:
    for name, value, known in (
        ("mismatch", rule.mismatch, (*MISMATCHES, ANY)),
        ("severity", rule.severity, SEVERITIES),
    ):
        if value not in known:
            why = f"{name} is one of {', '.join(known)}"
            page.complain(place, "value", f"unknown {name} {value!r}", why, near_miss(value, known))
    wide = (*rule.open, *(["cause"] if is_open else ()))
    if len(wide) > MAX_WILDCARDS:
        why = f"at most {MAX_WILDCARDS} of member, type, origin, mismatch and cause may be open"
        page.complain(place, "wide", f"{', '.join(wide)} are open", why, "name the cause, or the type of the error")
    _check_type(page, place, rule.type)
    for name, value in (("member", rule.member), ("type", rule.type), ("origin", rule.origin)):
        if ANY in value.replace("[*]", "") and value != ANY:
            why = "* means any value; a part of a member may only be [*], for any subscript"
            page.complain(place, "value", f"{name} contains a single *: {value!r}", why, "write the whole value")


def _one_of(page: EntryFile, entry: Entry, key: str, known: Sequence[str]) -> None:
    value = entry[key]
    if value in known:
        return
    why = f"{key} is one of {', '.join(word or chr(34) * 2 for word in known)}"
    if value == ANY:
        why = "an exception must name one, the worst severity that it tolerates"
    page.complain(entry.place(key), "value", f"unknown {key} {value!r}", why, near_miss(value, known), len(value))


def _check_type(page: EntryFile, place: Position, name: str) -> None:
    """Reject misspelt types only, because workers in other languages may have types of their own."""
    known = [str(one) for one in ErrorType]
    guess = near_miss(name, known) if name not in known else ""
    if guess:
        page.complain(place, "value", f"unknown type {name!r}", f"known types: {', '.join(known)}", guess, len(name))


def _check_until(page: EntryFile, entry: Entry) -> None:
    try:
        if len(entry["until"]) != 10:
            raise ValueError
        date.fromisoformat(entry["until"])
    except ValueError:
        message = f"until must be a day, got {entry['until']!r}"
        page.complain(entry.place("until"), "value", message, "every exception ends", "until: 2027-01-31")


def _check_stars(page: EntryFile, entry: Entry) -> None:
    for key in ("suite", *SCOPE):
        rest = entry[key].replace("[*]", "") if key == "path" else entry[key]
        if ANY in rest and entry[key] != ANY:
            why = '"*" means any value; a part of a path may only be [*], for any subscript'
            page.complain(
                entry.place(key), "value", f"{key} contains a single *: {entry[key]!r}", why, "write the whole value"
            )


def _check_width(page: EntryFile, entry: Entry) -> None:
    stars = [key for key in ("suite", *SCOPE) if entry[key] == ANY]
    fix = "write one entry for each finding; the report prints what to copy"
    if entry["suite"] == ANY and entry["path"] == ANY:
        page.complain(
            entry.position, "wide", "suite and path are both open", "it would hide findings that are not known yet", fix
        )
    elif len(stars) > MAX_WILDCARDS:
        why = f"at most {MAX_WILDCARDS} keys may be open"
        page.complain(entry.position, "wide", f"{len(stars)} keys are open: {', '.join(stars)}", why, fix)
