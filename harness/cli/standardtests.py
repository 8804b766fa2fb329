"""Exports tests of rules that a patch makes standard, as a release answers once they are and their checks are gone.

The rows are those of `harness export`, searched on the release as it is. A test of one field of one kind is a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from harness.case import Answer, KindInfo
from harness.cli.targets import arguments_of
from harness.diagnostics import UsageError
from harness.errormatch.matcher import matcher_for
from harness.export.asker import most_stable
from harness.export.expected import RuleLevels
from harness.export.gotest import render_go
from harness.export.gotree import Tree
from harness.export.rows import Table
from harness.export.rowsearch import tabulate_chosen
from harness.graduate.after import RuleErrors, answer_after
from harness.graduate.patch import BoundaryTests
from harness.rulecov.inventory import Inventory, KnownRule
from harness.subject import Subject, SubjectSpec, open_subject


@dataclass(frozen=True, slots=True)
class StandardTests:
    """Makes the tests of a release or checkout; `note` is told what is searched."""

    spec: SubjectSpec
    inventory: Inventory
    note: Callable[[str], None]

    def make(self, raised: Sequence[KnownRule]) -> BoundaryTests:
        """Make a test for each field with rules that become standard, in the most stable version of each kind."""
        try:
            tree = Tree.of(self.spec.location)
        except UsageError as problem:
            return BoundaryTests(untested=(_first_line(problem),))
        texts, untested = {}, []
        with open_subject(self.spec, self.note) as subject:
            for info, rules in _tested(subject, raised):
                field = rules[0].rule.path
                try:
                    tree.check(info)
                    table = self._table(subject, info, rules, raised)
                    if not any(row.wants == "reject" for row in table.rows):
                        raise UsageError("no object was found that the rule rejects")
                    test = render_go(
                        tree, table, [self._origin(info, field)], f"{field} standard",
                        level_of=RuleLevels(self.inventory.rules, info).level_of, gates=self.spec.gates,
                    )  # fmt: skip
                except UsageError as problem:
                    untested.append(f"{info.name} {field}: {_first_line(problem)}")
                else:
                    texts[test.path] = test.text
        return BoundaryTests(texts, tuple(untested))

    def _table(
        self, subject: Subject, info: KindInfo, rules: Sequence[KnownRule], raised: Sequence[KnownRule]
    ) -> Table:
        """Return the rows of some rules of a kind, with the answers of every version after graduation."""
        self.note(f"tests of {info.name} {rules[0].rule.path}")
        table = tabulate_chosen(subject, rules, info, "given")
        kinds = {
            (one.version, one.subresource): one
            for one in subject.target.info.kinds
            if _resource(one) == _resource(info)
        }
        rows = []
        for row in table.rows:
            answers = {
                version: _after(answer, kinds[version, row.info.subresource], raised)
                for version, answer in row.answers.items()
            }
            rows.append(replace(row, answers=answers))
        return replace(table, rows=tuple(rows))

    def _origin(self, info: KindInfo, field: str) -> str:
        return (
            f"Written by `harness graduate {info.group or 'core'}/{info.version}/{info.kind}.{field} "
            f"{arguments_of(self.spec)} --write`: every expectation is what both validators answered, without the "
            "handwritten checks of the rules that are standard here."
        )


def _tested(subject: Subject, raised: Sequence[KnownRule]) -> Iterator[tuple[KindInfo, list[KnownRule]]]:
    """Yield the rules of each path, with the most stable version of the kind that has them."""
    types = {known.type for known in raised}
    by_resource: dict[tuple[str, str], list[KindInfo]] = {}
    for info in subject.target.info.kinds:
        if info.type in types and not info.subresource:
            by_resource.setdefault(_resource(info), []).append(info)
    for infos in by_resource.values():
        info = most_stable(infos)
        own = [known for known in raised if known.type == info.type]
        for path in dict.fromkeys(known.rule.path for known in own):
            yield info, [known for known in own if known.rule.path == path]


def _after(answer: Answer, info: KindInfo, raised: Sequence[KnownRule]) -> Answer:
    matcher = matcher_for(info.normalization)
    rules = [
        RuleErrors.of(known.places, known.rule.type, known.rule.origin, known.rule.level, matcher)
        for known in raised
        if known.type == info.type
    ]
    return answer_after(answer, rules, info)


def _resource(info: KindInfo) -> tuple[str, str]:
    return info.group, info.resource


def _first_line(problem: UsageError) -> str:
    return str(problem).split("\n", 1)[0]
