"""Writes the change that makes safe rules standard, as a patch: levels raised, checks removed, tests added.

Both go together: a standard rule beside its check is served twice, and a removed check whose rule is at beta is lost
with the gate off. A line of types.go declares rules of several kinds, and a check may stand behind several lines, so
that a rule is written only if all that hang on its lines and its check are. What is not written is told with a reason.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from harness.case import KindInfo
from harness.errormatch.matcher import matcher_for
from harness.graduate.cuts import CutCheck, CutFiles, ReportedAt
from harness.graduate.document import Certificate
from harness.graduate.levels import GENERATED, raise_calls, raise_lines
from harness.graduate.markers import Marker, RuleName, rule_name
from harness.jsonpath import canonical_path, first_items
from harness.limits import read_checkout_text
from harness.rulecov.inventory import KnownRule

Cut = Callable[[Sequence[Sequence[str]]], CutFiles]
"""Cuts out the checks at the end of some calls."""
_API = "k8s.io/api/"
_STAGING = "staging/src/"


@dataclass(frozen=True, slots=True)
class BoundaryTests:
    """Tests of rules without their checks: texts by their paths from the top, and what is not tested, with a reason."""

    texts: Mapping[str, str] = field(default_factory=dict)
    untested: tuple[str, ...] = ()


MakeTests = Callable[[Sequence[KnownRule]], BoundaryTests]
"""Makes the tests of rules that become standard."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A unified patch for the top of a checkout, empty if nothing is written; what it makes standard; the rest."""

    text: str
    written: tuple[Certificate, ...]
    unwritten: tuple[tuple[Certificate, str], ...]
    tests: BoundaryTests


@dataclass(frozen=True, slots=True)
class _SafeRule:
    known: KnownRule
    certificate: Certificate
    places: frozenset[ReportedAt]

    @property
    def name(self) -> RuleName:
        return rule_name(self.known)

    @property
    def calls(self) -> tuple[str, ...]:
        check = self.certificate.check
        return check.calls if check is not None else ()


