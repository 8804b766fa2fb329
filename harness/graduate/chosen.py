"""Chooses the rules to certify: by kind and field, by tag, by level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.diagnostics import UsageError, near_miss
from harness.jsonpath import without_subscripts
from harness.rulecov.inventory import KnownRule
from harness.subject.api import Api
from harness.tags.registry import ALL_SPECS
from harness.tags.release import release_of

LEVELS = ("alpha", "beta")
"""The levels that a rule can rise from."""


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """What is chosen: `KIND.FIELD` names, tags and levels; a rule must fit one of each that is given."""

    fields: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()

    def choose(
        self, rules: Sequence[KnownRule], name: str, tag_on_line: Callable[[KnownRule], str] = lambda one: one.rule.tag
    ) -> tuple[KnownRule, ...]:
        """Return the chosen rules that have a level, in order. Raises: UsageError for a name that names nothing.

        A tag chooses the rules that it makes, and those of whose lines it is part: `+k8s:unique` makes none by itself.
        """
        if not (self.fields or self.tags or self.levels):
            raise UsageError("no rule is chosen\n  fix: name KIND.FIELD, or add --tag or --level beta")
        tags_of = [{known.rule.tag, tag_on_line(known)} for known in rules]
        tags = {_tag_name(tag, set().union(*tags_of), name) for tag in self.tags}
        for field in self.fields:
            _check_field(field, rules, name)
        fitting = [
            known
            for known, own in zip(rules, tags_of, strict=True)
            if (not self.fields or any(_is_of(known, field) for field in self.fields)) and (not tags or tags & own)
        ]
        found = tuple(
            known for known in fitting if known.rule.level and (not self.levels or known.rule.level in self.levels)
        )
        if found:
            return found
        if not fitting:
            raise UsageError(f"{name} has no rule that fits all of the options\n  fix: leave one of them out")
        held = sorted({known.rule.level or "standard" for known in fitting})
        wanted = " or ".join(self.levels or LEVELS)
        raise UsageError(
            f"none of {len(fitting)} rules of {name} that fit is of level {wanted}: they are {', '.join(held)}\n"
            "  why: a rule graduates from alpha or beta to standard\n"
            f"  fix: {_other_level(held) or '`harness rules` lists the levels of all rules'}"
        )


def require_levels(api: Api) -> None:
    """Require that the release of an API has levels. Raises: UsageError."""
    if not ALL_SPECS["k8s:beta"].known_in(release_of(api.release).minor):
        raise UsageError(
            f"{api.name} is of a release without levels: no rule of it can graduate\n"
            "  why: up to 1.35 gates decide about all rules at once\n"
            "  fix: name 1.36 or later"
        )


def _other_level(held: Iterable[str]) -> str:
    other = [level for level in held if level in LEVELS]
    return f"--level {other[0]}" if other else ""


def _tag_name(text: str, tags: Iterable[str], name: str) -> str:
    """Return the name of a tag, which may be given with or without its prefix."""
    bare = text.removeprefix("+")
    tag = bare if bare in ALL_SPECS else f"k8s:{bare}"
    declared = sorted(tags)
    if tag in declared:
        return tag
    what = "declares no error in" if tag in ALL_SPECS else "is no tag of"
    hint = near_miss(tag, declared) or f"one of {', '.join(declared)}"
    raise UsageError(f"--tag {text!r} {what} {name}\n  fix: {hint}")


def _split(text: str) -> tuple[str, str]:
    """Split `[group/version/]KIND.FIELD` into the kind, in lower case, and the path without subscripts."""
    prefix, slash, rest = text.strip().rpartition("/")
    kind, _, path = rest.partition(".")
    return f"{prefix}{slash}{kind}".lower(), without_subscripts(path)


def _kinds_of(known: KnownRule) -> tuple[str, str]:
    rule = known.rule
    return rule.kind.lower(), f"{rule.group or 'core'}/{rule.version}/{rule.kind}".lower()


def _paths_of(known: KnownRule) -> set[str]:
    return {without_subscripts(path) for path in (known.rule.path, *known.places)}


def _is_of(known: KnownRule, field: str) -> bool:
    kind, path = _split(field)
    return kind in _kinds_of(known) and path in _paths_of(known)


def _check_field(field: str, rules: Sequence[KnownRule], name: str) -> None:
    kind, path = _split(field)
    own = [known for known in rules if kind in _kinds_of(known)]
    if not own:
        kinds = {known.rule.kind.lower(): known.rule.kind for known in rules}
        named = field.rpartition("/")[2].partition(".")[0]
        wanted = f"{field.rpartition('/')[0]}/{named}".removeprefix("/")
        raise UsageError(f"{field!r}: {name} has no kind {wanted} with rules\n  fix: {_hint(named.lower(), kinds)}")
    paths = {one: f"{own[0].rule.kind}.{one}" for one in sorted(set().union(*map(_paths_of, own))) if one}
    if path not in paths:
        raise UsageError(f"{field!r} names no field with a rule of {name}\n  fix: {_hint(path, paths)}")


def _hint(text: str, names: Mapping[str, str]) -> str:
    """Return the name that is nearest to a text, as it is written, or some of all names."""
    near = near_miss(text, list(names)).removeprefix("did you mean ").removesuffix("?")
    return f"did you mean {names[near]}?" if near in names else f"one of {', '.join(list(names.values())[:6])}"
