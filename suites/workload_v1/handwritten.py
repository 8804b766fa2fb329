"""Validation of workloads as it was written by hand, field by field.

Errors that a tag of types.go reports too are marked as covered. What only this file knows (a selector must match its
template, a strategy must be able to move) is not. Values that an update leaves alone are forgiven: old objects may
break rules that came later.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from harness.case import Operation
from harness.field import FieldError, Path
from harness.field.make import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long_characters,
    too_many,
    too_short,
)  # fmt: skip
from harness.suite import Context

Object: TypeAlias = dict[str, Any]
Errors: TypeAlias = list[FieldError]

MAX_REPLICAS = 5000
MAX_CONTAINERS = 8
MAX_COMMAND = 6
MAX_CONDITIONS = 8

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_is_label, _is_subdomain, _is_qualified = (re.compile(one).fullmatch for one in (_LABEL, _SUBDOMAIN, _QUALIFIED))


def validate_workload(new: Object, old: Object | None, context: Context) -> Errors:
    """Validate a workload, or one of its subresources: each subresource may change its own part only."""
    errors = validate_name(new.get("metadata", {}), (old or {}).get("metadata", {}), old is None)
    spec, old_spec = new.get("spec", {}), None if old is None else old.get("spec", {})
    match context.subresource:
        case "status":
            errors += validate_status(new.get("status", {}), (old or {}).get("status", {}), Path().child("status"))
        case "pause":
            errors += validate_pause(spec.get("paused"), (old_spec or {}).get("paused"), Path().child("spec", "paused"))
        case _:
            errors += validate_spec(spec, old_spec, Path().child("spec"))
    return errors


def validate_scale(new: Object, old: Object | None, context: Context) -> Errors:
    """Validate the number of copies."""
    wanted = new.get("spec", {}).get("replicas", 0)
    before = (old or {}).get("spec", {}).get("replicas", 0)
    if context.operation is Operation.UPDATE and wanted == before:
        return []
    return validate_replicas(wanted, Path().child("spec", "replicas"))


def validate_name(metadata: Object, old: Object, is_new: bool) -> Errors:
    """A name is a DNS label. The server makes one when there is none."""
    name = metadata.get("name", "")
    if not name or (not is_new and old.get("name", "") == name):
        return []
    return short_name(name, Path().child("metadata", "name"))


def validate_spec(spec: Object, old: Object | None, path: Path) -> Errors:
    """Validate what a user wants."""
    errors: Errors = []
    if spec.get("replicas") is not None and has_changed(spec, old, "replicas"):
        errors += validate_replicas(spec["replicas"], path.child("replicas"))
    if has_changed(spec, old, "minReadySeconds"):
        errors += at_least(spec.get("minReadySeconds", 0), 0, path.child("minReadySeconds"))
    errors += validate_selector(spec, old, path.child("selector"))
    if "strategy" in spec:
        errors += validate_strategy(spec["strategy"], (old or {}).get("strategy"), path.child("strategy"))
    if "paused" in spec:
        errors += validate_pause(spec["paused"], (old or {}).get("paused"), path.child("paused"))
    errors += validate_template(spec.get("template", {}), None if old is None else old.get("template", {}), path)
    labels = spec.get("template", {}).get("labels", {})
    if any(labels.get(key) != value for key, value in spec.get("selector", {}).items()):
        errors.append(invalid(path.child("template", "labels"), labels, "`selector` does not match template `labels`"))
    return errors


def validate_replicas(replicas: int, path: Path) -> Errors:
    """The number of copies is bounded, so that one workload does not eat a cluster."""
    return at_least(replicas, 0, path) + at_most(replicas, MAX_REPLICAS, path)


def validate_selector(spec: Object, old: Object | None, path: Path) -> Errors:
    """A selector is needed and never changes: copies would be orphaned."""
    selector = spec.get("selector", {})
    if old is not None:
        if selector == old.get("selector", {}):
            return []
        errors = [] if selector else [required(path, covered=True)]
        return [*errors, invalid(path, None, "field is immutable", origin="immutable", covered=True)]
    if not selector:
        return [required(path, covered=True)]
    return validate_labels(selector, None, path)


def validate_labels(labels: dict[str, str], old: dict[str, str] | None, path: Path) -> Errors:
    """Keys are qualified names, values are label values. A key that was there is kept without question."""
    errors: Errors = []
    for key, value in labels.items():
        if old is None or key not in old:
            errors += qualified_name(key, path)
        if old is None or old.get(key) != value:
            errors += label_value(value, path.key(key))
    return errors


def validate_strategy(strategy: Object, old: Object | None, path: Path) -> Errors:
    """Validate how copies are replaced."""
    errors: Errors = []
    if has_changed(strategy, old, "type"):
        errors += one_of(strategy.get("type", ""), ("Recreate", "Rolling"), path.child("type"))
    for name in ("maxUnavailable", "maxSurge"):
        if strategy.get(name) is not None and has_changed(strategy, old, name):
            errors += at_least(strategy[name], 0, path.child(name)) + at_most(strategy[name], 100, path.child(name))
    if strategy.get("maxUnavailable") == 0 and strategy.get("maxSurge") == 0:
        errors.append(invalid(path.child("maxUnavailable"), 0, "may not be 0 when `maxSurge` is 0"))
    if strategy.get("type") == "Recreate" and strategy.get("maxSurge") is not None:
        errors.append(forbidden(path.child("maxSurge"), "may not be specified when strategy `type` is 'Recreate'"))
    return errors


def validate_pause(pause: Object | None, old: Object | None, path: Path) -> Errors:
    """Whoever pauses a workload says why."""
    if pause is None:
        return []
    errors: Errors = []
    if has_changed(pause, old, "reason"):
        errors += text_up_to(pause.get("reason", ""), 64, path.child("reason"))
    if pause.get("by") and has_changed(pause, old, "by"):
        errors += long_name(pause["by"], path.child("by"))
    return errors


def validate_template(template: Object, old: Object | None, path: Path) -> Errors:
    """Validate what each copy looks like."""
    path = path.child("template")
    old_labels = None if old is None else old.get("labels", {})
    errors = validate_labels(template.get("labels", {}), old_labels, path.child("labels"))
    if has_changed(template, old, "containers"):
        old_containers = [] if old is None else old.get("containers", [])
        errors += validate_containers(template.get("containers", []), old_containers, path.child("containers"))
    return errors


def validate_containers(containers: list[Object], old: list[Object], path: Path) -> Errors:
    """Containers are found by name, so two may not share one."""
    if not containers:
        return [required(path, covered=True)]
    if len(containers) > MAX_CONTAINERS:
        return [too_many(path, len(containers), MAX_CONTAINERS, origin="maxItems", covered=True)]
    errors: Errors = []
    seen = set()
    for i, container in enumerate(containers):
        name = container.get("name", "")
        if name in seen:
            errors.append(duplicate(path.index(i), container, covered=True))
        seen.add(name)
        before = next((known for known in old if known.get("name", "") == name), None)
        if before != container:
            errors += validate_container(container, before, path.index(i))
    return errors


def validate_container(container: Object, old: Object | None, path: Path) -> Errors:
    """Validate one program of a copy."""
    errors: Errors = []
    if has_changed(container, old, "name"):
        name = container.get("name", "")
        errors += short_name(name, path.child("name")) if name else [required(path.child("name"), covered=True)]
    if has_changed(container, old, "image"):
        errors += text_up_to(container.get("image", ""), 120, path.child("image"))
    if has_changed(container, old, "command"):
        errors += validate_command(container.get("command", []), path.child("command"))
    if has_changed(container, old, "ports"):
        errors += validate_ports(container.get("ports", []), (old or {}).get("ports", []), path.child("ports"))
    return errors


def validate_command(command: list[str], path: Path) -> Errors:
    """Arguments may be anything but empty."""
    if len(command) > MAX_COMMAND:
        return [too_many(path, len(command), MAX_COMMAND, origin="maxItems", covered=True)]
    return [
        too_short(path.index(i), 1, origin="minLength", covered=True)
        for i, argument in enumerate(command)
        if not argument
    ]


def validate_ports(ports: list[Object], old: list[Object], path: Path) -> Errors:
    """Ports are found by their number and protocol."""
    errors: Errors = []
    for i, port in enumerate(ports):
        before = next((known for known in old if port_key(known) == port_key(port)), None)
        if before != port:
            errors += validate_port(port, before, path.index(i))
    return errors


def port_key(port: Object) -> tuple[int | None, str]:
    """What makes two ports the same one: no number is 0. That they are told apart is a rule of the list type."""
    return port.get("port") or None, port.get("protocol", "")


def validate_port(port: Object, old: Object | None, path: Path) -> Errors:
    """Validate where a container listens."""
    errors: Errors = []
    if port.get("name") and has_changed(port, old, "name"):
        errors += short_name(port["name"], path.child("name"))
    if has_changed(port, old, "port"):
        number = port.get("port", 0)
        if not number:
            errors.append(required(path.child("port"), covered=True))
        else:
            errors += at_least(number, 1, path.child("port")) + at_most(number, 65535, path.child("port"))
    if has_changed(port, old, "protocol"):
        errors += one_of(port.get("protocol", ""), ("TCP", "UDP"), path.child("protocol"))
    return errors


def validate_status(status: Object, old: Object, path: Path) -> Errors:
    """Validate what a controller saw."""
    errors: Errors = []
    for name in ("replicas", "readyReplicas"):
        if has_changed(status, old, name):
            errors += at_least(status.get(name, 0), 0, path.child(name))
    if has_changed(status, old, "conditions"):
        errors += validate_conditions(status.get("conditions", []), old.get("conditions", []), path.child("conditions"))
    return errors


def validate_conditions(conditions: list[Object], old: list[Object], path: Path) -> Errors:
    """Validate observations, which are found by their type."""
    if len(conditions) > MAX_CONDITIONS:
        return [too_many(path, len(conditions), MAX_CONDITIONS, origin="maxItems", covered=True)]
    errors: Errors = []
    for i, condition in enumerate(conditions):
        before = next((known for known in old if known.get("type", "") == condition.get("type", "")), None)
        if before != condition:
            errors += validate_condition(condition, before, path.index(i))
    return errors


def validate_condition(condition: Object, old: Object | None, path: Path) -> Errors:
    """Validate one observation."""
    errors: Errors = []
    if has_changed(condition, old, "type") and not condition.get("type"):
        errors.append(required(path.child("type"), covered=True))
    if has_changed(condition, old, "status"):
        errors += one_of(condition.get("status", ""), ("False", "True", "Unknown"), path.child("status"))
    if has_changed(condition, old, "message") and len(condition.get("message", "")) > 256:
        errors.append(too_long_characters(path.child("message"), 256, origin="maxLength", covered=True))
    return errors


def has_changed(new: Object, old: Object | None, name: str) -> bool:
    """Whether a member is to be looked at: there is nothing to compare it with, or it differs."""
    return old is None or new.get(name) != old.get(name)


def at_least(value: int, limit: int, path: Path) -> Errors:
    """Demand a number of at least `limit`."""
    if value >= limit:
        return []
    return [invalid(path, value, f"must be greater than or equal to {limit}", origin="minimum", covered=True)]


def at_most(value: int, limit: int, path: Path) -> Errors:
    """Demand a number of at most `limit`."""
    if value <= limit:
        return []
    return [invalid(path, value, f"must be less than or equal to {limit}", origin="maximum", covered=True)]


def one_of(value: str, supported: tuple[str, ...], path: Path) -> Errors:
    """Demand one of the supported values."""
    if not value:
        return [required(path, covered=True)]
    return [] if value in supported else [not_supported(path, value, supported, covered=True)]


def text_up_to(text: str, limit: int, path: Path) -> Errors:
    """Demand a text of at most `limit` characters."""
    if not text:
        return [required(path, covered=True)]
    return [too_long_characters(path, limit, origin="maxLength", covered=True)] if len(text) > limit else []


def short_name(name: str, path: Path) -> Errors:
    """Demand a DNS label."""
    problems = bytes_up_to(name, 63)
    if not _is_label(name):
        if _is_subdomain(name):
            problems.append("must not contain dots")
        else:
            problems.append(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start "
                "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
                f"regex used for validation is '{_LABEL}')"
            )
    return malformed(name, problems, "k8s-short-name", path)


def long_name(name: str, path: Path) -> Errors:
    """Demand a DNS subdomain."""
    return malformed(name, subdomain_problems(name), "k8s-long-name", path)


def subdomain_problems(name: str) -> list[str]:
    """Say what keeps a name from being a DNS subdomain."""
    problems = bytes_up_to(name, 253)
    if not _is_subdomain(name):
        problems.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'example.com', "
            f"regex used for validation is '{_SUBDOMAIN}')"
        )
    return problems


def qualified_name(key: str, path: Path) -> Errors:
    """Demand a label's key: a name, with a DNS subdomain and a slash before it if it likes."""
    ends = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
    words = (
        f"{ends} character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_QUALIFIED}')"
    )
    parts = key.split("/")
    if len(parts) > 2:
        problem = f"a valid label key {words} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return malformed(key, [problem], "k8s-label-key", path)
    problems = []
    if len(parts) == 2:
        prefix = parts[0]
        nothing = ["must be non-empty"]
        problems += [f"prefix part {problem}" for problem in (subdomain_problems(prefix) if prefix else nothing)]
    name = parts[-1]
    name_problems = bytes_up_to(name, 63) if name else ["must be non-empty"]
    if not _is_qualified(name):
        name_problems.append(words)
    problems += [f"name part {problem}" for problem in name_problems]
    return malformed(key, problems, "k8s-label-key", path)


def label_value(value: str, path: Path) -> Errors:
    """Demand a label's value, which may be empty."""
    problems = bytes_up_to(value, 63)
    if value and not _is_qualified(value):
        problems.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
            f"regex used for validation is '({_QUALIFIED})?')"
        )
    return malformed(value, problems, "k8s-label-value", path)


def bytes_up_to(text: str, limit: int) -> list[str]:
    """Say when a text takes more than `limit` bytes."""
    return [f"must be no more than {limit} bytes"] if len(text.encode()) > limit else []


def malformed(value: str, problems: list[str], form: str, path: Path) -> Errors:
    """Report every problem of a value with a form."""
    return [invalid(path, value, problem, origin=f"format={form}", covered=True) for problem in problems]
