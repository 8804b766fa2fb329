"""Normalizes field paths of all versions by rules, which are regular expressions, and checks these rules.

A rule is a pair (regex, replacement) in Go's syntax, unanchored, `$1` for groups. The first rule that changes a path
wins, and only that one applies. Source: apimachinery pkg/util/validation/field/error_matcher.go (2026-07);
semantics.md#6.5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import re2

from harness.diagnostics import Diagnostic, InputError, Position

Rules: TypeAlias = Sequence[tuple[str, str]]
"""Pairs (regex, replacement), as `KindInfo.normalization` holds them."""

_VARIABLE = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))")
_MAX_CACHED = 8192  # paths contain map keys, so their number is unbounded

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


def compile_regex(pattern: str) -> Any:
    """Compile a regex for the linear-time engine.

    Raises: ValueError, with the message of the regex engine, if the regex is invalid.
    """
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        raise ValueError(_words(error)) from None
    except UnicodeEncodeError:
        raise ValueError("not valid Unicode text") from None


def _words(error: Exception) -> str:
    raw = error.args[0] if error.args else ""
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)


def _parts(replacement: str) -> list[tuple[str, str | None]]:
    """Split a Go replacement into pairs of a literal and the name of the group after it."""
    parts: list[tuple[str, str | None]] = []
    end = 0
    for found in _VARIABLE.finditer(replacement):
        text, end = replacement[end : found.start()], found.end()
        parts.append((text + "$", None) if found[1] else (text, found[2] or found[3]))
    return [*parts, (replacement[end:], None)]


def expander(replacement: str) -> Callable[[Any], str]:
    """Turn a Go replacement into a function of a match.

    `$name` takes the longest run of letters, digits and underscores, so `$1x` is a group called `1x`; a group that
    does not exist is empty; `$$` is a dollar. Source: Go regexp, Regexp.Expand (1.26).
    """
    parts = _parts(replacement)

    def expand(match: Any) -> str:
        return "".join(text if name is None else text + _group(match, name) for text, name in parts)

    return expand


def _group(match: Any, name: str) -> str:
    number = int(name) if name.isascii() and name.isdigit() else match.re.groupindex.get(name, -1)
    return (match.group(number) or "") if 0 <= number <= match.re.groups else ""


def _shape(pattern: str, replacement: str) -> str:
    """Return a regex that matches the possible results of a rule."""
    body = "".join(re.escape(text) + ("" if name is None else ".*") for text, name in _parts(replacement))
    return ("^" if pattern.startswith("^") else "") + body


def _matches(regex: Any, text: str) -> bool:
    try:
        return regex.search(text) is not None
    except UnicodeEncodeError:
        return False


class Normalizer:
    """Rewrites a path by the first rule that changes it, with a cache."""

    def __init__(self, rules: Rules = (), source: str = "normalization rules") -> None:
        """Raises: InputError with a diagnostic for every rule whose regex is invalid."""
        self.rules = tuple((str(pattern), str(replacement)) for pattern, replacement in rules)
        problems: list[Diagnostic] = []
        self._compiled: list[tuple[Any, Callable[[Any], str]]] = []
        for number, (pattern, replacement) in enumerate(self.rules, 1):
            try:
                self._compiled.append((compile_regex(pattern), expander(replacement)))
            except ValueError as error:
                problems.append(_bad_rule(source, number, pattern, str(error)))
        if problems:
            raise InputError(problems)
        self._known: dict[str, str] = {}
        self._outcomes: dict[str, bool] = {}
        self._results = [compile_regex(_shape(pattern, replacement)) for pattern, replacement in self.rules]

    def __call__(self, path: str) -> str:
        if not self._compiled:
            return path
        try:
            return self._known[path]
        except KeyError:
            return self._remember(path)

    def rule_for(self, path: str) -> int | None:
        """Return the index of the rule that rewrites this path, None when it stays."""
        for index, (regex, expand) in enumerate(self._compiled):
            if _replace(regex, expand, path) != path:
                return index
        return None

    def is_result(self, path: str) -> bool:
        """Whether a path may be the result of a rule, and so be a path of another version."""
        known = self._outcomes.get(path)
        if known is None:
            if len(self._outcomes) >= _MAX_CACHED:
                self._outcomes.clear()
            known = self._outcomes[path] = any(_matches(shape, path) for shape in self._results)
        return known

    def _remember(self, path: str) -> str:
        if len(self._known) >= _MAX_CACHED:
            self._known.clear()
        index = self.rule_for(path)
        result = path if index is None else _replace(*self._compiled[index], path)
        self._known[path] = result
        return result


def _replace(regex: Any, expand: Callable[[Any], str], path: str) -> str:
    try:
        return str(regex.sub(expand, path)) if regex.search(path) is not None else path  # most paths stay
    except UnicodeEncodeError:  # a lone surrogate in a map key, which no regex matches
        return path


def _bad_rule(source: str, number: int, pattern: str, error: str) -> Diagnostic:
    message = f"rule {number}: {pattern!r} is not a regular expression: {error}"
    why = "the regexes rewrite field paths of one version to those of another"
    return Diagnostic(
        Position(source), "normalization-regex", message, why, "RE2 syntax, as Go's regexp package has it"
    )


@lru_cache(maxsize=1024)
def normalizer(rules: tuple[tuple[str, str], ...]) -> Normalizer:
    """Return the shared normalizer of these rules."""
    return Normalizer(rules)


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """A wrong normalization rule: it never applies, or it maps two different fields to one path.

    `paths` are the two that collide, and `result` is their common path. `earlier` is the rule that changes every path
    first that an unused one would change; None where there is no such path. `version` is that of these paths.
    """

    kind: Literal["unused", "collision"]
    rule: tuple[str, str]
    version: str = ""
    paths: tuple[str, ...] = ()
    result: str = ""
    earlier: tuple[str, str] | None = None

    @property
    def first(self) -> str:
        """The rule that comes first, for a sentence; empty where there is none."""
        return _written(self.earlier) if self.earlier else ""

    @property
    def _behind(self) -> str:
        return f": {self.first} comes first on each path that it fits" if self.earlier else ""

    def __str__(self) -> str:
        rule = _written(self.rule)
        if self.kind == "unused":
            return f"the normalization rule {rule} changed no path of any version{self._behind}"
        first, second = self.paths
        return f"the normalization rule {rule} makes {first} and {second} of {self.version} one path, {self.result}"


def check_rules(rules: Rules, paths: Mapping[str, Iterable[str]]) -> tuple[RuleProblem, ...]:
    """Report rules that never apply or make two different fields of one version collide.

    `paths` are known declarative paths by version: of the types, or seen in a run. Fields of two versions may be
    mapped to one path, which is the purpose of rules; two fields of one version may not.
    Returns: problems in the order of the rules.
    """
    rewrite = Normalizer(rules)
    used: set[int] = set()
    found: list[RuleProblem] = []
    by_version = {version: tuple(dict.fromkeys(known)) for version, known in paths.items()}  # read again below
    for version, known in by_version.items():
        by_result: dict[str, list[str]] = {}
        for path in known:
            index = rewrite.rule_for(path)
            if index is not None:
                used.add(index)
            by_result.setdefault(rewrite(path), []).append(path)
        found += [_collision(rewrite, version, result, same) for result, same in by_result.items() if len(same) > 1]
    found += [_unused(rewrite, rule, by_version) for index, rule in enumerate(rewrite.rules) if index not in used]
    order = {rule: index for index, rule in reversed(list(enumerate(rewrite.rules)))}
    return tuple(sorted(found, key=lambda problem: order[problem.rule]))


def _written(rule: tuple[str, str]) -> str:
    """Write a rule for a sentence, its regex as it stands in code between backquotes."""
    pattern, replacement = rule
    return f"`{pattern}` -> `{replacement}`"


def _unused(rewrite: Normalizer, rule: tuple[str, str], paths: Mapping[str, tuple[str, ...]]) -> RuleProblem:
    """Report an unused rule, with the one that is first on a path that it would change by itself."""
    alone = Normalizer((rule,))
    for version, known in paths.items():
        indices = (rewrite.rule_for(path) for path in known if alone.rule_for(path) is not None)
        first = next((index for index in indices if index is not None), None)
        if first is not None:
            return RuleProblem("unused", rule, version, earlier=rewrite.rules[first])
    return RuleProblem("unused", rule)


def _collision(rewrite: Normalizer, version: str, result: str, paths: list[str]) -> RuleProblem:
    index = next(index for path in paths if (index := rewrite.rule_for(path)) is not None)
    return RuleProblem("collision", rewrite.rules[index], version, (paths[0], paths[1]), result)