@dataclass
class PatchWriter:
    """Writes the patch of a release: `top` is the folder of k8s.io/kubernetes, `rules` are all that are declared."""

    top: Path
    markers: Sequence[Marker]
    rules: Sequence[KnownRule]
    kinds: Sequence[KindInfo]
    cut: Cut
    make_tests: MakeTests
    _reasons: dict[RuleName, str] = field(default_factory=dict)

    def write(self, chosen: Sequence[KnownRule], certificates: Sequence[Certificate]) -> Patch:
        """Write what can be written of the safe rules. Raises: HarnessError if the sources cannot be read."""
        safe = [
            _SafeRule(known, one, self._places(known))
            for known, one in zip(chosen, certificates, strict=True)
            if one.verdict == "safe"
        ]
        rules = safe
        while True:
            rules = self._connected(rules)
            cut = self.cut([one.calls for one in rules]) if rules else CutFiles((), {})
            kept = self._cut_well(rules, cut.checks)
            if len(kept) == len(rules):
                break
            rules = kept
        written = {one.name for one in rules}
        raised = self._with_unserved(rules)
        tests = (
            self.make_tests([known for known in self.rules if rule_name(known) in raised]) if rules else BoundaryTests()
        )
        files = self._texts(raised) | cut.files | {str(self.top / path): text for path, text in tests.texts.items()}
        return Patch(
            "".join(self._changed(path, text) for path, text in sorted(files.items())),
            tuple(one.certificate for one in rules),
            tuple((one.certificate, self._reasons[one.name]) for one in safe if one.name not in written),
            tests,
        )

    # Which rules

    def _connected(self, rules: Sequence[_SafeRule]) -> list[_SafeRule]:
        """Leave out rules whose line declares another rule that is not among them, until none is."""
        while True:
            names = {one.name for one in rules}
            kept = [one for one in rules if not self._note(one, self._loose_end(one, names))]
            if len(kept) == len(rules):
                return kept
            rules = kept

    def _loose_end(self, one: _SafeRule, names: set[RuleName]) -> str:
        """Say why the lines of a rule cannot be raised; empty if they can."""
        if one.certificate.level != "beta":
            return f"a rule at {one.certificate.level} rises to beta first"
        if not one.calls:
            return "the line of its check is not known"
        own = [marker for marker in self.markers if marker.line in one.certificate.markers]
        if not own:
            return "the line of its tag is not known"
        for marker in own:
            other = next((name for name in marker.rules if name not in names), None)
            if other is not None:
                kind, words = other[0].rpartition(".")[2], "/".join(filter(None, other[2:])).removeprefix("FieldValue")
                return f"its line declares {words} of {kind} {other[1]} too, which is not written"
            beside = [other for other in self._raised(names) if other.place == marker.place]
            if self._generated(beside) is None:
                return f"{GENERATED} has no call that is its alone"
        return ""

    def _cut_well(self, rules: Sequence[_SafeRule], checks: Sequence[CutCheck]) -> list[_SafeRule]:
        """Leave out rules whose check cannot be cut out, or reports for others that stay."""
        behind: dict[str, set[ReportedAt]] = {}
        for one, check in zip(rules, checks, strict=True):
            behind.setdefault(check.line, set()).update(one.places)
        kept = []
        for one, check in zip(rules, checks, strict=True):
            reason = check.problem
            if not reason:
                reports = set(check.reports or ())
                other = next(iter(sorted(reports - behind[check.line], key=str)), None)
                if not one.places <= reports:
                    reason = "the statement of its check reports elsewhere"
                elif other is not None:
                    reason = f"its check reports {other.kind} {other.path} too, which is not written"
                else:
                    reason = self._left_version(one, rules)
            if not self._note(one, f"{reason} ({check.line})" if reason and check.line else reason):
                kept.append(one)
        return kept

    def _left_version(self, one: _SafeRule, rules: Sequence[_SafeRule]) -> str:
        """Name a served version of the kind whose rule for the same check is not written."""
        names = {other.name for other in rules}
        for known in self.rules:
            rule, own = known.rule, one.known.rule
            if known.type not in self._served or (rule.type, rule.origin) != (own.type, own.origin):
                continue
            if self._places(known) & one.places and rule_name(known) not in names:
                return f"its check is that of {rule.version} too, where the rule is not written"
        return ""

    def _with_unserved(self, rules: Sequence[_SafeRule]) -> set[RuleName]:
        """Return the names of rules, and of the same rules of versions that no request names: they rise with them."""
        names = {one.name for one in rules}
        checks = {(place, one.known.rule.type, one.known.rule.origin) for one in rules for place in one.places}
        more = {
            rule_name(known)
            for known in self.rules
            if known.type not in self._served
            and {(place, known.rule.type, known.rule.origin) for place in self._places(known)} <= checks
        }
        while True:
            raised = self._raised(names | more)
            stuck = {
                place
                for place in {one.place for one in raised if more & set(one.rules)}
                if self._generated([one for one in raised if one.place == place]) is None
            }
            if not stuck:
                return names | more
            more -= {name for one in self.markers if one.place in stuck for name in one.rules}

    def _note(self, one: _SafeRule, reason: str) -> str:
        if reason:
            self._reasons[one.name] = reason
        return reason

    def _places(self, known: KnownRule) -> frozenset[ReportedAt]:
        """Return the places of a rule as its internal kind has them."""
        normalize = matcher_for(self._normalization.get(known.type, ())).normalize
        group = known.type.removeprefix(_API).partition("/")[0]
        kind = f"{group}.{known.type.rpartition('.')[2]}"
        return frozenset(ReportedAt(kind, canonical_path(normalize(first_items(place)))) for place in known.places)

    @cached_property
    def _normalization(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        return {info.type: info.normalization for info in self.kinds}

    @cached_property
    def _served(self) -> set[str]:
        return {info.type for info in self.kinds if info.served}

    # Which files

    def _texts(self, names: set[RuleName]) -> dict[str, str]:
        """Return types.go and generated code with the lines of the rules raised."""
        raised = self._raised(names)
        by_file: dict[str, list[Marker]] = {}
        for marker in raised:
            by_file.setdefault(marker.position.file, []).append(marker)
        files = {path: raise_lines(self._old(path), markers) for path, markers in by_file.items()}
        return files | (self._generated(raised) or {})

    def _raised(self, names: set[RuleName]) -> list[Marker]:
        """Return the lines of some rules, and those beside them without an error where no line with one stays."""
        stay = {one.place for one in self.markers if not set(one.rules) <= names}
        rise = {one.place for one in self.markers if one.rules} - stay
        return [
            one
            for one in self.markers
            if one.level == "beta" and (set(one.rules) <= names if one.rules else one.place in rise)
        ]

    def _generated(self, raised: Sequence[Marker]) -> dict[str, str] | None:
        """Return the generated code with some lines raised; None if the calls of one cannot be told apart."""
        files: dict[str, str] = {}
        for place in dict.fromkeys(one.place for one in raised):
            package, element = place
            path = str(self.top / "pkg/apis" / package.removeprefix(_API) / GENERATED)
            if not package.startswith(_API) or not Path(path).is_file():
                return None
            own = [one.tag for one in raised if one.place == place]
            kept = [one.tag for one in self.markers if one.place == place and one not in raised]
            text = raise_calls(files.get(path) or self._old(path), element, own, kept)
            if text is None:
                return None
            files[path] = text
        return files

    def _old(self, path: str) -> str:
        return read_checkout_text(Path(path))

    def _changed(self, path: str, text: str) -> str:
        return _difference(self._shown(path), self._old(path) if Path(path).is_file() else None, text)

    def _shown(self, path: str) -> str:
        """Return the path of a file from the top of a checkout; a release has its types in a module of their own."""
        if Path(path).is_relative_to(self.top):
            return Path(path).relative_to(self.top).as_posix()
        package = next(one.package for one in self.markers if one.position.file == path)
        return f"{_STAGING}{package}/{Path(path).name}"


def _difference(path: str, old: str | None, new: str) -> str:
    """Return the unified difference of a file as git reads it; `old` is None for a new file."""
    before = f"a/{path}" if old is not None else "/dev/null"
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True), new.splitlines(keepends=True), before, f"b/{path}"
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
