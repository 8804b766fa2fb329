"""Validation of claims as it was written by hand.

Errors that a tag of types.go reports too are marked as covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from harness.content import names
from harness.field import FieldError, Path
from harness.field.make import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_few,
    too_long,
    too_long_characters,
    too_many,
)
from harness.suite import Context

Object: TypeAlias = dict[str, Any]
Errors: TypeAlias = list[FieldError]

CLAIM_PRIORITY = "ClaimPriority"
POLICIES = ("Erase", "Keep", "None")


def validate_claim(new: Object, old: Object | None, context: Context) -> Errors:
    """Validate a claim when it is made or changed, or its status when a controller reports."""
    if context.subresource == "status":
        return StatusValidator(new.get("status", {}), (old or {}).get("status", {})).run()
    spec, old_spec = new.get("spec", {}), None if old is None else old.get("spec", {})
    path = Path().child("spec")
    errors = validate_requests(spec, old_spec, path.child("requests"))
    errors += validate_source(spec.get("source", {}), None if old_spec is None else old_spec.get("source", {}), path)
    if spec.get("retention") is not None:
        old_retention = None if old_spec is None else old_spec.get("retention")
        if old_retention != spec["retention"]:
            errors += validate_retention(spec["retention"], old_retention, path.child("retention"))
    errors += validate_class(spec.get("class", ""), None if old_spec is None else old_spec.get("class", ""), path)
    if changed("priority", spec, old_spec):
        errors += validate_priority(spec.get("priority"), context.options[CLAIM_PRIORITY], path.child("priority"))
    if changed("zones", spec, old_spec):
        before = [] if old_spec is None else old_spec.get("zones", [])
        errors += validate_zones(spec.get("zones", []), before, path.child("zones"))
    if changed("parameters", spec, old_spec) and len(spec.get("parameters", "").encode()) > 48:
        errors.append(too_long(path.child("parameters"), 48, origin="maxBytes", covered=True))
    return errors


def changed(name: str, new: Object, old: Object | None) -> bool:
    """Whether a member differs from what is stored, or nothing is stored."""
    return old is None or new.get(name) != old.get(name)


def validate_requests(spec: Object, old_spec: Object | None, path: Path) -> Errors:
    """Requests are told apart by name; the one named default stays as it is, if it stays."""
    requests: list[Object] = spec.get("requests", [])
    if not changed("requests", spec, old_spec):
        return []
    if not requests:
        return [required(path, covered=True)]
    if len(requests) > 6:
        return [too_many(path, len(requests), 6, origin="maxItems", covered=True)]
    old = None if old_spec is None else old_spec.get("requests", [])
    errors = default_is_kept(requests, old, path) if old is not None else []
    seen: list[str] = []
    for i, request in enumerate(requests):
        name = request.get("name", "")
        if name in seen:
            errors.append(duplicate(path.index(i), request, covered=True))
        seen.append(name)
        before = find(old or [], "name", name)
        if request != before:
            errors += validate_request(request, before, path.index(i))
    return errors


def default_is_kept(requests: list[Object], old: list[Object], path: Path) -> Errors:
    """The request named default can be taken away, but neither added nor changed."""
    for i, request in enumerate(requests):
        if request.get("name") == "default":
            if request == find(old, "name", "default"):
                return []
            return [invalid(path.index(i), None, "field is immutable", origin="immutable", covered=True)]
    return []


def find(items: list[Object], key: str, value: str) -> Object | None:
    """Return the first item whose key has a value."""
    for item in items:
        if item.get(key, "") == value:
            return item
    return None


def validate_request(request: Object, old: Object | None, path: Path) -> Errors:
    """Validate one request. Counting and taking all exclude each other."""
    errors: Errors = []
    if changed("name", request, old):
        errors += validate_text(request.get("name", ""), "k8s-short-name", names.short_name, path.child("name"))
    if changed("deviceClass", request, old):
        device_class = request.get("deviceClass", "")
        errors += validate_text(device_class, "k8s-long-name", names.long_name, path.child("deviceClass"))
    given = [name for name in ("count", "all") if name in request]
    given_before = None if old is None else [name for name in ("count", "all") if name in old]
    if len(given) > 1 and given != given_before:
        message = "must specify at most one of: `count`, `all`"
        errors.append(invalid(path, "{count, all}", message, origin="zeroOrOneOf", covered=True))
    if "count" in request and changed("count", request, old) and request["count"] < 1:
        errors.append(below(path.child("count"), request["count"], 1))
    if changed("selectors", request, old):
        errors += validate_selectors(request.get("selectors", []), path.child("selectors"))
    capacity, old_capacity = request.get("capacity", {}), (old or {}).get("capacity", {})
    for key, amount in capacity.items():
        if key not in old_capacity and len(key) > 16:
            errors.append(too_long_characters(path.child("capacity"), 16, origin="maxLength", covered=True))
        if amount != old_capacity.get(key) and amount < 1:
            errors.append(below(path.child("capacity").key(key), amount, 1))
    return errors


def below(path: Path, value: int, limit: int) -> FieldError:
    """Report a number that is too small."""
    return invalid(path, value, f"must be greater than or equal to {limit}", origin="minimum", covered=True)


def validate_text(text: str, form: str, check: Any, path: Path) -> Errors:
    """Demand a text of a form."""
    if not text:
        return [required(path, covered=True)]
    problems: Sequence[str] = check(text)
    return [invalid(path, text, problem, origin=f"format={form}", covered=True) for problem in problems]


def validate_selectors(selectors: list[str], path: Path) -> Errors:
    """Selectors are few and short."""
    if len(selectors) > 4:
        return [too_many(path, len(selectors), 4, origin="maxItems", covered=True)]
    return [
        too_long(path.index(i), 32, origin="maxBytes", covered=True)
        for i, selector in enumerate(selectors)
        if len(selector.encode()) > 32
    ]


def validate_source(source: Object, old: Object | None, path: Path) -> Errors:
    """Devices come from exactly one place."""
    path = path.child("source")
    errors: Errors = []
    members = ("pool", "node", "fabrics")
    given = [name for name in members if name in source]
    if old is None or given != [name for name in members if name in old]:
        listed = ", ".join(f"`{name}`" for name in members)
        if not given:
            errors.append(invalid(path, "", f"must specify one of: {listed}", origin="union", covered=True))
        elif len(given) > 1:
            shown = "{" + ", ".join(given) + "}"
            errors.append(invalid(path, shown, f"must specify exactly one of: {listed}", origin="union", covered=True))
    if source.get("pool") and changed("pool", source, old):
        errors += validate_text(source["pool"], "k8s-long-name", names.long_name, path.child("pool"))
    if "node" in source and changed("node", source, old):
        node, old_node = source["node"], None if old is None else old.get("node")
        if changed("name", node, old_node):
            errors += validate_text(node.get("name", ""), "k8s-long-name", names.long_name, path.child("node", "name"))
    return errors


def validate_retention(retention: Object, old: Object | None, path: Path) -> Errors:
    """The member that the policy names is given, and no other."""
    errors: Errors = []
    policy = retention.get("policy", "")
    if changed("policy", retention, old):
        if not policy:
            errors.append(required(path.child("policy"), covered=True))
        elif policy not in POLICIES:
            errors.append(not_supported(path.child("policy"), policy, POLICIES, covered=True))
    parts = {"erase": "Erase", "days": "Keep"}
    is_same = old is not None and old.get("policy", "") == policy
    if not is_same or old is None or any((name in retention) != (name in old) for name in parts):
        for name, wanted in parts.items():
            if name in retention and policy != wanted:
                detail = f'may only be specified when `policy` is "{wanted}"'
                errors.append(invalid(path.child(name), "", detail, origin="union", covered=True))
            elif name not in retention and policy == wanted:
                detail = f'must be specified when `policy` is "{wanted}"'
                errors.append(invalid(path.child(name), "", detail, origin="union", covered=True))
    if "erase" in retention:
        passes = retention["erase"].get("passes")
        old_erase = None if old is None else old.get("erase")
        if passes is not None and changed("passes", retention["erase"], old_erase):
            errors += between(passes, 1, 7, path.child("erase", "passes"))
    return errors


def between(value: int, low: int, high: int, path: Path) -> Errors:
    """Demand a number between two limits."""
    if value < low:
        return [below(path, value, low)]
    if value > high:
        return [invalid(path, value, f"must be less than or equal to {high}", origin="maximum", covered=True)]
    return []


def validate_class(name: str, old: str | None, path: Path) -> Errors:
    """A class is filled in once."""
    path = path.child("class")
    if name == old:
        return []
    if old:
        detail = "field cannot be modified once set" if name else "field cannot be cleared once set"
        return [invalid(path, None, detail, origin="update", covered=True)]
    return validate_text(name, "k8s-long-name", names.long_name, path) if name else []


def validate_priority(priority: int | None, is_enabled: bool, path: Path) -> Errors:
    """A priority needs its feature."""
    if priority is None:
        return []
    if not is_enabled:
        return [forbidden(path, covered=True)]
    return between(priority, -10, 10, path)


def validate_zones(zones: list[str], old: list[str], path: Path) -> Errors:
    """Two to four zones, no zone twice."""
    if not zones:
        return []
    if len(zones) > 4:
        return [too_many(path, len(zones), 4, origin="maxItems", covered=True)]
    errors: Errors = []
    if len(zones) < 2:
        errors.append(too_few(path, len(zones), 2, origin="minItems", covered=True))
    for i, zone in enumerate(zones):
        if zone in zones[:i]:
            errors.append(duplicate(path.index(i), zone, covered=True))
        if zone not in old:
            for problem in names.label_value(zone):
                errors.append(invalid(path.index(i), zone, problem, origin="format=k8s-label-value", covered=True))
    return errors


class StatusValidator:
    """Validates what a controller reports: which devices were given, and who uses them."""

    def __init__(self, status: Object, old: Object) -> None:
        self.status, self.old = status, old
        self.path = Path().child("status")
        self.errors: Errors = []

    def run(self) -> Errors:
        """Return everything that is wrong."""
        self.allocation()
        self.consumers()
        if "allocation" not in self.status and self.status.get("reservedFor"):
            self.errors.append(forbidden(self.path.child("reservedFor"), "may not be specified without `allocation`"))
        return self.errors

    def allocation(self) -> None:
        """An allocation is made or taken back, not exchanged."""
        new, old = self.status.get("allocation"), self.old.get("allocation")
        path = self.path.child("allocation")
        if new is None or new == old:
            return
        if old is not None:
            detail = "field cannot be modified once set"
            self.errors.append(invalid(path, None, detail, origin="update", covered=True))
            return
        devices = new.get("devices", [])
        if not devices:
            self.errors.append(required(path.child("devices"), covered=True))
        elif len(devices) > 6:
            self.errors.append(too_many(path.child("devices"), len(devices), 6, origin="maxItems", covered=True))

    def consumers(self) -> None:
        """Consumers are found by uid; that no uid comes twice is a rule of the list type."""
        new, old = self.status.get("reservedFor", []), self.old.get("reservedFor", [])
        path = self.path.child("reservedFor")
        if new == old:
            return
        if len(new) > 4:
            self.errors.append(too_many(path, len(new), 4, origin="maxItems", covered=True))
            return
        for i, consumer in enumerate(new):
            before = find(old, "uid", consumer.get("uid", ""))
            if before is None:
                uid = consumer.get("uid", "")
                self.errors += validate_text(uid, "k8s-uuid", names.uuid, path.index(i).child("uid"))
            if changed("name", consumer, before):
                name, place = consumer.get("name", ""), path.index(i).child("name")
                self.errors += validate_text(name, "k8s-path-segment-name", names.path_segment_name, place)
