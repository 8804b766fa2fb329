"""Compiles the CEL rules of a custom resource with cel-expr-python, and asks them.

The library has no optional values, times or overloads of its own functions in Python: a rule that needs them is
rewritten, token by token, into one that calls functions of `harness.pyschemas.crds.library`. What cannot be carried
over is refused with the rule and the reason, and never judged in another way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

from harness.pyschemas.adapter import UnusableError
from harness.pyschemas.crds.library import FUNCTIONS
from harness.pyschemas.crds.schema import Node
from harness.pyschemas.crds.values import escape

_TOKEN = re.compile(
    r"""[rRbB]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"|//[^\n]*|`[^`]*`|[A-Za-z_]\w*|[0-9][\w.]*|\s+|.",
    re.DOTALL,
)
_RENAMED = {"indexOf": "k8s_indexOf", "lastIndexOf": "k8s_lastIndexOf", "reverse": "k8s_reverse"}
_MAKERS = {"date-time": "k8s_time", "date": "k8s_date", "duration": "k8s_duration", "byte": "k8s_bytes"}
_SELF, _OLD = "self", "oldSelf"
_HAS_OLD, _STORED = "k8s_has_old", "k8s_old"
_ERRORS = (
    (re.compile(r'Key not found in map : "?([^"]*)"?'), r"no such key: \1"),
    (re.compile(r"Index error: index=(-?\d+).*"), r"index out of bounds: \1"),
    (re.compile(r"No matching overloads found.*|Applying SELECT to non-message type"), "no such overload"),
    (re.compile(r"divide by zero"), "division by zero"),
    (re.compile(r"integer overflow"), "integer overflow"),
)
"""What the library raises, in the words of the server. Source: cel-expr-python 0.1.3, cel-go v0.26 (2026-11)."""


class CelError(Exception):
    """What a rule raised, in the server's words where they are known."""


class Expression:
    """A rule or a message, compiled. `uses_old`: it reads the old object."""

    def __init__(self, source: str, node: Node, is_optional: bool = False) -> None:
        tokens = _TOKEN.findall(source)
        self.uses_old = _OLD in tokens
        self._is_optional = is_optional and self.uses_old
        text = _rewrite(source, tokens, node)
        if self._is_optional:
            old = f"{_HAS_OLD} ? optional.of({_STORED}) : optional.none()"
            text = f"cel.bind({_OLD}, {old}, ({text}))"
        try:
            self._compiled = _environment(self._is_optional).compile(text)
        except RuntimeError as error:
            raise _refused(source, str(error)) from None

    def ask(self, value: Any, old: Any, has_old: bool) -> Any:
        """Evaluate it. Raises: CelError."""
        known: dict[str, Any] = {_SELF: value}
        if self._is_optional:
            known |= {_HAS_OLD: has_old, _STORED: old}
        elif self.uses_old:
            known[_OLD] = old
        try:
            found = self._compiled.eval(data=known)
            if found.type().name() != "ERROR":
                return found.plain_value()
            text = str(found.value())
        except (RuntimeError, TypeError) as error:
            text = str(error)
        raise CelError(_words_of(text))


def _words_of(text: str) -> str:
    bare = re.sub(r"^[A-Z_]+: ", "", text)
    return next((pattern.sub(words, bare) for pattern, words in _ERRORS if pattern.search(bare)), bare)


def _refused(source: str, why: str) -> UnusableError:
    shown = " ".join(source.split())
    return UnusableError(
        f"the rule {shown!r:.160} cannot be asked in Python", why.removeprefix("INVALID_ARGUMENT: ").strip(),
        "correct it, or ask a server's own code: harness run --crd FILE --function FILE.py:NAME",
    )  # fmt: skip


