"""What `harness verify` says of a change besides findings, as alerts beside the code and as Markdown.

Objects that users of base and head are told different things about, generated code that is stale, tags that the linter
refuses, and the verdict on every touched field.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.reporting.sarif import Level, SarifResult, SarifRule
from harness.reporting.terminal import describe
from harness.reporting.text import cut, fenced, lines, plain, pretty, visible
from harness.reporting.verification import UserChange, Verification
from harness.reporting.verified import DIRECTIONS, VERDICTS, change_title, effort_words, fields_worst_first

STALE = "stale-generated-code"
_OBJECT = 3_000  # characters of one object
_SENTENCE = 600  # characters of one message
_CHANGES = 30
_FIELDS = 100


def change_rules(told: Verification) -> list[SarifRule]:
    """Return the rules that the results name, in a fixed order."""
    words = [(name, f"An object {words}." if name != "other-errors" else "An object is rejected with other errors.")
             for name, words in DIRECTIONS.items() if any(one.direction == name for one in told.changes)]  # fmt: skip
    words += [(STALE, "Generated code does not say what the tags do: it was not generated anew.")] if told.stale else []
    words += [
        (code, f"`harness explain {code}` says what it means.") for code in sorted({one.code for one in told.lint})
    ]
    return [SarifRule(visible(name), sentence, sentence) for name, sentence in words]


def change_results(told: Verification) -> Iterator[SarifResult]:
    """Yield what a reviewer must see at a line of the change."""
    for change in told.changes:
        level: Level = "error" if change.is_verdict else "warning"
        words = f"{change_title(change)}: {DIRECTIONS[change.direction]}\n{lines(change.sentence)}"
        words += f"\nobject: {pretty(change.finding.case.object, _SENTENCE)}"
        words += f"\nreplay: {visible(change.replay)}" if change.replay else ""
        file, line = _place(change.finding.rule_source or change.finding.source)
        yield SarifResult(change.direction, level, words, file, line, fingerprint=change.fingerprint,
                     tolerated=f"exception {change.finding.exception}" if change.finding.exception else "")  # fmt: skip
    for one in told.stale:
        file, line = _place(one.place)
        yield SarifResult(STALE, "error", f"{lines(one.sentence)}\nfix: {visible(one.command)}", file or one.file, line)
    for lint in told.lint:
        file, line = _place(lint.place)
        words = lines(lint.message) + (f"\nfix: {lines(lint.fix)}" if lint.fix else "")
        yield SarifResult(visible(lint.code), "error", words, file, line)


def _place(place: str) -> tuple[str, int]:
    file, _, number = place.rpartition(":")
    return (file, int(number)) if file and number.isdecimal() else (place, 0)


def change_markdown(told: Verification) -> str:
    """Tell the verdict on every field, what changes for users, and what else is wrong with the change."""
    rows = [f"- **not searched**: {plain(text)}" for text in told.unsearched]
    rows += [f"- **stale**: {plain(one.sentence)} ({plain(one.place)}): {plain(one.command)}" for one in told.stale]
    rows += [f"- **lint** {plain(one.code)} ({plain(one.place)}): {plain(one.message)}" for one in told.lint]
    rows += [""] if rows else []
    fields = list(fields_worst_first(told))
    if fields:
        rows += ["| field | verdict | how hard it was tried |", "|---|---|---|"]
        for field in fields[:_FIELDS]:
            why = plain(cut(field.why, _SENTENCE)) or effort_words(field.effort)
            rows.append(f"| {plain(field.name)} | {VERDICTS[field.verdict]} | {why} |")
        rows += [f"\n{len(fields) - _FIELDS:,} more fields; the report has them all."] if len(fields) > _FIELDS else []
        rows.append("")
    rows += [_change(change) for change in told.changes[:_CHANGES]]
    left = len(told.changes) - _CHANGES
    rows += [f"{left:,} more changes for users; the report has them all.", ""] if left > 0 else []
    return "\n".join(rows) + "\n" if rows else ""


def _change(change: UserChange) -> str:
    title = f"{change_title(change)}: {DIRECTIONS[change.direction]}"
    rows = [f"<details><summary>{plain(title)}</summary>", "", plain(cut(change.sentence, _SENTENCE)), ""]
    rows.append(fenced("smallest object", "json", pretty(change.finding.case.object, _OBJECT)))
    if change.finding.case.old is not None:
        rows.append(fenced("old object", "json", pretty(change.finding.case.old, _OBJECT)))
    for name, errors in (("before", change.before), ("after", change.after)):
        told = "\n".join(describe(error, _SENTENCE) for error in errors[:8])
        rows.append(fenced(name, "text", told or "accepted"))
    rows += [fenced("replay", "sh", visible(change.replay))] if change.replay else []
    return "\n".join([*rows, "</details>", ""])
