"""Renders an upgrade check on one screen of a terminal, and the sentences that the page shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from harness.report.escaping import count, cut, flat, visible
from harness.report.words import ALARM, DOUBT, GOOD, HINT
from harness.upgrade.document import EFFECTS, VERDICT_EFFECTS, ChangedObject, ChangeGroup, Effect, Upgrade

MAX_GROUPS: Final = 12
"""At most this many groups of an effect are shown."""
MAX_NAMES: Final = 5
"""At most this many objects of a group are named."""
MAX_LEFT_OUT: Final = 8
"""At most this many types that were not judged are shown."""
MAX_WIDTH: Final = 400
"""At most this many characters of an error."""

STYLE: dict[Effect, str] = {
    "stuck": ALARM, "sent-rejected": ALARM, "rejected": ALARM, "not-served": ALARM, "accepted": HINT,
    "other-errors": HINT,
}  # fmt: skip
REQUESTS: dict[str, str] = {
    "update": "an update that changes nothing",
    "annotate": "an update of an annotation",
    "status": "an update of the status that changes nothing",
    "create": "a create",
    "sent-create": "a create as it was sent",
    "sent-update": "an update as it was sent",
    "any": "any request",
}
"""The requests of an object, in words."""


def headline(document: Upgrade) -> tuple[str, str]:
    """Return the answer in a sentence, and its style."""
    stuck, changed = document.changed("stuck"), document.changed(*VERDICT_EFFECTS)
    if not document.objects:
        return "No object was judged", ALARM
    if stuck:
        return f"{count(stuck, 'object')} can no longer be updated under {document.after}", ALARM
    if changed:
        return f"{count(changed, 'change')} of a verdict under {document.after}", ALARM
    if document.exit_code in (2, 130):
        return f"Incomplete: nothing that was judged changes its verdict under {document.after}", DOUBT
    return f"No object changes its verdict under {document.after}", GOOD


def lead(document: Upgrade) -> str:
    """Say what was judged, and how."""
    kinds = sum(bool(one.objects) for one in document.kinds)
    gates = f" with {document.gates}" if document.gates else ""
    return (
        f"{count(document.objects, 'object')} of {count(kinds, 'kind')}, "
        f"{count(document.requests, 'request')} to each of {document.before} and {document.after}{gates}, "
        f"in {document.seconds:,.1f} s"
    )


def requests_text(group: ChangeGroup | ChangedObject) -> str:
    """Name the requests that change."""
    return ", ".join(REQUESTS.get(name, name) for name in group.requests)


def left_out_rows(document: Upgrade) -> list[str]:
    """Say what was not judged, and why."""
    return [
        f"{one.kind}: {count(one.count, 'object')}, {one.reason}; first {one.first}"
        + (f"; allowed by {one.allowed}" if one.allowed else "")
        for one in document.left_out
    ]


def screen(document: Upgrade, written: Sequence[str], names: int = MAX_NAMES, groups: int = MAX_GROUPS) -> list[Text]:
    """Render the check: the answer, every effect with its groups, what was not judged, and the written files."""
    words, style = headline(document)
    head = Text()
    head.append(words, style=style)
    head.append(f": {visible(lead(document))}")
    rows = [head]
    for effect in EFFECTS:
        rows += _effect(document, effect, names, groups)
    if document.stuck_before:
        what = count(document.stuck_before, "object")
        rows.append(Text(f"{what} can be updated under neither release: no upgrade changes that", style=HINT))
    rows += _unjudged(document)
    rows += [Text(cut(flat(note), MAX_WIDTH), style=HINT) for note in document.notes]
    return [*rows, *(Text(f"written: {visible(name)}") for name in written)]


def _effect(document: Upgrade, effect: Effect, names: int, most: int) -> Iterator[Text]:
    groups = document.of_effect(effect)
    if not groups:
        return
    row = Text()
    row.append(f"{count(sum(one.count for one in groups), 'object')}", style=STYLE[effect])
    row.append(f": {EFFECTS[effect]}")
    yield row
    for group in groups[:most]:
        cause = f"  {group.cause}" if group.cause else ""
        yield Text(f"  {visible(group.kind)}{cause}  {count(group.count, 'object')}: {requests_text(group)}")
        for error in group.errors[:3]:
            yield Text(f"    {cut(flat(error), MAX_WIDTH)}")
        if group.sentence and effect != "not-served":
            yield Text(f"    why: {cut(flat(group.sentence), MAX_WIDTH)}")
        if group.since:
            yield Text(f"    since: {visible(group.since)}")
        for one in group.objects[:names]:
            yield Text(f"    {visible(one.name)}  {visible(one.source)}")
        if group.count > names:
            yield Text(f"    … and {count(group.count - names, 'more object')}: --json and --html name them")
    if len(groups) > most:
        yield Text(f"  … {count(len(groups) - most, 'more group')}: -v shows them")


def _unjudged(document: Upgrade) -> Iterator[Text]:
    rows = left_out_rows(document)
    if rows:
        total = sum(one.count for one in document.left_out)
        is_open = any(not one.allowed for one in document.left_out)
        yield Text(f"not judged: {count(total, 'object')}", style=DOUBT if is_open else HINT)
        for text in rows[:MAX_LEFT_OUT]:
            yield Text(f"  {cut(flat(text), MAX_WIDTH)}")
        if len(rows) > MAX_LEFT_OUT:
            yield Text(f"  … {count(len(rows) - MAX_LEFT_OUT, 'more type')}")
        if is_open:
            yield Text("  fix: --allow-incomplete 'example.com/*' for types whose objects may be left out")
    if document.unread_count:
        yield Text(f"not read: {count(document.unread_count, 'problem')}, told above", style=DOUBT)
