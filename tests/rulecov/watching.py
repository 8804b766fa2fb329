"""Rules of types written in a test, and answers about their objects, for those who look on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.case import Answer, Case, Failure, Json, KindInfo, Operation
from harness.engine.units import RequestKind, Unit
from harness.field import FieldError
from harness.field.unaccepted import Unaccepted
from harness.rulecov.inventory import Inventory, KnownRule, read_inventory
from harness.rulecov.observed import RuleObserver
from harness.subject.api import Api, open_api


def api_of_go(tmp_path: Path, go: str) -> Api:
    """Open types of a package v1 with a root T."""
    folder = tmp_path / "example.com" / "v1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "types.go").write_text(f"package v1\n\n{go}\n", encoding="utf-8")
    return open_api(folder)


def root(*members: str, more: str = "") -> str:
    """Write a root T; members are `tags | go line`, tags without `+k8s:` and separated by `; `."""
    lines = []
    for member in members:
        tags, _, line = (part.strip() for part in member.rpartition("|"))
        lines += [f"\t// +k8s:{tag}" for tag in filter(None, tags.split("; "))] + [f"\t{line}"]
    body = "\n".join(lines)
    return f"// +k8s:validation-gen=true\ntype T struct {{\n{body}\n}}\n\n{more}"


def watched(tmp_path: Path, go: str, **info: Any) -> Watched:
    """Return the observer of a root T and the way to show it answers."""
    return Watched(read_inventory(api_of_go(tmp_path, go)), **info)


class Watched:
    """An observer of T, and what it is shown."""

    def __init__(
        self, inventory: Inventory, subresources: tuple[str, ...] = ("",), servers: bool = False, **info: Any
    ) -> None:
        self.rules: tuple[KnownRule, ...] = tuple(k for k in inventory.rules if k.rule.kind == "T")
        name = self.rules[0].type
        kinds = [KindInfo("", "v1", "T", "ts", "v1", subresource=one, type=name, **info) for one in subresources]
        requests = tuple(RequestKind(kind, operation) for kind in kinds for operation in kind.operations)
        self.observer = RuleObserver(
            Unit(0, requests), self.rules, inventory.others.get(name, ()), frozenset(subresources), servers=servers
        )

    def show(
        self,
        new: Json,
        old: Json = None,
        declarative: tuple[FieldError, ...] = (),
        handwritten: tuple[FieldError, ...] = (),
        seconds: float = 1.0,
        subresource: str = "",
        failure: Failure | None = None,
        **asked: Any,
    ) -> None:
        """Show one case and its answer; it is an update when there is an old object."""
        operation = Operation.CREATE if old is None else Operation.UPDATE
        case = Case(1, "", "v1", "T", operation, new, old, "ts", subresource, **asked)
        self.observer.examine([case], [Answer(1, handwritten, declarative, failure=failure)], seconds)

    def seen(self, mark: int) -> list[tuple[str, str]]:
        """Return path and origin (or type) of the rules of which this was seen."""
        rules = self.observer.outcome().rules
        return [
            (one.rule.path, one.rule.origin or one.rule.type.removeprefix("FieldValue"))
            for number, one in enumerate(self.rules)
            if number in rules and rules[number].seen & mark
        ]

    def unaccepted(self) -> dict[str, Unaccepted]:
        """Return by path why no object at the limit of a rule was accepted."""
        rules = self.observer.outcome().rules
        found = ((self.rules[number].rule.path, sight.unaccepted) for number, sight in rules.items())
        return {path: why for path, why in found if why is not None}


def error(path: str, kind: str, origin: str = "", **more: Any) -> FieldError:
    """Make an error; `kind` is a type without `FieldValue`."""
    return FieldError(f"FieldValue{kind}", path, origin=origin, **more)
