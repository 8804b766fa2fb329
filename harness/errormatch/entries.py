"""Reads a YAML file that is a list of entries with known keys, and reports all of its errors.

Shared by the exceptions file and the trusted wordings. Works on YAML nodes, because messages need line numbers. Every
value is read as a string, or as a list of strings if the form permits it, whatever its YAML type.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml

from harness.blocks import compose
from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.limits import check_yaml, read_bounded_text


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an entry: its name in messages, the prefix of its diagnostic codes, and its keys.

    `lists` are the keys with a list of strings, `either` those with a string or a list of strings. `variant` is another
    form that an entry may have instead.
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
        """Return the form of an entry with these keys: the variant if it has a key of the variant only."""
        known = self.variant
        return known if known is not None and not set(names) & set(known.keys) <= set(self.keys) else self

    @property
    def keys(self) -> tuple[str, ...]:
        """Every known key, in reading order."""
        return self.mandatory + self.optional


Line: TypeAlias = tuple[str, Position]
"""A string of a list, and its position."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its values, their positions and its lists by key, and the position of the entry."""

    values: dict[str, str]
    places: dict[str, Position]
    position: Position
    lists: dict[str, tuple[Line, ...]]

    def __getitem__(self, key: str) -> str:
        return self.values.get(key, "")

    def place(self, key: str) -> Position:
        """Return the position of the value of a key, or that of the entry if the key is missing."""
        return self.places.get(key, self.position)


class EntryFile:
    """Reads a file of entries, and collects its diagnostics."""

    def __init__(self, path: Path, form: Form, text: str | None = None) -> None:
        """Read the file, or the `text` that will be written to it. Raises: InputError if the file cannot be read."""
        self.path, self.form = path, form
        self.diagnostics: list[Diagnostic] = []
        self.text = _text_of(path, form) if text is None else text
        self.lines = self.text.splitlines()

    def complain(self, place: Position, code: str, message: str, why: str = "", fix: str = "", width: int = 1) -> None:
        """Add a diagnostic with its source line. `code` gets the prefix of the form."""
        source = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        self.diagnostics.append(Diagnostic(place, f"{self.form.code}-{code}", message, why, fix, source, width))

    def position(self, node: yaml.Node) -> Position:
        """Return the position of the beginning of a node."""
        return Position(str(self.path), node.start_mark.line + 1, node.start_mark.column + 1)

    def entries(self) -> list[Entry]:
        """Return the valid entries, and add diagnostics for all others."""
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
            return compose(self.text)
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
        self._check_mandatory(form, entry)
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
            self.complain(at, "key", f"the entry has the key {name!r} twice", fix="keep one of them", width=len(name))
            return
        entry.places[name] = self.position(value)
        if name in form.lists or (name in form.either and isinstance(value, yaml.SequenceNode)):
            self._list(name, value, entry)
        elif not isinstance(value, yaml.ScalarNode):
            self.complain(entry.places[name], "value", f"{name} must be a text", fix=f'{name}: "..."')
        else:
            self._value(form, name, value, entry)

    def _value(self, form: Form, name: str, value: yaml.ScalarNode, entry: Entry) -> None:
        # An empty plain scalar is YAML's null: `origin:` has no value, and `origin: ""` means errors without origin.
        explicit = bool(value.style or value.value)
        if value.value.strip() or (name in form.may_be_empty and explicit):
            entry.values[name] = str(value.value)
            return
        allowed = f'{name}: ""' if name in form.may_be_empty else f"{name}: ..."
        self.complain(self.position(value), "value", f"{name} is empty", "every key requires a value", allowed)

    def _list(self, name: str, value: yaml.Node, entry: Entry) -> None:
        texts = value.value if isinstance(value, yaml.SequenceNode) else ()
        if not texts:
            self.complain(self.position(value), "value", f"{name} must be a list of texts", fix=f"{name}:\n  - ...")
        for text in texts:
            if not isinstance(text, yaml.ScalarNode):
                self.complain(self.position(text), "value", f"{name} has an item that is not a text", fix="- ...")
        entry.lists[name] = tuple((str(one.value), self.position(one)) for one in texts)

    def texts(self, entry: Entry, key: str) -> tuple[Line, ...]:
        """Return the texts of a key with a text or a list of texts, and their positions."""
        return entry.lists.get(key) or ((entry[key], entry.place(key)),)

    def _check_mandatory(self, form: Form, entry: Entry) -> None:
        missing = [name for name in form.mandatory if name not in entry.places]
        if missing:
            keys = ", ".join(missing)
            why = f"every {form.noun} requires: {', '.join(form.mandatory)}"
            self.complain(entry.position, "missing", f"missing {keys}", why, f"{missing[0]}: ...")


def _text_of(path: Path, form: Form) -> str:
    try:
        return read_bounded_text(path, encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError:
        reason = "not UTF-8 text"
    raise InputError([Diagnostic(Position(str(path)), f"{form.code}-file", f"cannot be read: {reason}")])


def _yaml_fix(error: yaml.MarkedYAMLError) -> str:
    text = f"{error.context} {error.problem}"
    if "alias" in text:
        return 'write "*" with its quotation marks'
    return "put the text between single quotation marks" if "mapping values" in text else ""


def raise_if(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise InputError if there are diagnostics, in the order of the file."""
    if diagnostics:
        raise InputError(sorted(diagnostics, key=lambda d: (d.position.line, d.position.column)))
