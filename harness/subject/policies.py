"""Reads admission policies from a file, a folder or a git revision, with what they are asked with: bindings, params and
namespaces; and finds what keeps them from being asked as they would be in a cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.gotypes.literals import Literal, Literals
from harness.objectmodel import KIND, TYPE_META
from harness.openapi.values import rule_literals
from harness.subject.fileobjects import FileObject, files_of, member
from harness.subject.manifests import documents_of

POLICY: Final = "ValidatingAdmissionPolicy"
BINDING: Final = "ValidatingAdmissionPolicyBinding"
_GROUP: Final = "admissionregistration.k8s.io"
_SERVED: Final = f"{_GROUP}/v1"
_OPERATIONS = frozenset({"CREATE", "UPDATE", "*"})
_AUTHORIZER = re.compile(r"\bauthorizer\b")


def read_policies(location: str) -> list[FileObject]:
    """Read every object of a file, of the files below a folder, or of either in a git revision (`REV:PATH`).

    Raises: InputError with everything that is wrong with policies and bindings, UsageError.
    """
    found: list[FileObject] = []
    problems: list[Diagnostic] = []
    for file, text in files_of(location, "policies"):
        try:
            objects = [
                FileObject(value, file, text, position.line)
                for value, position in documents_of(text, file)
                if isinstance(value, dict) and all(isinstance(value.get(name), str) for name in TYPE_META)
            ]
        except InputError as error:
            problems += error.diagnostics
        else:
            found += objects
    problems += [*_versions(found), *_twice(found), *_unbound(found)]
    if problems:
        raise InputError(problems)
    if not of_kind(found, POLICY):
        raise UsageError(
            f"{location} has no {POLICY}\n  why: *.yaml, *.yml and *.json files are read, in folders below too\n"
            "  fix: name the folder with the policies, their bindings and params"
        )
    return found


def of_kind(objects: Iterable[FileObject], kind: str) -> list[FileObject]:
    """Return the policies or the bindings among objects."""
    return [
        one for one in objects
        if one.document.get(KIND) == kind and str(one.document.get("apiVersion")).startswith(f"{_GROUP}/")
    ]  # fmt: skip


def _versions(objects: Sequence[FileObject]) -> Iterator[Diagnostic]:
    for kind in (POLICY, BINDING):
        for one in of_kind(objects, kind):
            if (version := one.document["apiVersion"]) != _SERVED:
                why = "servers of every supported release serve v1, which has the same fields"
                message = f"{one.name} is written in {version}"
                yield Diagnostic(one.position("apiVersion"), "policy-version", message, why, f"apiVersion: {_SERVED}")


def _twice(objects: Sequence[FileObject]) -> Iterator[Diagnostic]:
    for kind in (POLICY, BINDING):
        first: dict[str, FileObject] = {}
        for one in of_kind(objects, kind):
            other = first.setdefault(one.name, one)
            if other is not one:
                why = f"it is defined at {Position(other.file, other.begin)} too, and a cluster has one of a name"
                message, fix = f"{kind} {one.name} is defined twice", "name one of the two folders, or one file"
                yield Diagnostic(Position(one.file, one.begin), "policy-twice", message, why, fix)


def _unbound(objects: Sequence[FileObject]) -> Iterator[Diagnostic]:
    """Find bindings of policies that are not there, and policies whose params nobody names."""
    names = {one.name for one in of_kind(objects, POLICY)}
    bound = set()
    for one in of_kind(objects, BINDING):
        bound.add(name := member(one.document, "spec", "policyName"))
        if isinstance(name, str) and name not in names:
            message, why = f"the binding {one.name} is of the policy {name}, which is not here", "it would bind nothing"
            fix = f"correct policyName to one of {', '.join(sorted(names))}" if names else "add the policy"
            yield Diagnostic(one.position("spec.policyName"), "policy-unbound", message, why, fix)
    for one in of_kind(objects, POLICY):
        if member(one.document, "spec", "paramKind") and one.name not in bound:
            message = f"the policy {one.name} has params, and no binding says which"
            why = "what the policy says depends on them"
            fix = f"add a {BINDING} with policyName: {one.name} and a paramRef, and the params it names"
            yield Diagnostic(one.position("spec.paramKind"), "policy-unbound", message, why, fix)


def left_out(objects: Sequence[FileObject]) -> Iterator[str]:
    """Yield what of the policies has no effect on verdicts here, and why, as sentences."""
    bindings = of_kind(objects, BINDING)
    for one in of_kind(objects, POLICY):
        own = [other for other in bindings if member(other.document, "spec", "policyName") == one.name]
        actions = [member(other.document, "spec", "validationActions") or () for other in own]
        if not own:
            yield f"no binding names {one.name}: it is taken as bound to everything, and denies"
        elif not any("Deny" in some for some in actions):
            others = " and ".join(sorted({action for some in actions for action in some}))
            yield f"{one.name} denies nothing: its bindings only {others}"
        rules = member(one.document, "spec", "matchConstraints", "resourceRules") or ()
        asked = {operation for rule in rules for operation in _texts(rule, "operations")}
        if rest := sorted(asked - _OPERATIONS):
            yield f"{one.name} is not asked about {' and '.join(rest)}: only creates and updates are"
        below = sorted({name for rule in rules for name in _texts(rule, "resources") if "/" in name})
        if below:
            yield f"{one.name} is not asked about {', '.join(below)}: subresources are left out"
        if any(_AUTHORIZER.search(expression) for expression in expressions_of(one.document)):
            yield f"{one.name} asks the authorizer, which allows everything here"


def _texts(rule: Any, name: str) -> list[str]:
    found = rule.get(name) if isinstance(rule, dict) else None
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def expressions_of(policy: Mapping[str, Any]) -> Iterator[str]:
    """Yield the expressions that decide about an object."""
    for part in ("matchConditions", "variables", "validations"):
        for one in member(policy, "spec", part) or ():
            if isinstance(expression := member(one, "expression"), str):
                yield expression


def policy_literals(variants: Iterable[Sequence[FileObject]]) -> Literals:
    """Return the literals of the expressions, the selectors and the params of policies, to be tried as values."""
    return Literals.of(found for objects in variants for one in objects for found in _literals_of(one))


def _literals_of(one: FileObject) -> Iterator[Literal]:
    if one.document.get(KIND) not in (POLICY, BINDING):
        yield from _values(one.document, "")
        return
    for expression in expressions_of(one.document):
        yield from rule_literals(expression)
    for part in ("matchConstraints", "matchResources"):
        matched = member(one.document, "spec", part)
        yield from _values(member(matched, "objectSelector"), "labels")
        for rules in ("resourceRules", "excludeResourceRules"):
            for rule in member(matched, rules) or ():
                yield from (("name", name) for name in _texts(rule, "resourceNames"))


def _values(value: Any, where: str) -> Iterator[Literal]:
    """Yield the texts and numbers of a value, with the names on the way to them."""
    if isinstance(value, dict):
        for name, below in value.items():
            if name not in (*TYPE_META, "namespace"):
                yield where.lower(), str(name)
                yield from _values(below, f"{where} {name}")
    elif isinstance(value, list):
        for item in value:
            yield from _values(item, where)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield where.lower(), value
