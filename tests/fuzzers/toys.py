"""A toy API for tests: types, two validators with planted differences, and a target that asks them in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from harness.case import Answer, Case, Failure, Json, KindInfo, Operation, TargetInfo
from harness.diagnostics import Position
from harness.field import FieldError
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.model import Const, Field, Struct, Typedef, TypeRef
from harness.objectmodel import META
from harness.targets.target import Closing

PACKAGE = "example.com/toys/v1"
NOWHERE = Position("types.go")


def ref(text: str) -> TypeRef:
    """Read a use of a type in Go's words; capital names belong to the toy package."""
    if text.startswith("*"):
        return TypeRef("pointer", elem=ref(text[1:]))
    if text.startswith("[]"):
        return TypeRef("list", elem=ref(text[2:]))
    if text.startswith("map["):
        key, _, value = text[4:].partition("]")
        return TypeRef("map", elem=ref(value), key=ref(key))
    if text.startswith("metav1."):
        return TypeRef("named", f"{META}.{text[7:]}")
    return TypeRef("named", f"{PACKAGE}.{text}") if text[0].isupper() else TypeRef("builtin", text)


def struct(name: str, members: dict[str, str]) -> Struct:
    """Declare a struct by the JSON names and types of its members; a leading `+` inlines."""
    fields = tuple(
        Field(json.lstrip("+").capitalize(), "" if json[0] == "+" else json, ref(text), NOWHERE, inline=json[0] == "+")
        for json, text in members.items()
    )
    return Struct(name, PACKAGE, fields, NOWHERE)


class Toys:
    """A universe of a few types; quacks like `gotypes.packages.Universe`."""

    structs: ClassVar[dict[str, Struct]] = {
        one.name: one
        for one in (
            struct("Widget", {"+meta": "metav1.TypeMeta", "metadata": "metav1.ObjectMeta", "spec": "WidgetSpec"}),
            struct(
                "WidgetSpec",
                {
                    "replicas": "*int32",
                    "mode": "Mode",
                    "title": "string",
                    "ports": "[]Port",
                    "labels": "map[string]string",
                    "selector": "*Selector",
                    "parent": "*WidgetSpec",
                    "+limits": "Limits",
                },
            ),
            struct("Limits", {"ceiling": "int64"}),
            struct("Port", {"name": "string", "number": "int32"}),
            struct("Selector", {"matchLabels": "map[string]string"}),
        )
    }
    typedefs: ClassVar[dict[str, Typedef]] = {"Mode": Typedef("Mode", PACKAGE, TypeRef("builtin", "string"), NOWHERE)}

    def find(self, qualified: str) -> Struct | Typedef | None:
        """Look a type up."""
        package, _, name = qualified.rpartition(".")
        return (self.structs.get(name) or self.typedefs.get(name)) if package == PACKAGE else None

    def consts_of(self, qualified: str) -> tuple[Const, ...]:
        """Return the constants of a type."""
        values = ("Fast", "Slow") if qualified == f"{PACKAGE}.Mode" else ()
        return tuple(Const(value, PACKAGE, qualified, value, NOWHERE) for value in values)


UNIVERSE: Any = Toys()


def widget_shape() -> Shape:
    """Return the shape of the toy kind."""
    return shape_of(UNIVERSE, f"{PACKAGE}.Widget")


class NamedPorts(Toys):
    """Widgets whose ports are a map of structs by their names."""

    structs: ClassVar[dict[str, Struct]] = {
        **Toys.structs,
        "WidgetSpec": struct("WidgetSpec", {"mode": "Mode", "title": "string", "ports": "map[string]Port"}),
    }


def named_ports_shape() -> Shape:
    """Return the shape of a toy kind with a map of structs."""
    universe: Any = NamedPorts()
    return shape_of(universe, f"{PACKAGE}.Widget")


WIDGETS = KindInfo("toys.example.com", "v1", "Widget", "widgets", "toys.example.com/v1", type=f"{PACKAGE}.Widget")

Validator = Callable[[Json, Json], list[FieldError]]


def error(kind: str, field: str, detail: str = "", origin: str = "", **more: Any) -> FieldError:
    """Make an error; `kind` is the end of the machine value."""
    return FieldError(f"FieldValue{kind}", field, detail, origin, **more)


def ports_of(obj: Json) -> list[Json]:
    """Return the ports of a widget."""
    return list((obj.get("spec") or {}).get("ports") or [])


