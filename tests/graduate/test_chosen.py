"""Rules are chosen by kind and field, tag and level; a name that names nothing is answered with the nearest ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.graduate.chosen import RuleChoice, require_levels
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import KnownRule
from harness.subject.api import open_api


def known(path: str, tag: str = "k8s:maxItems", level: str = "beta", kind: str = "Widget") -> KnownRule:
    """A rule of a kind of toys/v1."""
    rule = DeclaredRule("toys", "v1", kind, path, "FieldValueTooMany", "maxItems", level, tag)  # type: ignore[arg-type]
    return KnownRule(rule, f"t.{kind}", (path,), tuple(path.split(".")), "limit")


RULES = (
    known("spec.ports"), known("spec.ports[*].name", "k8s:required"), known("spec.size", level="alpha"),
    known("spec.old", level=""), known("spec.ports", kind="Gadget"),
)  # fmt: skip


def chosen(*fields: str, tags: tuple[str, ...] = (), levels: tuple[str, ...] = ()) -> list[str]:
    """The kinds and paths that are chosen."""
    found = RuleChoice(fields, tags, levels).choose(RULES, "toys")
    return [f"{one.rule.kind}.{one.rule.path}" for one in found]


def test_rules_are_chosen_by_what_is_given() -> None:
    """Subscripts are left out, case does not matter in kinds, and what is given is combined."""
    assert ["Widget.spec.ports"] == chosen("Widget.spec.ports")
    assert ["Widget.spec.ports[*].name"] == chosen("toys/v1/widget.spec.ports.name")
    assert ["Widget.spec.ports", "Widget.spec.ports[*].name", "Gadget.spec.ports"] == chosen(levels=("beta",))
    assert ["Widget.spec.ports[*].name"] == chosen(tags=("required",)) == chosen(tags=("+k8s:required",))
    assert ["Gadget.spec.ports"] == chosen("Gadget.spec.ports", tags=("maxItems",), levels=("beta", "alpha"))


def test_a_tag_of_a_line_chooses_the_rules_of_the_line() -> None:
    """`+k8s:unique=map` is told as a rule of `+k8s:listType`, and is chosen by either name."""
    rules = (known("spec.ports", "k8s:listType"), known("spec.names", "k8s:listType"))
    for tag, count in (("unique", 1), ("listType", 2)):
        found = RuleChoice(tags=(tag,)).choose(
            rules, "toys", lambda one: "k8s:unique" if one.rule.path == "spec.ports" else one.rule.tag
        )
        assert rules[:count] == found


@pytest.mark.parametrize(
    ("fields", "tags", "levels", "words"),
    [
        ((), (), (), "no rule is chosen"),
        (("Widgit.spec.ports",), (), (), "did you mean Widget?"),
        (("other/v1/Widget.spec.ports",), (), (), "has no kind other/v1/Widget with rules"),
        (("Widget.spec.port",), (), (), "did you mean Widget.spec.ports?"),
        (("Widget.specs.ports",), (), (), "did you mean Widget.spec.ports?"),
        (("Widget.x.y.z",), (), (), "one of Widget.spec.old, "),
        (("Widget",), (), (), "names no field"),
        ((), ("maxItem",), (), "did you mean k8s:maxItems?"),
        ((), ("minimum",), (), "declares no error in toys"),
        (("Widget.spec.old",), (), (), "they are standard"),
        (("Widget.spec.size",), (), ("beta",), "fix: --level alpha"),
        (("Widget.spec.size",), ("required",), (), "no rule that fits all"),
    ],
)
def test_a_name_that_names_nothing_says_what_there_is(
    fields: tuple[str, ...], tags: tuple[str, ...], levels: tuple[str, ...], words: str
) -> None:
    """With the nearest name, and how to go on."""
    with pytest.raises(UsageError) as raised:
        RuleChoice(fields, tags, levels).choose(RULES, "toys")
    assert words in str(raised.value)
    assert "fix: " in str(raised.value)


def test_a_release_without_levels_is_refused(tmp_path: Path) -> None:
    """Up to 1.35 no tag has a level."""
    (tmp_path / "types.go").write_text('package v1\n\ntype A struct {\n\tName string `json:"name"`\n}\n')
    require_levels(open_api(tmp_path, release="1.36"))
    with pytest.raises(UsageError, match="without levels"):
        require_levels(open_api(tmp_path, release="1.35"))
