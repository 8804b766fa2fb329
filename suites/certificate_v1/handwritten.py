"""Validation of certificate requests as it was written by hand.

Errors that a tag of types.go reports too are marked as covered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from harness.content import names
from harness.field import FieldError, Path
from harness.field.make import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_long_characters,
    too_many,
    too_short,
)
from harness.suite import Context

Object: TypeAlias = dict[str, Any]
Errors: TypeAlias = list[FieldError]

APPROVED, DENIED = "Approved", "Denied"


def validate_request(new: Object, old: Object | None, context: Context) -> Errors:
    """Validate a new request, or a change of one."""
    if old is None:
        return check_name(new, "") + check_spec(new.get("spec", {}), Path().child("spec"))
    errors = check_name(new, old.get("metadata", {}).get("name", ""))
    if new.get("spec") != old.get("spec"):
        path = Path().child("spec")
        errors.append(invalid(path, None, "field is immutable", origin="immutable", covered=True))
    if context.subresource:
        errors += check_status(new.get("status", {}), old.get("status", {}), context.subresource == "approval")
    return errors


def check_name(new: Object, old_name: str) -> Errors:
    """A name is a DNS subdomain."""
    name = new.get("metadata", {}).get("name", "")
    if not name or name == old_name:
        return []
    return formatted(name, "k8s-long-name", names.long_name, Path().child("metadata", "name"))


def check_spec(spec: Object, path: Path) -> Errors:
    """Check what is asked for. It cannot change later, so there is nothing old to compare it with."""
    errors = check_text(spec.get("request", ""), path.child("request"))
    signer = spec.get("signerName", "")
    if signer:
        errors += formatted(signer, "k8s-prefixed-label-key", names.prefixed_label_key, path.child("signerName"))
    else:
        errors.append(required(path.child("signerName"), covered=True))
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < 600:
        detail = "must be greater than or equal to 600"
        errors.append(invalid(path.child("expirationSeconds"), seconds, detail, origin="minimum", covered=True))
    if not spec.get("usages"):
        errors.append(required(path.child("usages"), covered=True))
    errors += check_hosts(spec.get("hosts", []), path.child("hosts"))
    if spec.get("requesterUID"):
        errors += formatted(spec["requesterUID"], "k8s-uuid", names.uuid, path.child("requesterUID"))
    for key, value in spec.get("extra", {}).items():
        errors += formatted(key, "k8s-label-key", names.label_key, path.child("extra"))
        errors += up_to(value, 40, path.child("extra").key(key))
    if "server auth" in spec.get("usages", []) and not spec.get("hosts"):
        errors.append(required(path.child("hosts"), "must be specified when `usages` include 'server auth'"))
    return errors


def check_text(text: str, path: Path) -> Errors:
    """Check the request itself, as far as that is possible without its signer."""
    if not text:
        return [required(path, covered=True)]
    errors = up_to(text, 200, path)
    if len(text) < 8:
        errors.append(too_short(path, 8, origin="minLength", covered=True))
    return errors


def up_to(text: str, limit: int, path: Path) -> Errors:
    """Demand a text that takes at most `limit` bytes."""
    return [too_long(path, limit, origin="maxBytes", covered=True)] if len(text.encode()) > limit else []


def check_hosts(hosts: list[str], path: Path) -> Errors:
    """Check the names of hosts, which may be in either case but not come twice."""
    if len(hosts) > 5:
        return [too_many(path, len(hosts), 5, origin="maxItems", covered=True)]
    errors: Errors = []
    seen: set[str] = set()
    for i, host in enumerate(hosts):
        if host in seen:
            errors.append(duplicate(path.index(i), host, covered=True))
        seen.add(host)
        errors += formatted(host, "k8s-long-name-caseless", names.long_name_caseless, path.index(i))
    return errors


def formatted(value: str, form: str, check: Callable[[str], Sequence[str]], path: Path) -> Errors:
    """Demand a value of a form."""
    return [invalid(path, value, problem, origin=f"format={form}", covered=True) for problem in check(value)]


def check_status(new: Object, old: Object, is_approval: bool) -> Errors:
    """Check what became of a request: a certificate, which is written once, and conditions."""
    path = Path().child("status")
    errors = check_certificate(new.get("certificate", ""), old.get("certificate", ""), path.child("certificate"))
    conditions, old_conditions = new.get("conditions", []), old.get("conditions", [])
    if conditions != old_conditions:
        errors += check_conditions(conditions, old_conditions, path.child("conditions"))
    if not is_approval:
        errors += check_decision_is_kept(conditions, old_conditions, path.child("conditions"))
    return errors


def check_certificate(new: str, old: str, path: Path) -> Errors:
    """A certificate stays as it was issued."""
    if new == old:
        return []
    if old:
        detail = "field cannot be modified once set" if new else "field cannot be cleared once set"
        return [invalid(path, None, detail, origin="update", covered=True)]
    return up_to(new, 400, path)


def check_conditions(new: list[Object], old: list[Object], path: Path) -> Errors:
    """Conditions are found by type. Approval and denial exclude each other."""
    if len(new) > 6:
        return [too_many(path, len(new), 6, origin="maxItems", covered=True)]
    errors: Errors = []
    decided, decided_before = decisions(new), decisions(old)
    if len(decided) == 2 and len(decided_before) != 2:
        detail = 'must specify at most one of: `conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`'
        errors.append(invalid(path, "{Approved, Denied}", detail, origin="zeroOrOneOf", covered=True))
    by_type: dict[str, Object] = {}
    for condition in old:
        by_type.setdefault(condition.get("type", ""), condition)
    for i, condition in enumerate(new):
        before = by_type.get(condition.get("type", ""))
        if condition != before:
            errors += check_condition(condition, before, path.index(i))
    return errors


def decisions(conditions: list[Object]) -> set[str]:
    """Return which decisions are among the conditions."""
    return {condition.get("type", "") for condition in conditions} & {APPROVED, DENIED}


def check_condition(new: Object, old: Object | None, path: Path) -> Errors:
    """Check one observation."""
    errors: Errors = []
    if old is None:
        errors += words(new.get("type", ""), 40, path.child("type")) if new.get("type") else missing(path, "type")
    if old is None or new.get("status") != old.get("status"):
        status = new.get("status", "")
        if not status:
            errors += missing(path, "status")
        elif status not in ("False", "True", "Unknown"):
            errors.append(not_supported(path.child("status"), status, ("False", "True", "Unknown"), covered=True))
    if old is None or new.get("reason") != old.get("reason"):
        errors += words(new.get("reason", ""), 30, path.child("reason"))
    return errors


def missing(path: Path, name: str) -> Errors:
    """Report that a member is missing."""
    return [required(path.child(name), covered=True)]


def words(text: str, limit: int, path: Path) -> Errors:
    """Demand a text of at most `limit` characters."""
    return [too_long_characters(path, limit, origin="maxLength", covered=True)] if len(text) > limit else []


def check_decision_is_kept(new: list[Object], old: list[Object], path: Path) -> Errors:
    """Only the subresource approval decides; a signer can neither approve nor take a decision back."""
    if decisions(new) == decisions(old):
        return []
    return [forbidden(path, "the conditions Approved and Denied may only be changed through the subresource approval")]