@cache
def _environment(is_optional: bool) -> Any:
    try:
        from cel_expr_python import cel
        from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings
    except ImportError:
        why = "cel-expr-python evaluates the rules of x-kubernetes-validations"
        raise UnusableError("CEL rules need cel-expr-python", why, "pip install 'equivalence-harness[cel]'") from None
    kinds = cel.Type
    declared = []
    ordered = sorted(FUNCTIONS, key=lambda one: one.name)
    for name, overloads in groupby(ordered, key=lambda one: one.name):
        made = [
            cel.Overload(
                "_".join((name, "member" if one.is_member else "", *one.arguments)).replace(".", "_"),
                getattr(kinds, one.result), [getattr(kinds, each) for each in one.arguments], one.is_member, one.call,
            )
            for one in overloads
        ]  # fmt: skip
        declared.append(cel.FunctionDecl(name, made))
    variables = {_SELF: kinds.DYN, _OLD: kinds.DYN}
    if is_optional:
        variables = {_SELF: kinds.DYN, _HAS_OLD: kinds.BOOL, _STORED: kinds.DYN}
    extensions = [ext_optional.ExtOptional(), ext_strings.ExtStrings(), ext_bindings.ExtBindings()]
    return cel.NewEnv(variables=variables, functions=declared, extensions=extensions)


def _rewrite(source: str, tokens: list[str], node: Node) -> str:
    """Return a rule in which functions of the library stand for what cel-expr-python does not have."""
    if "authorizer" in tokens:
        raise _refused(source, "authorizer asks a server who may do what, and there is no server here")
    if "cel" in tokens:
        raise _refused(source, "a server has no cel.bind")
    solid = [at for at, token in enumerate(tokens) if not token.isspace() and not token.startswith("//")]
    near = dict(zip(solid, zip([-1, *solid], [*solid[1:], -1], strict=False), strict=False))
    has_addresses = "ip" in tokens or "cidr" in tokens
    made = list(tokens)
    for at in solid:
        before, after = (tokens[one] if one >= 0 else "" for one in near[at])
        token = tokens[at]
        if after != "(":
            continue
        if before == "." and token in _RENAMED:
            made[at] = _RENAMED[token]
        elif before != "." and token == "string" and has_addresses:
            made[at] = "k8s_string"
        elif (before == "." and token == "validate") or (token == "named" and before == "."):
            made[_closing(source, tokens, near[at][1])] += '[?"v"]'
    _make_times(source, tokens, made, solid, node)
    return "".join(token for token in made if not token.startswith("//"))


def _closing(source: str, tokens: list[str], opening: int) -> int:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[at], 0)
        if depth == 0:
            return at
    raise _refused(source, "a parenthesis is not closed")


def _make_times(source: str, tokens: list[str], made: list[str], solid: list[int], node: Node) -> None:
    """Make times, durations and bytes of the members that have these formats: `self.until`."""
    names = set(_typed_names(node))
    if not names & set(tokens) and not node.format:
        return
    wrapped: set[int] = set()
    for number, at in enumerate(solid):
        if tokens[at] not in (_SELF, _OLD) or (number and tokens[solid[number - 1]] == "."):
            continue
        below: Node | None = node
        last = number
        while below is not None and last + 2 < len(solid) and tokens[solid[last + 1]] == ".":
            members = {escape(name): one for name, one in below.properties.items()}
            if tokens[solid[last + 2]] not in members:
                break
            below, last = members[tokens[solid[last + 2]]], last + 2
        is_asked_for = number > 1 and tokens[solid[number - 2]] == "has" and tokens[solid[last + 1 :][0]] == ")"
        if below is not None and below.type == "string" and below.format in _MAKERS:
            wrapped.add(solid[last])
            if not is_asked_for:
                made[at] = f"{_MAKERS[below.format]}({made[at]}"
                made[solid[last]] += ")"
    for number, at in enumerate(solid):
        is_member = number > 0 and tokens[solid[number - 1]] in (".", "?")
        is_called = number + 1 < len(solid) and tokens[solid[number + 1]] == "("
        if tokens[at] in names and is_member and not is_called and at not in wrapped:
            why = f"{tokens[at]} is a time, a duration or bytes, and these are read by their path from self only"
            raise _refused(source, why)


def _typed_names(node: Node) -> Iterator[str]:
    waiting: list[Node] = [node]
    while waiting:
        one = waiting.pop()
        for name, below in one.properties.items():
            if below.type == "string" and below.format in _MAKERS:
                yield escape(name) or name
        waiting += [below for below in (*one.properties.values(), one.items, one.values) if below is not None]


def literals_of(rule: str) -> Iterator[str | int]:
    """Yield the texts and the whole numbers of a rule."""
    for token in _TOKEN.findall(rule):
        if token[:1] in ("'", '"') and len(token) > 1:
            yield token.strip("'\"")
        elif token.isdecimal() and len(token) < 19:
            yield int(token)