def handwritten(new: Json, old: Json) -> list[FieldError]:
    """Validate as an engineer would have written it: returns early, wants a selector that matches."""
    spec = new.get("spec")
    if not spec:
        return [error("Required", "spec")]
    found: list[FieldError] = []
    if spec.get("mode") not in ("Fast", "Slow"):
        detail = 'supported values: "Fast", "Slow"'
        return [error("NotSupported" if spec.get("mode") else "Required", "spec.mode", detail, covered=True)]
    if not ports_of(new):
        return [error("Required", "spec.ports", covered=True)]
    for index, port in enumerate(ports_of(new)):
        if not 0 < (port.get("number") or 0) < 65536:
            detail = "must be between 1 and 65535, inclusive"
            found.append(error("Invalid", f"spec.ports[{index}].number", detail, "portNumber"))
    if not (spec.get("selector") or {}).get("matchLabels"):
        found.append(error("Invalid", "spec.selector", "empty selector is invalid", "empty"))
    elif (spec.get("labels") or {}) != spec["selector"]["matchLabels"]:
        found.append(error("Invalid", "spec.labels", "`selector` does not match `labels`", "match"))
    if (spec.get("replicas") or 0) < 0:
        found.append(error("Invalid", "spec.replicas", "must be greater than or equal to 0", "minimum", covered=True))
    if len(spec.get("title") or "") > 8:
        found.append(error("TooLong", "spec.title", "may not be more than 8 bytes", "maxLength", covered=True))
    if old is not None and (old.get("spec") or {}).get("ceiling") != spec.get("ceiling"):
        found.append(error("Invalid", "spec.ceiling", "field is immutable", "immutable", covered=True))
    return found


def declarative(new: Json, old: Json) -> list[FieldError]:
    """Validate as rules do, with two mistakes: title may have 9 characters; replicas are ratcheted when unchanged."""
    spec = new.get("spec") or {}
    before = ((old or {}).get("spec") or {}) if old is not None else None
    found: list[FieldError] = []
    if spec and spec.get("mode") not in ("Fast", "Slow"):
        detail = 'supported values: "Fast", "Slow"'
        found.append(error("NotSupported" if spec.get("mode") else "Required", "spec.mode", detail, level="beta"))
    elif spec and not ports_of(new):
        found.append(error("Required", "spec.ports", level="beta"))
    else:
        ratcheted = before is not None and before.get("replicas") == spec.get("replicas")
        if (spec.get("replicas") or 0) < 0 and not ratcheted:
            found.append(
                error("Invalid", "spec.replicas", "must be greater than or equal to 0", "minimum", level="beta")
            )
        if len(spec.get("title") or "") > 9:
            found.append(error("TooLong", "spec.title", "may not be more than 9 bytes", "maxLength", level="beta"))
        if before is not None and before.get("ceiling") != spec.get("ceiling"):
            found.append(error("Invalid", "spec.ceiling", "field is immutable", "immutable", level="beta"))
    return found


class Done:
    """A batch that is answered. `seconds` is how long a process of its own is said to have taken."""

    def __init__(self, answers: list[Answer], seconds: float = 0.0) -> None:
        self._answers, self.seconds = answers, seconds

    def wait(self, seconds: float) -> bool:
        """Wait for nothing."""
        return True

    def result(self) -> list[Answer]:
        """Return the answers."""
        return self._answers


class ToyTarget(Closing):
    """Answers in this process. `fails` may raise in the place of an answer; `asked` counts cases."""

    def __init__(
        self, kinds: Sequence[KindInfo] = (WIDGETS,), fails: Callable[[int], None] = lambda asked: None
    ) -> None:
        self.info = TargetInfo("toys", kinds=tuple(kinds), abilities=("update",))
        self.asked = 0
        self._fails = fails

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch."""
        self.asked += len(cases)
        self._fails(self.asked)
        return [self._answer(case) for case in cases]

    def submit(self, cases: Sequence[Case]) -> Done:
        """Answer a batch at once."""
        return Done(self.ask(cases))

    def _answer(self, case: Case) -> Answer:
        new, old = case.object, case.old if case.operation is Operation.UPDATE else None
        if not _decodes(new) or (old is not None and not _decodes(old)):
            return Answer(case.id, failure=Failure("decode", "json: cannot decode"))
        return Answer(case.id, tuple(handwritten(new, old)), tuple(declarative(new, old)))


_TYPES = {"replicas": int, "mode": str, "title": str, "ports": list, "labels": dict, "selector": dict, "parent": dict}


def _decodes(obj: Json) -> bool:
    """Whether an object has the types of a widget, as far as the validators look."""
    spec = obj.get("spec") if isinstance(obj, dict) else 0
    if spec is None:
        return True
    if not isinstance(spec, dict):
        return False
    if any(not isinstance(spec.get(name), (kind, type(None))) for name, kind in _TYPES.items()):
        return False
    ports = spec.get("ports") or []
    if any(not isinstance(port, dict) or not isinstance(port.get("number", 0), (int, type(None))) for port in ports):
        return False
    return isinstance((spec.get("selector") or {}).get("matchLabels", {}), (dict, type(None)))
