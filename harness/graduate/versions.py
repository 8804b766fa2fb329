"""Joins the verdicts of all versions of a kind: they share one handwritten check, which is deleted for all or for none.

A rule of one version is no safer than the rules of the other versions that the same check stands behind. A served
version without such a rule would lose the check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from harness.case import KindInfo
from harness.errormatch.matcher import matcher_for
from harness.graduate.after import ErrorKey, RuleErrors
from harness.graduate.document import Certificate
from harness.rulecov.inventory import KnownRule


@dataclass(frozen=True)
class SharedChecks:
    """The handwritten checks of a target: which versions of a kind have a rule for each. `kinds` are those served."""

    kinds: Sequence[KindInfo]
    rules: Sequence[KnownRule]

    def join(self, certificates: Sequence[Certificate], chosen: Sequence[KnownRule]) -> tuple[Certificate, ...]:
        """Return the certificates, in their order, each with what the other versions make of it."""
        by_check: dict[tuple[str, str, ErrorKey], list[Certificate]] = {}
        names = [self._checks(known) for known in chosen]
        for one, checks in zip(certificates, names, strict=True):
            for check in checks:
                by_check.setdefault(check, []).append(one)
        return tuple(
            self._joined(one, checks, [other for check in checks for other in by_check[check] if other is not one])
            for one, checks in zip(certificates, names, strict=True)
        )

    def _joined(
        self, one: Certificate, checks: Sequence[tuple[str, str, ErrorKey]], others: Sequence[Certificate]
    ) -> Certificate:
        if one.verdict == "changes" or any(text.startswith("version:") for text in one.missing):
            return one
        changed = next((other for other in others if other.verdict == "changes"), None)
        if changed is not None:
            return msgspec.structs.replace(
                one, verdict="changes", missing=(), change=changed.change, effects=changed.effects
            )
        asked = {other.version for other in others} | {one.version}
        missing = list(one.missing)
        for version in sorted(self._versions(checks) - asked):
            has_rule = any(version in self._versions_with_rule.get(check, ()) for check in checks)
            why = "was not asked" if has_rule else "has no rule that takes the place of the check"
            missing.append(f"versions: the check is that of {version} too, which {why}")
        unknown = {
            other.version
            for other in others
            if other.verdict == "unknown" and not any(text.startswith("version:") for text in other.missing)
        }
        missing += [
            f"versions: the check is that of {version} too, where the rule is unknown" for version in sorted(unknown)
        ]
        return msgspec.structs.replace(one, verdict="unknown", missing=tuple(missing)) if missing else one

    def _checks(self, known: KnownRule) -> tuple[tuple[str, str, ErrorKey], ...]:
        """Return the checks behind a rule: the group and kind, and the key of each handwritten error."""
        info = self._info_of.get(known.type)
        if info is None:
            return ()
        rule, matcher = known.rule, matcher_for(info.normalization)
        errors = RuleErrors.of(known.places, rule.type, rule.origin, rule.level, matcher)
        return tuple((info.group, info.resource, key) for key in sorted(errors.handwritten))

    @cached_property
    def _info_of(self) -> Mapping[str, KindInfo]:
        return {info.type: info for info in reversed(self.kinds)}

    def _versions(self, checks: Iterable[tuple[str, str, ErrorKey]]) -> set[str]:
        """Return the served versions of the resources of some checks."""
        resources = {(group, resource) for group, resource, _ in checks}
        return {
            info.version for info in self.kinds if (info.group, info.resource) in resources and info.type in self._types
        }

    @cached_property
    def _types(self) -> set[str]:
        return {info.type for info in self.kinds if not info.subresource}

    @cached_property
    def _versions_with_rule(self) -> Mapping[tuple[str, str, ErrorKey], set[str]]:
        found: dict[tuple[str, str, ErrorKey], set[str]] = {}
        for known in self.rules:
            for check in self._checks(known):
                found.setdefault(check, set()).add(self._info_of[known.type].version)
        return found
