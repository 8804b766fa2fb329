"""Finds generated coverage tests that do not register the rules of the types, or do not name all versions of a kind.

validation-gen writes for each kind one file per version, which registers the rules of that version, and one with the
names of all versions, which asserts that tests have seen every rule. A rule that is not registered is asked of no test.
Only what the change caused is reported, as for generated validators.

Source: semantics.md#9.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from harness.diagnostics import Position
from harness.kubeyaml import Loader
from harness.limits import check_yaml, read_checkout_text
from harness.objectmodel import API_VERSION
from harness.rulecov.declared import DeclaredRule
from harness.verify.change import ChangedFile, KindName, StaleFile
from harness.verify.sides import Side
from harness.verify.stale import COMMAND

FOLDER = "test/declarative_validation"
_ALLOWED = f"{FOLDER}/coverage-allowlist.yaml"
_PREFIX = "zz_generated.validations."
_RULE = re.compile(r'^\s*"(?P<path>.*)": \{$|\{ErrorType: "(?P<type>\w+)"(?:, Origin: "(?P<origin>[^"]*)")?\}', re.M)
_VERSIONS = re.compile(r"^var apiVersions = \[\]string\{(.*)\}$", re.M)
_VERSION = re.compile(r"v\d+(?:(?:alpha|beta)\d+)?")
_MAX_RULES = 3

RuleName = tuple[str, str, str]
"""Path, type and origin of an error."""


def is_read(path: str) -> bool:
    """Whether a file of a checkout is one that this module reads."""
    return path == _ALLOWED or (path.startswith(f"{FOLDER}/") and path.rpartition("/")[2].startswith(_PREFIX))


def stale_tests(base: Side, head: Side, files: Iterable[ChangedFile], kinds: Iterable[KindName]) -> Iterator[StaleFile]:
    """Yield every generated coverage test of the head that does not match its types, by file.

    Compared are `kinds`, which the change touches, and those of which a test changed, in all their versions.
    """
    if not (head.root / FOLDER).is_dir():
        return
    edited = {one.path.rpartition("/")[0] for one in files if is_read(one.path)}
    wanted = {_folder_of(name) for name in kinds} | edited
    before, after = _CoverageTests(base, wanted), _CoverageTests(head, wanted)
    for name, declared in sorted(after.declared.items()):
        registered = after.registered(name)
        states = (registered, declared), (before.registered(name), before.declared.get(name))
        if registered != declared and states[0] != states[1]:
            sentence = _difference(declared - registered, registered - declared)
            yield _stale(head, name, f"{_PREFIX}{name.version}_test.go", sentence, states[0][1] == states[1][1])
    for folder, versions in sorted(after.versions.items()):
        listed = after.listed(folder)
        was = before.listed(folder), before.versions.get(folder)
        if listed != versions and (listed, versions) != was:
            more = f"does not name {', '.join(sorted(versions - listed))}" if versions - listed else ""
            less = f"names {', '.join(sorted(listed - versions))}" if listed - versions else ""
            sentence = f"the test of all versions {' and '.join(filter(None, (more, less)))}"
            name = max(one for one in after.declared if _folder_of(one) == folder)
            yield _stale(head, name, f"{_PREFIX}main_test.go", sentence, versions == was[1])


class _CoverageTests:
    """The rules and versions that the types of base or head declare, and those that its generated tests name."""

    def __init__(self, side: Side, folders: Collection[str]) -> None:
        self._side, self._folders = side, folders
        self._allowed = _read_allowed(side.root / _ALLOWED)

    @cached_property
    def declared(self) -> Mapping[KindName, frozenset[RuleName]]:
        """The rules of each kind for which a test is generated."""
        found = {}
        for name, kind in self._side.kinds.items():
            if _folder_of(name) in self._folders and _VERSION.fullmatch(name.version):
                rules = [known.rule for known in self._side.rules(kind)]
                kept = frozenset((one.path, one.type, one.origin) for one in rules if not self._is_allowed(one))
                if kept:
                    found[name] = kept
        return found

    @cached_property
    def versions(self) -> Mapping[str, frozenset[str]]:
        """The versions of each kind for which a test is generated, by its folder."""
        found: dict[str, set[str]] = {}
        for name in self.declared:
            found.setdefault(_folder_of(name), set()).add(name.version)
        return {folder: frozenset(versions) for folder, versions in found.items()}

    def registered(self, name: KindName) -> frozenset[RuleName]:
        """Return the rules that the test of a kind registers; none without a test."""
        path, found = "", set()
        for one in _RULE.finditer(self._read(_folder_of(name), name.version)):
            if one["type"]:
                found.add((path, one["type"], one["origin"] or ""))
            else:
                path = one["path"]
        return frozenset(found)

    def listed(self, folder: str) -> frozenset[str]:
        """Return the versions that the test of all versions names."""
        found = _VERSIONS.search(self._read(folder, "main"))
        return frozenset(re.findall(r'"([^"]*)"', found[1])) if found else frozenset()

    def _read(self, folder: str, word: str) -> str:
        file = self._side.root / folder / f"{_PREFIX}{word}_test.go"
        return read_checkout_text(file) if file.is_file() else ""

    def _is_allowed(self, rule: DeclaredRule) -> bool:
        """Whether the list of exceptions leaves a rule out of the tests."""
        version = f"{rule.group}/{rule.version}" if rule.group else rule.version
        values = {"kind": rule.kind, "path": rule.path, "errorType": rule.type, "origin": rule.origin}
        return any(
            one.get(API_VERSION) == version and all(one.get(key) in ("*", text) for key, text in values.items())
            for one in self._allowed
        )


def _read_allowed(file: Path) -> list[Mapping[str, Any]]:
    """Read the entries of the list of exceptions; none without one, or if it is no such list."""
    if not file.is_file():
        return []
    text = read_checkout_text(file)
    check_yaml(text, str(file))
    try:
        entries = yaml.load(text, Loader)
    except yaml.YAMLError:
        return []  # upstream's generator rejects it
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


def _folder_of(name: KindName) -> str:
    return f"{FOLDER}/{name.group.partition('.')[0] or 'core'}/{name.kind.lower()}"


def _stale(head: Side, name: KindName, file: str, sentence: str, is_edited: bool) -> StaleFile:
    place = f"{_folder_of(name)}/{file}"
    line = Position(place, 1 if (head.root / place).is_file() else 0)
    return StaleFile(place, head.kinds[name].type, "", sentence, line, COMMAND, is_edited)


def _difference(missing: Collection[RuleName], more: Collection[RuleName]) -> str:
    parts = [
        f"does not register {_listed(missing)}" if missing else "",
        f"registers {_listed(more)}, which the types do not declare" if more else "",
    ]
    return f"the coverage test {' and '.join(filter(None, parts))}"


def _listed(rules: Collection[RuleName]) -> str:
    words = [" ".join(filter(None, (path or "(the object)", error, origin))) for path, error, origin in sorted(rules)]
    rest = len(words) - _MAX_RULES
    return ", ".join(words[:_MAX_RULES]) + (f" and {rest} more" if rest > 0 else "")
