"""Renders the document as Markdown files: an index, and a page for every kind and every shared type.

Text from Go files is escaped, so that it cannot be read as Markdown or HTML, nor end a code span early.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.apidocs.document import ApiGroup, ApiReference, FieldRow, Key, Section, Statement
from harness.apidocs.positions import positions_text
from harness.report.escaping import count, visible

_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LEGEND = """Each row is a field by its path; `[*]` is every item of a list or value of a map. The last columns say what
each version makes of a rule: *standard* rules hold always, *beta* rules while the gate `DeclarativeValidationBeta` is
on, of *alpha* rules only mismatches with handwritten validation are counted; – is a field without the rule, and
*no field* is none at all. Rules marked *first* are checked first: when one fails, the other rules of its field, and
those below it, do not run. Where a field *may be absent*, an absent one breaks no rule. An update ratchets: what did
not change is not checked, except in rules of the object itself, `(object)`.
"""


def text(unsafe: str) -> str:
    """Escape text from Go files for one line of Markdown."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(unsafe.split()))).replace("\\<", "&lt;").replace("\\>", "&gt;")


def code(unsafe: str) -> str:
    """Write text from Go files as a code span in a table."""
    content = visible(" ".join(unsafe.split())).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", content)), default=0) + 1)
    pad = " " if "`" in content else ""
    return f"{fence}{pad}{content}{pad}{fence}" if content else ""


def text_with_code(unsafe: str) -> str:
    """Escape text, and turn each part between backquotes into a code span."""
    return "".join(code(part) if n % 2 else _text_part(part) for n, part in enumerate(unsafe.split("`")))


def _text_part(part: str) -> str:
    """Escape a part of a text; the spaces that separate it from a code span stay."""
    starts_with_space, ends_with_space = part[:1].isspace(), part[-1:].isspace() and len(part) > 1
    return (" " if starts_with_space else "") + text(part) + (" " if ends_with_space else "")


def render_pages(document: ApiReference) -> dict[str, str]:
    """Render every page, by its path below the output folder."""
    names = _file_names(document)
    pages = {"index.md": _index(document, names)}
    for group in document.groups:
        for section in group.sections:
            pages[names[section.key]] = _page(section, names)
    return pages


def _file_names(document: ApiReference) -> dict[Key, str]:
    """Name the file of every section, valid on any file system; names that differ only in case get a number."""
    names: dict[Key, str] = {}
    used: set[str] = set()
    for group in document.groups:
        for section in group.sections:
            base = "/".join(_UNSAFE.sub("-", part).strip(".") or "-" for part in (group.name, section.key.name))
            name, number = base, 1
            while name.lower() in used:
                number += 1
                name = f"{base}-{number}"
            used.add(name.lower())
            names[section.key] = f"{name}.md"
    return names


def _index(document: ApiReference, names: dict[Key, str]) -> str:
    lines = [
        f"# What {text(document.name)} validates",
        "",
        f"{count(document.kind_count, 'kind')} with {count(document.rule_count, 'declared rule')}, versions of a kind "
        "taken together. Handwritten validation checks more than is said here.",
        "",
        _LEGEND,
    ]
    for group in document.groups:
        lines += [f"## {text(group.name)}", "", *_group(group, names)]
    if document.updates:
        lines += ["## Updates, by tag", ""]
        lines += [f"- {code('+' + tag)}: {text_with_code(note)}" for tag, note in document.updates.items()] + [""]
    if document.skipped:
        lines += ["## Left out", "", "These packages ask for no validation (`+k8s:validation-gen=false`):", ""]
        lines += [f"- {code(path)}" for path in document.skipped] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _group(group: ApiGroup, names: dict[Key, str]) -> Iterator[str]:
    if group.sections:
        yield from ("| | versions | rules | |", "|---|---|---|---|")
        for one in group.sections:
            kind = "" if one.is_kind else "*shared type.* "
            yield (
                f"| [{text(one.key.name)}]({names[one.key]}) | {text(', '.join(one.versions))} | {one.total_rules} "
                f"| {kind}{text(one.summary)} |"
            )
        yield ""
    if group.without_rules:
        kinds = ", ".join(f"{text(name)} ({text(', '.join(versions))})" for name, versions in group.without_rules)
        yield from (f"No rules are declared for {kinds}.", "")


def _page(section: Section, names: dict[Key, str]) -> str:
    lines = [f"# {text(section.key.name)}", ""]
    shared = "" if section.is_kind else " · shared type"
    lines += [f"{text(section.key.group)} · {text(', '.join(section.versions))}{shared} · [index](../index.md)", ""]
    if section.summary:
        lines += [text(section.summary), ""]
    if section.is_kind:
        lines += [*_requests(section), ""]
    if section.linked_types:
        links = ", ".join(_link(key, names) for key in section.linked_types if key in names)
        lines += [f"Parts with rules of their own: {links}.", ""]
    if section.options:
        lines += [f"Options that decide: {', '.join(code(name) for name in section.options)}.", ""]
    lines += [f"Declared in {code(positions_text(section.positions))}.", "", *_table(section, names), ""]
    if section.used_by and not section.is_kind:
        lines += ["## Used by", ""]
        lines += [f"- {_link(key, names)}, {code(path or '(object)')}" for key, path in section.used_by] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _requests(section: Section) -> Iterator[str]:
    by_paths: dict[tuple[str, ...], list[str]] = {}
    for version, paths in section.requests.items():
        by_paths.setdefault(paths, []).append(version)
    for paths, versions in by_paths.items():
        targets = ", ".join("the object" if path == "/" else code(path) for path in paths)
        yield (f"In {text(', '.join(versions))}: requests" if len(by_paths) > 1 else "Requests") + f" for {targets}."


def _link(key: Key, names: dict[Key, str]) -> str:
    return f"[{text(key.name)}](../{names[key]})" if key in names else text(key.name)


def _table(section: Section, names: dict[Key, str]) -> Iterator[str]:
    yield "| field | rule | " + " | ".join(text(version) for version in section.versions) + " | where |"
    yield "|---|---|" + "---|" * len(section.versions) + "---|"
    for row in section.rows:
        field = f"{code(row.path or '(object)')} {text(row.type)}"
        for one in row.statements:
            states = " | ".join("–" if one.states[v] == "absent" else one.states[v] for v in section.versions)
            yield f"| {field} | {_rule(one)} | {states} | {code(positions_text(one.positions))} |"
            field = ""
        for remark in _remarks(row, names):
            yield f"| {field} | {remark} |" + " |" * (len(section.versions) + 1)
            field = ""


def _remarks(row: FieldRow, names: dict[Key, str]) -> Iterator[str]:
    if row.link is not None:
        yield f"rules of {_link(row.link, names)}"
    for note in row.notes:
        yield f"*{text_with_code(note)}*"


def _rule(one: Statement) -> str:
    condition = f" *{text_with_code(one.condition)}*" if one.condition else ""
    first = " (*first*)" if one.short_circuits and one.error else ""
    error = f"<br>{code(f'+{one.tag}')}: {text(one.error)}" if one.error and one.tag else ""
    return f"{text_with_code(one.text)}{condition}{first}{error}"
