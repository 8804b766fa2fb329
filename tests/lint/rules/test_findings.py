"""The findings of rules beyond their bad examples: messages, positions, and the text after a fix."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.lint.examples import STRATEGY
from harness.lint.rule import LintRule
from harness.lint.rules import RULES
from harness.lint.run import lint
from tests.lint.examples import open_with, write
from tests.lint.rules.linting import findings, repaired, struct

_ENUM = '// +k8s:enum\ntype E string\n\nconst (\n\tA E = "A"\n\tB E = "B"\n)\n\n'
_SHORT = "// +k8s:maxLength=9\ntype X string\n\n"

FOUND = (
    (
        "contradicting-limits",
        struct("+k8s:required\n+k8s:maxItems=0\n[]string"),
        "+k8s:maxItems=0 and +k8s:required leave no value of T.a that passes both",
    ),
    (
        "contradicting-limits",
        struct("+k8s:minLength=10\nX", before=_SHORT),
        "+k8s:minLength=10 and +k8s:maxLength=9 of its type leave no value of T.a that passes both",
    ),
    (
        "contradicting-limits",
        struct("+k8s:eachVal=+k8s:minLength=10\n[]X", before=_SHORT),
        "+k8s:minLength=10 and +k8s:maxLength=9 of its type leave no value of T.a that passes both",
    ),
    (
        "contradicting-limits",
        struct("+k8s:alpha=+k8s:minimum=5\n+k8s:ifEnabled(A)=+k8s:maximum=4\n*int32"),
        "+k8s:maximum=4 and +k8s:minimum=5 leave no value of T.a that passes both",
    ),
    (
        "contradicting-limits",
        struct("+k8s:format=k8s-uuid\n+k8s:maxLength=35\nstring"),
        "+k8s:maxLength=35 and +k8s:format=k8s-uuid leave no value of T.a that passes both",
    ),
    (
        "limit-never-reached",
        struct("+k8s:maxLength=10\n+k8s:maxBytes=40\nstring"),
        "+k8s:maxBytes=40 never rejects anything: +k8s:maxLength=10 already rejects all that it does",
    ),
    (
        "limit-never-reached",
        struct("+k8s:format=k8s-short-name\n+k8s:maxLength=63\nstring"),
        "+k8s:maxLength=63 never rejects anything: +k8s:format=k8s-short-name already rejects all that it does",
    ),
    (
        "limit-never-reached",
        struct("+k8s:maxLength=9\nX", before=_SHORT),
        "+k8s:maxLength=9 never rejects anything: +k8s:maxLength=9 of its type already rejects all that it does",
    ),
    (
        "limit-never-reached",
        struct("+k8s:minimum=0\n*uint16"),
        "+k8s:minimum=0 never rejects anything: no uint16 is less than 0",
    ),
    (
        "limit-never-reached",
        struct("+k8s:eachVal=+k8s:maximum=2147483647\n[]int32"),
        "+k8s:maximum=2147483647 never rejects anything: no int32 is greater than 2147483647",
    ),
    (
        "value-never-met",
        struct('+k8s:neq="C"\nE', before=_ENUM),
        "+k8s:neq=\"C\" never rejects anything: 'C' is none of the enum's values, so it is rejected anyway",
    ),
    (
        "value-never-met",
        struct("+k8s:neq=0\n+k8s:minimum=1\nint32"),
        "+k8s:neq=0 never rejects anything: +k8s:minimum=1 rejects 0 anyway",
    ),
    (
        "default-rejected",
        struct('+default="C"\n+k8s:optional\nE', before=_ENUM),
        '+k8s:enum of its type rejects +default="C"',
    ),
    (
        "after-forbidden",
        struct("+k8s:forbidden\n+k8s:required\nstring"),
        "+k8s:required and +k8s:forbidden leave no T.a that passes",
    ),
    (
        "after-forbidden",
        struct("+k8s:ifDisabled(A)=+k8s:forbidden\n+k8s:ifDisabled(A)=+k8s:maxLength=3\nstring"),
        "+k8s:maxLength=3 never runs: +k8s:forbidden ends the field first, set or unset",
    ),
    (
        "presence-said-twice",
        struct("+k8s:required\n+k8s:minItems=1\n[]string"),
        "+k8s:minItems=1 never fires: +k8s:required ends the field first when it is empty",
    ),
    (
        "hidden-stop",
        struct("+k8s:alpha=+k8s:maxItems=3\n[]X", before=_SHORT),
        "the error of +k8s:maxItems=3 is hidden, and +k8s:maxLength=9 of its type does not run after it",
    ),
    (
        "default-makes-required",
        struct("+default=0\n+k8s:beta=+k8s:optional\n*int32"),
        "+k8s:optional with +default=0 works as +k8s:required on T.a",
    ),
    (
        "required-rejects-zero",
        struct("+k8s:required\n+k8s:minimum=0\nint64"),
        "+k8s:minimum=0 allows 0, but +k8s:required rejects it: 0 counts as unset",
    ),
    (
        "opaque-list",
        struct("+k8s:eachVal=+k8s:opaqueType\nL", before="type L []string\n\n"),
        "+k8s:eachVal=+k8s:opaqueType does nothing on T.a, whose list type has a name",
    ),
    (
        "lone-list-tag",
        struct("+k8s:listType=atomic\n+k8s:customUnique\n[]string"),
        "+k8s:customUnique does nothing on T.a: no items are compared there",
    ),
    (
        "lone-discriminator",
        struct('+k8s:modeDiscriminator(modality: "M")\nstring', '+k8s:ifMode("x")=+k8s:required\n*string'),
        "+k8s:modeDiscriminator does nothing: no field has +k8s:ifMode for M",
    ),
    (
        "lone-discriminator",
        struct("+k8s:unionDiscriminator\nstring", '+k8s:unionMember(union: "u")\n*string'),
        "+k8s:unionDiscriminator does nothing: no field has +k8s:unionMember",
    ),
    (
        "mode-drops-rule",
        struct('+k8s:ifMode("A")=+k8s:update=NoSet\n*string'),
        "+k8s:update under +k8s:ifMode is dropped: it only forbids the field in other modes",
    ),
    (
        "exclusion-outside-enum",
        'const (\n\t// +k8s:enumExclude\n\tA = "a"\n)\n',
        "+k8s:enumExclude does nothing on A: the constant has no type",
    ),
    (
        "exclusion-outside-enum",
        _ENUM.replace("\tB", "\t// +k8s:ifEnabled(X)=+k8s:ifDisabled(Y)=+k8s:enumExclude\n\tB"),
        "+k8s:enumExclude under more than one condition is ignored",
    ),
    (
        "tag-behind-field",
        'const (\n\tA E = "a" // +k8s:enumExclude\n\tB E = "b"\n)\n\ntype E string\n',
        "+k8s:enumExclude belongs to B, in the next line, not to the code before it",
    ),
    (
        "tag-orphaned",
        "// +k8s:immutable\n\n\n// A T.\ntype T struct {\n\tA string\n}\n",
        "+k8s:immutable belongs to no type, field or constant, so it is ignored",
    ),
    (
        "tag-orphaned",
        "type T struct {\n\tA string // +k8s:required\n\n\t// The name.\n\tB string\n}\n",
        "+k8s:required belongs to no type, field or constant, so it is ignored",
    ),
    (
        "type-not-reached",
        struct("string") + "type s struct {\n\t// +k8s:required\n\tA string\n}\n",
        "+k8s:required does nothing: no root type reaches s",
    ),
    ("copy-loses-rules", struct("D", before=_ENUM + "type D E\n\n"), "D does not inherit +k8s:enum from E"),
    (
        "unknown-tag",
        struct("+k8s:eachVal=+k8s:maxLenght=3\n[]string"),
        "there is no tag +k8s:maxLenght, so upstream's generator crashes",
    ),
    (
        "unknown-tag",
        struct("+k8s:ifOptionEnabled(A)=+k8s:required\nstring"),
        "there is no tag +k8s:ifOptionEnabled, so nothing is checked",
    ),
    (
        "unknown-tag",
        "// +k8s:immutabel\n\n// A T.\n" + struct("string"),
        "there is no tag +k8s:immutabel, so nothing is checked",
    ),
    ("tag-in-text", struct("* +k8s:required\nstring"), "+k8s:required follows other text, so it is not a tag"),
    (
        "tag-in-text",
        struct('Name: +k8s:alpha(since: "1.36")=+k8s:required\nstring'),
        '+k8s:alpha(since: "1.36")=+k8s:required follows other text, so it is not a tag',
    ),
    (
        "key-not-required",
        struct(
            "+k8s:optional\n+k8s:beta=+k8s:listType=map\n+k8s:beta=+k8s:listMapKey=n\n[]S",
            before='type S struct {\n\tN *string `json:"n"`\n}\n\n',
        ),
        "the key S.n of T.a can be nil: all items without it are the same one",
    ),
    (
        "lone-union-member",
        struct("+k8s:zeroOrOneOfMember\n*string"),
        "T.a is the only one of which at most one may be set: nothing is checked",
    ),
    (
        "lone-union-member",
        struct('+k8s:unionMember(union: "one")\n*string', '+k8s:unionMember(union: "On")\n*string'),
        "T.a is the only member of its union, which makes it required",
    ),
    (
        "member-zero-is-unset",
        struct("+k8s:unionMember\nbool", "+k8s:unionMember\n*string"),
        "T.a = false is the same as unset, so it does not count as a member",
    ),
    (
        "member-never-chosen",
        struct('+k8s:unionMember(memberName: "a")\n*string', "+k8s:unionDiscriminator\nE", before=_ENUM),
        'T.a belongs to "a", but T.b is never that',
    ),
    (
        "subresource-misdeclared",
        '// +k8s:isSubresource="/a"\n// +k8s:isSubresource="/b"\n' + struct("string"),
        'T has a second +k8s:isSubresource="/b"',
    ),
    (
        "subresource-misdeclared",
        '// +k8s:validation-gen=false\n// +k8s:isSubresource="/a"\n'
        + struct("U", before="")
        + struct("string", name="U"),
        '+k8s:isSubresource="/a" does nothing: T is no root type',
    ),
    (
        "rule-not-alpha",
        struct("+k8s:required\n+k8s:beta=+k8s:maxLength=5\n*string").replace("A *", "F *"),
        "+k8s:maxLength=5 is new on T.a, which there was before, and starts at level beta",
    ),
    (
        "rule-not-alpha",
        '// +k8s:immutable\ntype T struct {\n\tF *string `json:"f"`\n}\n',
        "+k8s:immutable is new on T, which there was before, and starts at level standard",
    ),
    (
        "option-never-passed",
        struct("S", before=struct("+k8s:eachVal=+k8s:ifEnabled(FeatureB)=+k8s:maxLength=3\n[]string", name="S")),
        "+k8s:ifEnabled(FeatureB)=+k8s:maxLength=3 reads the option FeatureB, which no strategy of T passes",
    ),
    (
        "option-never-read",
        struct("+k8s:ifEnabled(FeatureB)=+k8s:maxLength=3\nstring"),
        "the option FeatureA is passed for T, and no tag of T reads it",
    ),
    (
        "normalization-never-applies",
        struct("S", before=struct("string", name="S").replace('"a"', '"old"')),
        "the normalization rule changes no field path of T",
    ),
    (
        "short-circuit-never-applies",
        struct("+k8s:immutable\n*S", before=struct("string", name="S")),
        "ShortCircuitMismatch is set for T, and no alpha or beta tag of a struct, list or map short-circuits there",
    ),
    (
        "level-raised-too-early",
        'type T struct {\n\t// +k8s:maxLength=5\n\tF *string `json:"f"`\n}\n',
        "+k8s:maxLength=5 of T.f goes from alpha to standard at once",
    ),
    (
        "level-raised-too-early",
        'type T struct {\n\t// +k8s:beta(since: "1.36")=+k8s:maxLength=9\n\tF *string `json:"f"`\n}\n',
        "+k8s:maxLength=9 of T.f is alpha since 1.36, and rises to beta in 1.36",
    ),
    (
        "immutable-in-items",
        struct(
            "+k8s:listType=map\n+k8s:listMapKey=m\n[]S",
            before='type S struct {\n\tM string `json:"m"`\n\t// +k8s:immutable\n\tN string\n}\n\n',
        ),
        "+k8s:immutable on S.N rejects every item that an update adds to T.a",
    ),
    (
        "missing-in-version",
        struct("L", before="type L []S\n\n" + struct("string", name="S"))
        + "\npackage v1beta1\n\n"
        + struct("[]R", before=struct("+k8s:maxLength=3\nstring", name="R")),
        "S.a has no +k8s:maxLength=3, which it has in v1beta1",
    ),
    (
        "limit-differs-by-version",
        struct("+k8s:maxLength=3\nstring") + "\npackage v2\n\n" + struct("+k8s:maxLength=4\nstring"),
        "+k8s:maxLength=3 on T.a, but +k8s:maxLength=4 in v2",
    ),
)


@pytest.mark.parametrize(("code", "go", "message"), FOUND, ids=[f"{code}: {said}" for code, _, said in FOUND])
def test_the_finding_is_reported(code: str, go: str, message: str, tmp_path: Path) -> None:
    """The rule has exactly one finding, with this message."""
    said = [finding.diagnostic.message for finding in findings(code, go, tmp_path)]
    assert 1 == said.count(message), said


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.code))
def test_findings_point_into_the_file(rule: LintRule, tmp_path: Path) -> None:
    """Every finding of a bad example has a position in the file, on existing text, and a fix."""
    found = findings(rule.code, rule.bad, tmp_path)
    assert found
    for one in (finding.diagnostic for finding in found):
        source = Path(one.position.file).read_text(encoding="utf-8").split("\n")[one.position.line - 1]
        marked = source[one.position.column - 1 :][: one.width]
        assert (source, one.width, rule.code) == (one.source, len(marked), one.code)
        assert marked.strip()
        assert one.fix


POINTS = (
    (
        "limit-never-reached",
        struct("+k8s:optional\n+k8s:eachVal=+k8s:minLength=0\n[]string"),
        (5, 18),
        "+k8s:minLength",
    ),
    ("unknown-tag", struct("+k8s:eachVal=+k8s:maxLenght=3\n[]string"), (4, 18), "+k8s:maxLenght"),
    ("tag-behind-field", "type T struct {\n\tA string // +k8s:required\n\tB string\n}\n", (4, 14), "+k8s:required"),
    ("missing-in-version", struct("string") + "\npackage v2\n\n" + struct("+k8s:required\nstring"), (4, 2), "A"),
    ("tag-not-parsed", struct("+k8s:update=NoSet,NoModify\n*string"), (4, 22), ","),
    ("tag-in-text", "/*\n * +k8s:required\n */\n" + struct("string"), (4, 4), "+k8s:required"),
)


@pytest.mark.parametrize(("code", "go", "place", "marked"), POINTS, ids=[code for code, *_ in POINTS])
def test_findings_point_at_the_tag(code: str, go: str, place: tuple[int, int], marked: str, tmp_path: Path) -> None:
    """Line, column and width are those of the tag itself, however deeply it is nested."""
    one = findings(code, go, tmp_path)[0].diagnostic
    assert place == (one.position.line, one.position.column)
    assert marked == one.source[one.position.column - 1 :][: one.width]


REPAIRS = (
    ("limit-never-reached", struct("+k8s:optional\n+k8s:minItems=0\n[]string"), struct("+k8s:optional\n[]string")),
    ("unknown-tag", struct("+k8s:maxLenght=3 # short\nstring"), struct("+k8s:maxLength=3 # short\nstring")),
    (
        "unknown-tag",
        struct("+k8s:eachVal=+k8s:Maxlength=3\n[]string"),
        struct("+k8s:eachVal=+k8s:maxLength=3\n[]string"),
    ),
    ("tag-without-prefix", struct("+maxLength=3\nstring"), struct("+k8s:maxLength=3\nstring")),
    (
        "tag-not-parsed",
        struct("+k8s:update=NoSet,NoModify\n*string"),
        struct("+k8s:update=NoSet\n+k8s:update=NoModify\n*string"),
    ),
    ("tag-not-parsed", struct("+k8s:maxLength=3 // short\nstring"), struct("+k8s:maxLength=3 # short\nstring")),
    ("tag-repeated", struct("+k8s:required\n+k8s:required\nstring"), struct("+k8s:required\nstring")),
    ("tag-detached", "// +k8s:enum\n\n// An E.\ntype E string\n", "// +k8s:enum\n// An E.\ntype E string\n"),
    (
        "tag-behind-field",
        "type T struct {\n\tA string // +k8s:required\n\tB string\n}\n",
        "type T struct {\n\t// +k8s:required\n\tA string\n\tB string\n}\n",
    ),
    (
        "opaque-always",
        struct('+k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:opaqueType # later\n[]S', before="type S string\n\n"),
        struct("+k8s:eachVal=+k8s:opaqueType # later\n[]S", before="type S string\n\n"),
    ),
    (
        "subresource-misdeclared",
        '// +k8s:isSubresource="scale"\n' + struct("string"),
        '// +k8s:isSubresource="/scale"\n' + struct("string"),
    ),
    ("lone-list-tag", struct("+k8s:customUnique\n[]string"), struct("[]string")),
)


@pytest.mark.parametrize(("code", "before", "after"), REPAIRS, ids=[f"{n}-{one[0]}" for n, one in enumerate(REPAIRS)])
def test_edits_fix_the_finding(code: str, before: str, after: str, tmp_path: Path) -> None:
    """An edit changes only its line, and the rule has no finding afterwards."""
    (found,) = findings(code, before, tmp_path / "before")
    assert after == repaired(found, before)
    assert [] == findings(code, after, tmp_path / "after")


UNSAFE = (
    ("limit-never-reached", "/*\n+k8s:eachVal=+k8s:minLength=0\n*/\ntype L []string\n"),
    ("unknown-tag", struct("+k8s:min=3\nstring")),
    ("unknown-tag", struct("+k8s:frobnicate\nstring")),
    ("tag-not-parsed", struct("+k8s:maxLength= 3\nstring")),
    ("tag-without-prefix", struct("+maxLength 3\nstring")),
    ("lone-list-tag", struct("+k8s:listMapKey=n\n[]string")),
)


@pytest.mark.parametrize(("code", "go"), UNSAFE, ids=[f"{n}-{one[0]}" for n, one in enumerate(UNSAFE)])
def test_an_uncertain_fix_has_no_edit(code: str, go: str, tmp_path: Path) -> None:
    """If the intended tag is not clear, or the line has other text, the finding has no edit."""
    (found,) = findings(code, go, tmp_path)
    assert found.edit is None


def test_rules_with_edits_declare_them(tmp_path: Path) -> None:
    """A rule has `fixes` exactly if one of its findings in the tests has an edit."""
    repairing = {code for code, *_ in REPAIRS}
    for rule in RULES:
        edits = [finding.edit for finding in findings(rule.code, rule.bad, tmp_path / rule.code)]
        assert rule.fixes is (any(edits) or rule.code in repairing), rule.code


def test_a_tag_of_a_later_release_is_reported_as_such(tmp_path: Path) -> None:
    """A tag that a later release introduces is not reported as misspelt."""
    (found,) = findings("unknown-tag", struct("+k8s:maxProperties=3\nmap[string]string"), tmp_path, "1.36")
    assert "release 1.36 does not know +k8s:maxProperties, so nothing is checked" == found.diagnostic.message
    assert (None, "it came with 1.37") == (found.edit, found.diagnostic.fix)


def test_older_names_are_accepted_in_their_release(tmp_path: Path) -> None:
    """+k8s:member is a tag of 1.36, and unknown in 1.37."""
    go = struct('+k8s:alpha=+k8s:member("A")=+k8s:required\n*string')
    assert [] == findings("unknown-tag", go, tmp_path / "old", "1.36")
    (found,) = findings("unknown-tag", go, tmp_path / "new")
    assert "did you mean +k8s:ifMode?" == found.diagnostic.fix


def test_rules_that_a_version_lacks_are_named_in_the_order_of_their_tags(tmp_path: Path) -> None:
    """The order of findings, and of the versions in their messages, is always the same."""
    tags = [f'+k8s:neq="{letter}"' for letter in "zayb"]
    other = struct("\n".join((*tags, "string")))
    others = "".join(f"\npackage {name}\n\n{other}" for name in ("two", "one", "three"))
    found = findings("missing-in-version", struct("string") + others, tmp_path)
    assert [f"T.a has no {tag}, which it has in one and three and two" for tag in tags] == [
        one.diagnostic.message for one in found
    ]


def test_a_subresource_of_another_kind(tmp_path: Path) -> None:
    """What the storages of a kind do not serve is told, though another kind has the subresource."""
    go = '// +k8s:supportsSubresource="/status"\n// +k8s:supportsSubresource="/scale"\n' + struct("string")
    api = open_with(STRATEGY.format(""), write(go, tmp_path / "api"))
    storages = tmp_path / "server" / "pkg" / "registry" / "api" / "rest" / "storage.go"
    storages.parent.mkdir()
    storages.write_text('resource := "us"\nstorage[resource+"/scale"] = u\n', encoding="utf-8")
    assert [] == lint(api, only=["subresource-misdeclared"])
    storages.write_text('resource := "ts"\nstorage[resource+"/status"] = t\n', encoding="utf-8")
    (found,) = lint(replace(api, subresources=frozenset({"/status", "/scale"})), only=["subresource-misdeclared"])
    assert 'nothing serves a subresource "/scale" of T' == found.diagnostic.message
