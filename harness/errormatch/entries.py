"""Reads a YAML file that is a list of entries with known keys, and says everything that is wrong with it.

Shared by the exceptions and the wordings. Works on YAML nodes, because a message without its line helps nobody; every
value is a text, or a list of texts where the form says so, whatever YAML would make of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml

from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.limits import check_yaml, read_bounded_text


@dataclass(frozen=True, slots=True)
class Form:
    """What an entry looks like: its name for people, the prefix of its diagnostic codes, and its keys.

    `lists` are those keys that hold a list of texts, `either` those that hold a text or a list of them. `variant` is
    another form that an entry may have instead.
    """

    noun: str
    code: str
    mandatory: tuple[str, ...]
    optional: tuple[str, ...] = ()
    may_be_empty: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    variant: Form | None = None

    def of(self, names: Collection[str]) -> Form:
        """Return the form that an entry with these keys follows: the variant, when it has a key of the variant's."""
        known = self.variant
        return known if known is not None and not set(names) & set(known.keys) <= set(self.keys) else self

    @property
    def keys(self) -> tuple[str, ...]:
        """Every known key, in reading order."""
        return self.mandatory + self.optional


Line: TypeAlias = tuple[str, Position]
"""A text of a list, and where it stands."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its values by key, where each value stands, where the entry begins, and its lists by key."""

    values: dict[str, str]
    places: dict[str, Position]
    position: Position
    lists: dict[str, tuple[Line, ...]]

    def __getitem__(self, key: str) -> str:
        return self.values.get(key, "")

    def place(self, key: str) -> Position:
        """Return where the value of a key stands, or the entry itself when it is missing."""
        return self.places.get(key, self.position)


class EntryFile:
    """A file of entries while it is read: its text, and the diagnostics so far."""

    def __init__(self, path: Path, form: Form, text: str | None = None) -> None:
        """Read the file, or a text that will stand there. Raises: InputError when it cannot be read at all."""
        self.path, self.form = path, form
        self.diagnostics: list[Diagnostic] = []
        self.text = _text_of(path, form) if text is None else text
        self.lines = self.text.splitlines()

    def complain(self, place: Position, code: str, message: str, why: str = "", fix: str = "", width: int = 1) -> None:
        """Remember a diagnostic, with the line it is about. `code` is completed by the prefix of the form."""
        source = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        self.diagnostics.append(Diagnostic(place, f"{self.form.code}-{code}", message, why, fix, source, width))

    def position(self, node: yaml.Node) -> Position:
        """Return where a node begins."""
        return Position(str(self.path), node.start_mark.line + 1, node.start_mark.column + 1)

    def entries(self) -> list[Entry]:
        """Return the entries that are whole; complain about all others."""
        root = self._root()
        if root is None or (isinstance(root, yaml.ScalarNode) and root.tag == "tag:yaml.org,2002:null"):
            return []
        if not isinstance(root, yaml.SequenceNode):
            self.complain(
                self.position(root), "shape", "the file must be a list", fix=f"begin each {self.form.noun} with `- `"
            )
            return []
        found = [self._entry(node) for node in root.value]
        return [entry for entry in found if entry is not None]

    def _root(self) -> yaml.Node | None:
        check_yaml(self.text, str(self.path))
        try:
            return yaml.compose(self.text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Position(str(self.path), mark.line + 1, mark.column + 1) if mark else Position(str(self.path))
            self.complain(place, "yaml", f"not YAML: {error.problem or error.context}", fix=_yaml_fix(error))
        except yaml.YAMLError as error:
            self.complain(Position(str(self.path)), "yaml", f"not YAML: {' '.join(str(error).split())}")
        return None

    def _entry(self, node: yaml.Node) -> Entry | None:
        place = self.position(node)
        if not isinstance(node, yaml.MappingNode):
            self.complain(place, "shape", f"an entry must have keys: {', '.join(self.form.mandatory)}")
            return None
        before = len(self.diagnostics)
        form = self.form.of([key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
        entry = Entry({}, {}, place, {})
        for key, value in node.value:
            self._pair(form, key, value, entry)
        self._missing(form, entry)
        return entry if len(self.diagnostics) == before else None

    def _pair(self, form: Form, key: yaml.Node, value: yaml.Node, entry: Entry) -> None:
        name = key.value if isinstance(key, yaml.ScalarNode) else ""
        at = self.position(key)
        if name not in form.keys:
            guess = near_miss(name, form.keys)
            known = f"known keys: {', '.join(form.keys)}"
            self.complain(at, "key", f"unknown key {name!r}", known, guess, width=max(1, len(name)))
            return
        if name in entry.places:
            self.complain(at, "key", f"key {name!r} stands twice in one entry", fix="keep one of them", width=len(name))
            return
        entry.places[name] = self.position(value)
        if name in form.lists or (name in form.either and isinstance(value, yaml.SequenceNode)):
            self._list(name, value, entry)
        elif not isinstance(value, yaml.ScalarNode):
            self.complain(entry.places[name], "value", f"{name} must be a text", fix=f'{name}: "..."')
        else:
            self._value(form, name, value, entry)

    def _value(self, form: Form, name: str, value: yaml.ScalarNode, entry: Entry) -> None:
        # An empty plain scalar is YAML's null: `origin:` says nothing, `origin: ""` says that there is none.
        explicit = value.style is not None or bool(value.value)
        if value.value.strip() or (name in form.may_be_empty and explicit):
            entry.values[name] = str(value.value)
            return
        allowed = f'{name}: ""' if name in form.may_be_empty else f"{name}: ..."
        self.complain(self.position(value), "value", f"{name} is empty", "every key is a statement", allowed)

    def _list(self, name: str, value: yaml.Node, entry: Entry) -> None:
        texts = value.value if isinstance(value, yaml.SequenceNode) else ()
        if not texts:
            self.complain(self.position(value), "value", f"{name} must be a list of texts", fix=f"{name}:\n  - ...")
        for text in texts:
            if not isinstance(text, yaml.ScalarNode):
                self.complain(self.position(text), "value", f"{name} holds what is no text", fix="- ...")
        entry.lists[name] = tuple((str(one.value), self.position(one)) for one in texts)

    def texts(self, entry: Entry, key: str) -> tuple[Line, ...]:
        """Return what a key says that holds a text or a list of them, each with its place."""
        return entry.lists.get(key) or ((entry[key], entry.place(key)),)

    def _missing(self, form: Form, entry: Entry) -> None:
        missing = [name for name in form.mandatory if name not in entry.places]
        if missing:
            keys = ", ".join(missing)
            why = f"every {form.noun} says all of: {', '.join(form.mandatory)}"
            self.complain(entry.position, "missing", f"missing {keys}", why, f"{missing[0]}: ...")


def _text_of(path: Path, form: Form) -> str:
    try:
        return read_bounded_text(path, encoding="utf-8-sig")
    except OSError as error:
        problem = error.strerror or str(error)
    except UnicodeDecodeError:
        problem = "not UTF-8 text"
    raise InputError([Diagnostic(Position(str(path)), f"{form.code}-file", f"cannot be read: {problem}")])


def _yaml_fix(error: yaml.MarkedYAMLError) -> str:
    text = f"{error.context} {error.problem}"
    if "alias" in text:
        return 'write "*" with its quotation marks'
    return "put the text between single quotation marks" if "mapping values" in text else ""


def raise_if(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise InputError when there is anything to say, in the order of the file."""
    if diagnostics:
        raise InputError(sorted(diagnostics, key=lambda d: (d.position.line, d.position.column)))
