"""Names the function of a rule, and summarises rules for a comment."""

from __future__ import annotations

from collections.abc import Iterable

from harness.tags.rules import Check, EachKey, EachVal, Item, Mode, Option, Rule, Subfield


def name_of(rule: Rule) -> str:
    """Return a name for the function that runs a rule: `check_max_bytes_64`, `each_required_value_beta`."""
    # The name of the check function itself is used by its import.
    return f"check_{_name(rule)}" if isinstance(rule.body, Check) else _name(rule)


def _name(rule: Rule) -> str:
    return "_".join(part for part in (*_names(rule), rule.level) if part)


def _names(rule: Rule) -> Iterable[str]:
    body = rule.body
    if isinstance(body, Check):
        shown = [str(arg) for arg in body.args if isinstance(arg, str | int)][:1]
        return [body.custom or body.function.__name__, *shown]
    if isinstance(body, Mode):
        return [body.member.json_name, "by", body.discriminator.json_name]
    return [_part_name(body), _name(body.rule)]


def _part_name(body: EachVal | EachKey | Item | Subfield | Option) -> str:
    match body:
        case EachVal():
            return "each"
        case EachKey():
            return "each_key"
        case Item():
            return "_".join(str(value) for _, value in body.selector.keys)
        case Subfield():
            return body.member.json_name
        case Option():
            return f"{'if' if body.wanted else 'unless'}_{body.name}"


def summary_of(rules: Iterable[Rule]) -> str:
    """Return a summary of rules for a comment: `required, maxLength (beta), each format`."""
    return ", ".join(dict.fromkeys(_summary(rule) for rule in rules))


def _summary(rule: Rule) -> str:
    body = rule.body
    level = f" ({rule.level})" if rule.level else ""
    if isinstance(body, Check):
        return (rule.tag.removeprefix("k8s:") or body.function.__name__.replace("_", " ")) + level
    if isinstance(body, Mode):
        return f"{body.member.json_name} by {body.discriminator.json_name}"
    inner = _summary(body.rule)
    if isinstance(body, EachVal | EachKey):
        return f"each{' key' if isinstance(body, EachKey) else ''} {inner}{level}"
    if isinstance(body, Item):
        return f"item {body.selector.text} {inner}{level}"
    if isinstance(body, Subfield):
        return f"{body.member.json_name} {inner}{level}"
    return f"{inner} {'if' if body.wanted else 'unless'} {body.name}{level}"
