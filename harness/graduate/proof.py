"""Proves that a rule and its handwritten check report the same error, for all objects that are created.

Both are read from the Go sources as conditions on the object (`conditions`), and z3 looks for an object on which one
reports the error and the other does not. What was not read exactly stands in the conditions as an unknown that may be
true or false, so that nothing is proved from it. Texts are compared for equality, and by their length in bytes and
characters; calls of libraries and regular expressions are functions of which nothing is known but their arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Literal

import msgspec

from harness.diagnostics import UsageError
from harness.graduate.conditions import ErrorRead, KindRead, SideRead

BOUNDS = "created objects with any values and any number of items; type, path and origin of the error, not its words"
"""What a proof is about."""

MOST_WORK = 100_000_000
"""So much work of z3 (its `rlimit`) is spent on a question, about six seconds. A limit in seconds would prove less on a
busy machine. Of the 609 questions about the beta rules of 1.37.1 none took more than a tenth of it."""
_LIMITS = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
_LIMITS["int"] = _LIMITS["int64"]
_SIZES = ("len:", "bytes:", "runes:")


class Solved(msgspec.Struct, frozen=True):
    """What reading and solving alone say: `differs` is nothing that anybody was shown yet."""

    outcome: Literal["proved", "differs", "unread"]
    why: str


def load_solver() -> Any:
    """Import z3, late: it takes a moment, and only proofs need it. Raises: UsageError if it is not installed."""
    try:
        return import_module("z3")
    except ImportError:
        raise UsageError(
            "--prove needs z3-solver, which is not installed\n  fix: pip install 'equivalence-harness[prove]'"
        ) from None


class Prover:
    """Proves the rules of one kind; `work` is what z3 may spend on a question."""

    def __init__(self, kind: KindRead, work: int = MOST_WORK) -> None:
        self._kind, self._z3 = kind, load_solver()
        self._terms = _Terms(self._z3)
        self._work = work

    def prove(self, places: Sequence[tuple[str, str]], type_: str, origin: str, level: str) -> Solved:
        """Compare a rule, at its path and at that of the check, with the marked errors of the check."""
        for side, name in ((self._kind.declarative, "generated"), (self._kind.handwritten, "handwritten")):
            if side.problem:
                return Solved("unread", f"the {name} validation: {side.problem}")
        for place, inner in places:
            found = self._at(place, inner, type_, origin, level)
            if found.outcome != "proved":
                return found
        return Solved("proved", BOUNDS)

    def _at(self, place: str, inner: str, type_: str, origin: str, level: str) -> Solved:
        rules: list[ErrorRead] = []
        checks: list[ErrorRead] = []
        for side, path, own in ((self._kind.declarative, place, rules), (self._kind.handwritten, inner, checks)):
            for one in side.errors or ():
                if one.unread:
                    if one.may_be(path, type_):
                        return Solved("unread", one.unread)
                elif (one.path, one.type, one.origin) == (path, type_, origin):
                    own.append(one)
        if any(not one.covered for one in checks):
            return Solved("unread", "an error of the check is not marked as covered")
        rules = [one for one in rules if one.level == level]
        if not rules or not checks:
            name = "handwritten" if rules else "generated"
            return Solved("unread", f"the {name} validation of creates reports no such error, as it was read")
        if len({one.items or () for one in (*rules, *checks)}) > 1:
            return Solved("unread", "the errors are about items of different lists")
        return self._solve(rules, checks)

    def _solve(self, rules: Sequence[ErrorRead], checks: Sequence[ErrorRead]) -> Solved:
        rule = self._terms.any_of(self._kind.declarative, "rule", rules)
        check = self._terms.any_of(self._kind.handwritten, "check", checks)
        z3 = self._z3
        for what, condition in (("reports", check), ("does not report", z3.Not(check))):
            if self._ask(condition) == z3.unsat:  # then all of it would be proved from nothing
                return Solved("unread", f"as it was read, no object {what} the error")
        solver = self._solver()
        solver.add(rule != check)
        answer = solver.check()
        if answer == z3.unsat:
            return Solved("proved", BOUNDS)
        if answer == z3.unknown:
            return Solved("unread", f"the solver found no answer within {self._work:,} units of its work")
        unknown = next(iter(self._terms.unknowns((rule, check))), "")
        if unknown:
            side, _, name = unknown.partition("?")
            reasons = (self._kind.declarative if side == "rule" else self._kind.handwritten).reasons or {}
            return Solved("unread", reasons.get(f"?{name}", "a number that is not read"))
        return Solved("differs", self._terms.told(solver.model(), (rule, check)))

    def _solver(self) -> Any:
        solver = self._z3.Solver()
        solver.set("rlimit", self._work)
        solver.set("random_seed", 0)
        solver.add(*self._terms.facts())
        return solver

    def _ask(self, condition: Any) -> Any:
        solver = self._solver()
        solver.add(condition)
        return solver.check()


class _Terms:
    """The nodes of both sides as terms of z3. A variable has one name on both sides; an unknown is of its side."""

    def __init__(self, z3: Any) -> None:
        self._z3 = z3
        self._known: dict[tuple[str, int], Any] = {}
        self._texts: dict[str, Any] = {}
        self._numbers: dict[str, Any] = {}
        self._constants: dict[str, int] = {"": 0}
        self._facts: dict[tuple[str, int], Any] = {}

    def any_of(self, side: SideRead, name: str, errors: Iterable[ErrorRead]) -> Any:
        """Return the condition that one of some errors is reported."""
        nodes, facts = side.nodes or (), side.facts or ()
        wanted: set[int] = set()
        told: list[int] = []
        roots = [one.when for one in errors]
        while roots:  # what is known of an unknown may be about other unknowns
            wanted |= _below(nodes, roots)
            roots = [fact for unknown, fact in facts if unknown in wanted and fact not in wanted]
            told += roots
        for number in sorted(wanted):  # arguments have smaller numbers
            if (name, number) not in self._known:
                self._known[name, number] = self._term(nodes[number], name)
        self._facts.update({(name, number): self._known[name, number] for number in told})
        return self._z3.Or([self._known[name, one.when] for one in errors])

    def _term(self, node: Sequence[str | int], side: str) -> Any:
        z3, op, name = self._z3, node[0], str(node[1])
        own = [self._known[side, int(number)] for number in node[2:]]
        if name.startswith("?"):
            name = side + name
        match op:
            case "true" | "false":
                return z3.BoolVal(op == "true")
            case "bool":
                return z3.Bool(name)
            case "number":
                return z3.IntVal(name)
            case "number?":
                return self._numbers.setdefault(name, z3.Int(name))
            case "text":
                return z3.IntVal(self._constants.setdefault(name, len(self._constants)))
            case "text?":
                return self._texts.setdefault(name, z3.Int(name))
            case "not":
                return z3.Not(own[0])
            case "and":
                return z3.And(own)
            case "or":
                return z3.Or(own)
            case "choose":
                return z3.If(*own)
            case "less":
                return own[0] < own[1]
            case "same":
                return own[0] == own[1]
            case "quotient":  # rounded up
                return (own[0] + int(name) - 1) / int(name)
        raise ValueError(f"{op} is no operator of a condition")

    def facts(self) -> list[Any]:
        """Return what is true of the variables of every object."""
        z3, found = self._z3, list(self._facts.values())
        for name, variable in self._numbers.items():
            if name.startswith(_SIZES):
                found.append(variable >= 0)
            if "?many" in name:  # the length of a list that is not empty
                found.append(variable >= 1)
            if name.startswith("len:"):
                found.append(z3.Implies(z3.Bool(f"nil:{name[4:]}"), variable == 0))
            limits = _LIMITS.get(name.partition(":")[0])
            if limits is not None:
                found += [variable >= limits[0], variable <= limits[1]]
        for name, text in self._texts.items():
            size, characters = z3.Int(f"bytes:{name}"), z3.Int(f"runes:{name}")
            found += [characters >= 0, characters <= size, size <= 4 * characters]
            for value, number in self._constants.items():
                measured = z3.And(size == len(value.encode("utf-8", "surrogatepass")), characters == len(value))
                found.append(z3.Implies(text == number, measured))
            found.append(z3.Implies(size == 0, text == 0))
        return found

    def unknowns(self, terms: Iterable[Any]) -> list[str]:
        """Name the unknowns in some terms, by side and number."""
        return sorted(name for name in self._names(terms) if re.match(r"(rule|check)\?", name))

    def told(self, model: Any, terms: Iterable[Any]) -> str:
        """Return the values of a model as words."""
        names = self._names(terms)
        texts = {number: value for value, number in self._constants.items()}
        found = []
        for one in sorted(model.decls(), key=lambda one: str(one.name())):
            name, value = str(one.name()), model[one]
            if name in names:
                is_text = name in self._texts
                words = repr(texts.get(value.as_long(), "another text")) if is_text else str(value)
                found.append(f"{name} = {words}")
        return ", ".join(found)

    def _names(self, terms: Iterable[Any]) -> set[str]:
        z3, found, seen, stack = self._z3, set(), set(), list(terms)
        while stack:
            term = stack.pop()
            if term.get_id() not in seen:
                seen.add(term.get_id())
                stack += term.children()
                if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                    found.add(str(term.decl().name()))
        return found


def _below(nodes: Sequence[Sequence[str | int]], numbers: Sequence[int]) -> set[int]:
    seen: set[int] = set()
    stack = list(numbers)
    while stack:
        number = stack.pop()
        if number not in seen:
            seen.add(number)
            stack += [int(one) for one in nodes[number][2:]]
    return seen
