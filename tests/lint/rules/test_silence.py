"""Valid code that resembles a finding: no rule has a finding in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.lint.rules import RULES
from tests.lint.rules.linting import findings, struct

_ENUM = '// +k8s:enum\ntype E string\n\nconst (\n\tA E = "A"\n\tB E = "B"\n)\n\n'
_ITEM = 'type S struct {\n\t// +k8s:@\n\tN *string `json:"n"`\n\t// +k8s:required\n\tM string `json:"m"`\n}\n\n'
_OPTIONAL = _ITEM.replace("@", "optional")
_KEYED = "+k8s:optional\n+k8s:listType=map\n+k8s:listMapKey=n"
_COPY = "// +k8s:maxLength=9\ntype X string\n\n"

_READS_B = struct("+k8s:ifEnabled(FeatureB)=+k8s:maxLength=3\nstring", name="S")

_OLD = struct("string").replace('"a"', '"old"')
_FIELD = 'type T struct {{\n\t// {}\n\tF *string `json:"f"`\n}}\n'
"""The field of the examples of rules about a change."""
_DOC = "// +{}\n\npackage v1\n\n"

SILENT = {
    "alphaBetaPrefix": (
        ("a level in front", struct("+k8s:optional\n+k8s:alpha=+k8s:eachVal=+k8s:maxLength=3\n[]string")),
        ("a name that is no level", struct("+k8s:optional\n+k8s:gamma=+k8s:maxLength=3\nstring")),
    ),
    "validationStability": (
        ("as stable as the API", struct("+k8s:optional\n+k8s:maxLength=3\nstring")),
        ("wrapped in its level", struct('+k8s:optional\n+k8s:alpha=+k8s:neq="x"\nstring')),
    ),
    "requiredAndOptional": (
        ("a struct is always there", struct("S", before=_OPTIONAL)),
        ("nothing is validated", struct("string")),
    ),
    "known-tags-only": (
        ("a known generator", _DOC.format("k8s:defaulter-gen=TypeMeta") + struct("string")),
        ("a tag of validation", _DOC.format("k8s:maxLength=3") + struct("string")),
    ),
    "require-explicit-disablement": (("no package of an API", _DOC.format("unrelated=true") + struct("string")),),
    "contradicting-limits": (
        ("the limits meet", struct("+k8s:minLength=9\n+k8s:maxLength=9\nstring")),
        ("opposite options", struct("+k8s:ifEnabled(A)=+k8s:minLength=9\n+k8s:ifDisabled(A)=+k8s:maxLength=3\nstring")),
        ("different modes", struct('+k8s:ifMode("A")=+k8s:minItems=9\n+k8s:ifMode("B")=+k8s:maxItems=3\n[]string')),
        ("the list and its items", struct("+k8s:minItems=9\n+k8s:eachVal=+k8s:maxLength=3\n[]string")),
        (
            "different items",
            struct(
                '+k8s:item(n: "a")=+k8s:subfield(m)=+k8s:minLength=9\n'
                '+k8s:item(n: "b")=+k8s:subfield(m)=+k8s:maxLength=3\n[]S',
                before=_ITEM,
            ),
        ),
        ("required allows a pointer to nothing", struct("+k8s:required\n+k8s:maxLength=0\n*string")),
        ("characters may take four bytes", struct("+k8s:minLength=3\n+k8s:maxBytes=3\nstring")),
        (
            "a qualified name of any length passes",
            struct("+k8s:format=k8s-resource-fully-qualified-name\n+k8s:minLength=300\nstring"),
        ),
    ),
    "limit-never-reached": (
        ("above the least value", struct("+k8s:minimum=1\nuint32")),
        ("a smaller number of bytes", struct("+k8s:maxLength=10\n+k8s:maxBytes=39\nstring")),
        ("the stronger one is hidden", struct("+k8s:alpha=+k8s:maxLength=10\n+k8s:maxBytes=99\nstring")),
        ("the stronger one is conditional", struct("+k8s:ifEnabled(A)=+k8s:maxLength=10\n+k8s:maxLength=99\nstring")),
        ("shorter than the format allows", struct("+k8s:format=k8s-short-name\n+k8s:maxLength=62\nstring")),
        ("a path segment has no length", struct("+k8s:format=k8s-path-segment-name\n+k8s:maxLength=9999\nstring")),
        ("one limit tightens at a lower level", struct("+k8s:maxItems=9\n+k8s:alpha=+k8s:maxItems=5\n[]string")),
        ("under a mode, where it forbids in others", struct('+k8s:ifMode("A")=+k8s:minItems=0\n[]string')),
    ),
    "value-never-met": (
        ("a value of the enum", struct('+k8s:required\n+k8s:neq="A"\nE', before=_ENUM)),
        ("a pointer to nothing gets there", struct('+k8s:optional\n+k8s:neq=""\n*string')),
        ("nothing stops before", struct('+k8s:neq=""\nstring')),
        ("a zero default takes the stop away", struct('+default=""\n+k8s:optional\n+k8s:neq=""\nstring')),
        ("inside the limits", struct("+k8s:neq=5\n+k8s:minimum=1\n+k8s:maximum=9\nint32")),
    ),
    "default-rejected": (
        ("at the limit", struct("+default=9\n+k8s:maximum=9\nint32")),
        ("only under an option", struct("+default=10\n+k8s:ifEnabled(A)=+k8s:maximum=9\nint32")),
        ("a value of the enum", struct('+default="B"\n+k8s:optional\nE', before=_ENUM)),
        ("a default that is a reference", struct("+default=ref(X)\n+k8s:maximum=9\nint32")),
        ("limits of the items", struct('+default="abc"\n+k8s:eachVal=+k8s:maxLength=1\n[]string')),
    ),
    "after-forbidden": (
        ("opposite options", struct("+k8s:ifDisabled(A)=+k8s:forbidden\n+k8s:ifEnabled(A)=+k8s:maxLength=3\nstring")),
        ("forbidden under an option only", struct("+k8s:ifDisabled(A)=+k8s:forbidden\n+k8s:maxLength=3\nstring")),
        ("an update is asked all the same", struct("+k8s:forbidden\n+k8s:immutable\nstring")),
        ("modes run on their own", struct('+k8s:forbidden\n+k8s:ifMode("A")=+k8s:maxLength=3\nstring')),
        ("metadata checks nothing", struct("+k8s:forbidden\n+k8s:listType=atomic\n[]string")),
        (
            "the item is forbidden, not the list",
            struct('+k8s:item(n: "a")=+k8s:subfield(m)=+k8s:forbidden\n+k8s:maxItems=3\n[]S', before=_ITEM),
        ),
    ),
    "inside-empty-list": (
        ("one item", struct("+k8s:maxItems=1\n+k8s:eachVal=+k8s:maxLength=3\n[]string")),
        ("under an option", struct("+k8s:ifEnabled(A)=+k8s:maxItems=0\n+k8s:eachVal=+k8s:maxLength=3\n[]string")),
    ),
    "presence-said-twice": (
        ("a pointer", struct("+k8s:optional\n+k8s:minLength=1\n*string")),
        ("nothing stops before", struct("+k8s:minLength=1\nstring")),
        ("more than one", struct("+k8s:optional\n+k8s:minLength=2\nstring")),
        ("of the items", struct("+k8s:optional\n+k8s:eachVal=+k8s:minLength=1\n[]string")),
        ("only under an option", struct("+k8s:ifEnabled(A)=+k8s:optional\n+k8s:minLength=1\nstring")),
    ),
    "hidden-stop": (
        ("all are alpha", struct("+k8s:alpha=+k8s:maxItems=3\n+k8s:alpha=+k8s:eachVal=+k8s:maxLength=3\n[]string")),
        ("optional says nothing", struct("+k8s:alpha=+k8s:optional\n+k8s:maxLength=3\n*string")),
        ("stops are all asked", struct("+k8s:alpha=+k8s:maxItems=3\n+k8s:immutable\n[]string")),
        ("an atomic list checks nothing", struct("+k8s:alpha=+k8s:maxItems=3\n+k8s:listType=atomic\n[]string")),
    ),
    "required-with-default": (
        ("no default", struct("+k8s:required\nint32")),
        ("optional", struct("+default=1\n+k8s:optional\nint32")),
        ("a default of zero fills nothing in", struct("+default=0\n+k8s:required\nint32")),
    ),
    "default-makes-required": (
        ("zero on a value", struct("+default=0\n+k8s:optional\nint32")),
        ("null", struct("+default=null\n+k8s:optional\n*int32")),
        ("without prefix", struct("+default=1\n+optional\n*int32")),
    ),
    "zero-default": (
        ("zero is allowed", struct("+default=0\n+k8s:optional\n+k8s:minimum=0\nint32")),
        ("a pointer", struct("+default=0\n+k8s:optional\n+k8s:minimum=3\n*int32")),
        ("empty label values are valid", struct('+default=""\n+k8s:optional\n+k8s:format=k8s-label-value\nstring')),
    ),
    "required-rejects-zero": (
        ("a pointer to a bool", struct("+k8s:required\n*bool")),
        ("optional bool", struct("+k8s:optional\nbool")),
        ("zero is not allowed", struct("+k8s:required\n+k8s:minimum=1\nint32")),
        ("bools of a list", struct("+k8s:required\n[]bool")),
    ),
    "optional-beside-required": (
        ("opposite options", struct("+k8s:ifEnabled(A)=+k8s:optional\n+k8s:ifDisabled(A)=+k8s:required\nstring")),
        ("required under an option only", struct("+k8s:optional\n+k8s:ifEnabled(A)=+k8s:required\nstring")),
        ("another generator's tag", struct("+optional\n+k8s:required\nstring")),
        ("of a member", struct("+k8s:optional\n+k8s:subfield(m)=+k8s:required\n*S", before=_ITEM)),
    ),
    "update-beside-immutable": (
        ("of the items", struct("+k8s:immutable\n+k8s:eachVal=+k8s:update=NoModify\nmap[string]string")),
        ("immutable at a lower level", struct("+k8s:alpha=+k8s:immutable\n+k8s:update=NoModify\n*string")),
        ("only under an option", struct("+k8s:ifEnabled(A)=+k8s:immutable\n+k8s:update=NoModify\n*string")),
    ),
    "required-anyway": (
        (
            "required at a lower level",
            struct("+k8s:dependentRequired(b)\n*string", "+k8s:alpha=+k8s:required\n*string"),
        ),
        (
            "another field",
            struct("+k8s:dependentRequired(b)\n*string", "+k8s:optional\n*string", "+k8s:required\nstring"),
        ),
    ),
    "opaque-list": (
        ("items of a list without a name", struct("+k8s:eachVal=+k8s:opaqueType\n[]S", before=_ITEM)),
        ("a list with a name", struct("+k8s:opaqueType\nL", before=_ITEM + "type L []S\n\n")),
        ("the list type itself", struct("L", before=_ITEM + "// +k8s:eachVal=+k8s:opaqueType\ntype L []S\n\n")),
    ),
    "opaque-always": (("plain", struct("+k8s:eachVal=+k8s:opaqueType\n[]S", before=_ITEM)),),
    "lone-list-tag": (
        (
            "a level does not part them",
            struct("+k8s:beta=+k8s:listMapKey=n\n+k8s:listType=atomic\n+k8s:unique=map\n[]S", before=_ITEM),
        ),
        ("another generator's tag", struct("+listMapKey=n\n[]S", before=_ITEM)),
        ("custom uniqueness of a set", struct("+k8s:listType=set\n+k8s:customUnique\n[]string")),
    ),
    "lone-discriminator": (
        (
            "a level does not part them",
            struct("+k8s:beta=+k8s:unionDiscriminator\nstring", "+k8s:alpha=+k8s:unionMember\n*string"),
        ),
        ("modes", struct("+k8s:modeDiscriminator\nstring", '+k8s:beta=+k8s:ifMode("A")=+k8s:required\n*string')),
        ("another generator's tag", struct("+unionDiscriminator\nstring")),
    ),
    "mode-drops-rule": (
        ("rules that are made at once", struct('+k8s:ifMode("A")=+k8s:maxItems=3\n[]string')),
        ("a level inside", struct('+k8s:ifMode("A")=+k8s:alpha=+k8s:required\n[]string')),
    ),
    "lost-level": (
        ("the level comes first", struct("+k8s:alpha=+k8s:eachVal=+k8s:format=k8s-uuid\n[]string")),
        ("a rule with an argument keeps it", struct("+k8s:eachVal=+k8s:alpha=+k8s:maxLength=3\n[]string")),
        ("modes keep levels", struct('+k8s:ifMode("A")=+k8s:alpha=+k8s:required\n*string')),
    ),
    "tag-not-in-crd": (
        ("no project of kubebuilder", struct("+k8s:optional\n+k8s:minItems=3\n[]string")),
        (
            "a tag that controller-gen reads",
            "// +kubebuilder:object:root=true\n" + struct("+k8s:optional\n+k8s:maxItems=3\n[]string"),
        ),
    ),
    "since-of-no-release": (
        ("the release that comes next", struct('+k8s:optional\n+k8s:alpha(since: "1.38")=+k8s:maxLength=3\nstring')),
        ("no release at all", struct("+k8s:optional\n+k8s:alpha=+k8s:maxLength=3\nstring")),
    ),
    "tag-behind-field": (
        ("another generator's tag", "type T struct {\n\tA string // +optional\n\tB string\n}\n"),
        ("words", "type T struct {\n\tA string // the name, see +k8s:required\n\tB string\n}\n"),
    ),
    "tag-detached": (
        (
            "the block of the field before",
            "type T struct {\n\t// +k8s:required\n\tA string\n\t// The name.\n\tB string\n}\n",
        ),
        (
            "what is read two blocks up",
            '// +k8s:supportsSubresource="/status"\n\n// A T.\ntype T struct {\n\tA string\n}\n',
        ),
        ("another generator's tag", "// +genclient\n\n// A T.\ntype T struct {\n\tA string\n}\n"),
    ),
    "tag-orphaned": (
        ("in a string", 'type T struct {\n\tA string `doc:"// +k8s:required"`\n}\n'),
        ("words", "type T struct {\n\tA string\n\t// see +k8s:required\n}\n"),
        ("a name that does not exist", "type T struct {\n\tA string\n\t// +k8s:nothing\n}\n"),
    ),
    "tag-unexported": (
        ("another generator's tag", "type T struct {\n\t// +optional\n\ta string\n}\n"),
        ("an exported field beside it", "type T struct {\n\t// +k8s:required\n\tA, b string\n}\n"),
    ),
    "tag-on-hidden-field": (("no tag", 'type T struct {\n\t// +optional\n\tA string `json:"-"`\n}\n'),),
    "type-not-reached": (
        (
            "behind pointers and lists",
            struct("[]*S", before=_ITEM.replace("type S", "// +k8s:validation-gen=false\ntype S")),
        ),
        ("a package that says nothing of roots", struct("string", before=_ITEM)),
        ("no tags", "// +k8s:validation-gen=false\ntype S struct {\n\tA string\n}\n"),
    ),
    "copy-loses-rules": (
        ("an alias is the type itself", struct("Y", before=_COPY + "type Y = X\n\n")),
        ("repeated", struct("Y", before=_COPY + "// +k8s:maxLength=5\ntype Y X\n\n")),
        ("tags of fields are copied", _ITEM + "type Y S\n"),
    ),
    "tag-repeated": (
        ("different payloads", struct("+k8s:eachVal=+k8s:maxLength=3\n+k8s:eachVal=+k8s:minLength=3\n[]string")),
        ("another generator's tag", struct("+optional\n+optional\nstring")),
    ),
    "tag-at-two-levels": (
        ("a tighter limit", struct("+k8s:maxItems=9\n+k8s:alpha=+k8s:maxItems=5\n[]string")),
        ("one level", struct("+k8s:alpha=+k8s:maxItems=9\n+k8s:alpha=+k8s:minItems=5\n[]string")),
    ),
    "unknown-tag": (
        ("other generators", struct("+k8s:deepcopy-gen=false\n+k8s:conversion-fn=drop\n+kubebuilder:x\n+foo\nstring")),
        ("subresources", '// +k8s:supportsSubresource="/status"\ntype T struct {\n\tA string\n}\n'),
        ("openapi-gen's", struct("+k8s:validation:maxLength=3\nstring")),
    ),
    "tag-for-openapi": (("nothing that validation has", struct('+k8s:validation:cel[0]:rule="true"\nstring')),),
    "tag-without-prefix": (
        ("names that others use", struct("+optional\n+required\n+listType=set\n+enum\n+format=uuid\n[]string")),
        ("other words", struct("+featureGate=X\n+oneOf=y\nstring")),
    ),
    "tag-in-text": (
        ("talk of a tag", struct("It is marked with (+k8s:required) here.\nstring")),
        ("use of a word", struct("Set by the server, unlike +k8s:required\nstring")),
        ("an example in the text", struct("    // +k8s:required\nstring")),
        ("a very long line", struct("- " * 20_000 + "+k8s:required" + " -" * 20_000 + "\nstring")),
        ("quoted", struct("Use `x +k8s:required`\nstring")),
        ("a remark", struct("+k8s:required # +k8s:optional\nstring")),
    ),
    "tag-not-parsed": (
        ("other generators have other forms", struct("+k8s:deprecated=a,b=c\n+patch x\nstring")),
        ("a remark", struct("+k8s:maxLength=5 # characters\nstring")),
    ),
    "exclusion-outside-enum": (
        ("one option", _ENUM.replace("\tB", "\t// +k8s:ifEnabled(A)=+k8s:enumExclude\n\tB") + struct("E")),
    ),
    "key-not-required": (
        ("one of several keys", struct(_KEYED + "\n+k8s:listMapKey=m\n[]S", before=_ITEM.replace("@", "optional"))),
        (
            "a default",
            struct(
                _KEYED + "\n[]S",
                before=_ITEM.replace("\t// +k8s:@\n\tN *", '\t// +default="x"\n\t// +k8s:optional\n\tN '),
            ),
        ),
        (
            "a key of which nothing is said",
            struct(_KEYED + "\n[]S", before=_ITEM.replace("\t// +k8s:@\n\tN *", "\tN ")),
        ),
        ("required pointer", struct(_KEYED + "\n[]S", before=_ITEM.replace("@", "required"))),
    ),
    "item-near-miss": (
        ("an open set of names", struct(_KEYED + '\n+k8s:item(n: "x")=+k8s:immutable\n[]S', before=_ITEM)),
        (
            "a name far from all constants",
            struct(
                _KEYED + '\n+k8s:item(n: "Other")=+k8s:immutable\n[]S', before=_ENUM + _ITEM.replace("*string", "E")
            ),
        ),
    ),
    "lone-union-member": (
        ("two", struct("+k8s:unionMember\n*string", "+k8s:unionMember\n*string")),
        (
            "two items",
            struct(
                _KEYED + '\n+k8s:item(n: "a")=+k8s:unionMember\n+k8s:item(n: "b")=+k8s:unionMember\n[]S', before=_ITEM
            ),
        ),
        ("one, with a discriminator", struct("+k8s:unionDiscriminator\nstring", "+k8s:unionMember\n*string")),
    ),
    "member-zero-is-unset": (
        ("pointers, lists and text", struct(*("+k8s:unionMember\n" + go for go in ("*int32", "[]int32", "string")))),
    ),
    "member-never-chosen": (
        (
            "Go names that are values",
            struct(
                "+k8s:unionMember\n*string", "+k8s:unionMember\n*string", "+k8s:unionDiscriminator\nE", before=_ENUM
            ),
        ),
        ("a discriminator without constants", struct("+k8s:unionMember\n*string", "+k8s:unionDiscriminator\nstring")),
    ),
    "mode-never-chosen": (
        ("a value", struct("+k8s:modeDiscriminator\nE", '+k8s:ifMode("B")=+k8s:required\n*string', before=_ENUM)),
        ("a bool", struct("+k8s:modeDiscriminator\nbool", '+k8s:ifMode("true")=+k8s:required\n*string')),
    ),
    "discriminator-optional": (
        ("required", struct("+k8s:unionDiscriminator\n+k8s:required\nstring", "+k8s:unionMember\n*string")),
        ("nothing said", struct("+k8s:unionDiscriminator\nstring", "+k8s:unionMember\n*string")),
    ),
    "subresource-misdeclared": (
        ("a path", '// +k8s:isSubresource="/scale"\ntype T struct {\n\tA string\n}\n'),
        (
            "several supported",
            '// +k8s:supportsSubresource="/a"\n// +k8s:supportsSubresource="/b"\ntype T struct {\n\tA string\n}\n',
        ),
    ),
    "zero-or-one-of-fields": (
        (
            "items of a list",
            struct(
                '+k8s:listType=map\n+k8s:listMapKey=n\n+k8s:item(n: "a")=+k8s:zeroOrOneOfMember\n'
                '+k8s:item(n: "b")=+k8s:zeroOrOneOfMember\n[]S',
                before=_ITEM.replace("@", "optional").replace("*string", "string"),
            ),
        ),
        ("a union", struct("+k8s:unionMember\n*string", "+k8s:unionMember\n*string")),
    ),
    "option-never-passed": (
        ("a type behind an opaque field", struct("+k8s:opaqueType\nS", before=_READS_B)),
        ("a type that no root reaches", "// +k8s:validation-gen=false\n" + _READS_B),
        ("a root without a strategy", _READS_B),
    ),
    "option-never-read": (
        ("in a type below", struct("[]S", before=_READS_B.replace("FeatureB", "FeatureA"))),
        (
            "in another version",
            struct("string") + "\npackage v2\n\n" + struct("+k8s:ifEnabled(FeatureA)=+k8s:maxLength=3\nstring"),
        ),
    ),
    "normalization-never-applies": (
        ("an inline field", _OLD.replace("type T", "type S") + struct("S").replace('"a"', '",inline"')),
        ("a path of another version", struct("string") + "\npackage v2\n\n" + _OLD),
    ),
    "short-circuit-never-applies": (
        ("a list", struct("+k8s:beta=+k8s:required\n[]string")),
        ("in a type below", struct("R", before=_OPTIONAL + struct("+k8s:alpha=+k8s:immutable\n*S", name="R"))),
    ),
    "rule-not-alpha": (
        ("it was there before", _FIELD.format("+k8s:optional")),
        ("the field is new", struct("+k8s:required\n*string")),
        ("it cannot reject", _FIELD.format("+k8s:optional\n\t// +k8s:listType=atomic").replace("*s", "[]s")),
        ("behind a gate", _FIELD.format('+k8s:ifEnabled("G")=+k8s:maxLength=5')),
    ),
    "level-raised-too-early": (
        ("the level it had", _FIELD.format('+k8s:alpha(since: "1.36")=+k8s:maxLength=5')),
        ("lowered", _FIELD.format("+k8s:alpha=+k8s:maxLength=9")),
        ("one release later", _FIELD.format('+k8s:beta(since: "1.37")=+k8s:maxLength=9')),
        ("no release is said", _FIELD.format("+k8s:beta=+k8s:maxLength=5")),
    ),
    "subresource-undeclared": (
        ("nobody declares any", 'type T struct {\n\t// +k8s:required\n\tStatus *string `json:"status"`\n}\n'),
        (
            "no status",
            '// +k8s:supportsSubresource="/status"\ntype U struct {\n\tStatus string `json:"status"`\n}\n\n'
            + struct("+k8s:required\nstring"),
        ),
        (
            "no rules",
            '// +k8s:supportsSubresource="/status"\ntype U struct {\n\tStatus string `json:"status"`\n}\n\n'
            'type T struct {\n\tStatus string `json:"status"`\n}\n',
        ),
    ),
    "option-near-miss": (
        (
            "each is used twice",
            struct(
                *("+k8s:ifEnabled(FeatureA)=+k8s:required\nstring",) * 2,
                *("+k8s:ifEnabled(FeatureB)=+k8s:required\nstring",) * 2,
            ),
        ),
        (
            "it is a gate elsewhere",
            struct(
                *("+k8s:ifEnabled(FeatureA)=+k8s:required\nstring",) * 2,
                "+featureGate=FeatureB\n+k8s:ifEnabled(FeatureB)=+k8s:required\nstring",
            ),
        ),
    ),
    "immutable-root": (
        ("of a type inside", struct("X", before="// +k8s:validation-gen=false\n// +k8s:immutable\ntype X string\n\n")),
    ),
    "immutable-in-items": (
        ("an atomic list", struct("+k8s:listType=atomic\n[]S", before=_ITEM.replace("@", "immutable"))),
        ("no items may be added", struct(_KEYED + "\n+k8s:immutable\n[]S", before=_ITEM.replace("@", "immutable"))),
    ),
    "format-without-length": (
        ("limited by its type", struct("+k8s:format=k8s-path-segment-name\nX", before=_COPY)),
        ("a format with a length", struct("+k8s:format=k8s-long-name\nstring")),
    ),
    "one-item-silences-all": (
        ("one item only", struct('+k8s:item(m: "a")=+k8s:subfield(n)=+k8s:maxLength=3\n[]S', before=_OPTIONAL)),
        ("a member without a stop", struct("+k8s:eachVal=+k8s:subfield(m)=+k8s:maxLength=3\n[]S", before=_OPTIONAL)),
    ),
    "wrappers-of-the-first": (
        ("two unions of one level", struct(*(f"+k8s:beta=+k8s:unionMember(union: {u})\n*string" for u in "xy"))),
        ("two fields", struct("+k8s:update=NoSet\n*string", "+k8s:beta=+k8s:update=NoSet\n*string")),
        ("the release since which", struct(*(f'+k8s:beta(since: "1.3{n}")=+k8s:unionMember\n*string' for n in (6, 7)))),
        ("another kind of union", struct("+k8s:unionMember\n*string", "+k8s:beta=+k8s:zeroOrOneOfMember\n*string")),
    ),
    "item-union-order": (
        (
            "sorted",
            struct('+k8s:item(m: "A")=+k8s:unionMember\n+k8s:item(m: "a")=+k8s:unionMember\n[]S', before=_OPTIONAL),
        ),
    ),
    "mode-order": (
        ("another mode", struct('+k8s:ifMode("A")=+k8s:minItems=2\n+k8s:ifMode("B")=+k8s:required\n[]string')),
        ("a stop first", struct('+k8s:ifMode("A")=+k8s:maxItems=2\n+k8s:ifMode("A")=+k8s:required\n[]string')),
        (
            "sorted by its level",
            struct('+k8s:ifMode("A")=+k8s:minItems=2\n+k8s:beta=+k8s:ifMode("A")=+k8s:required\n[]string'),
        ),
    ),
    "immutable-in-mode": (("outside", struct('+k8s:ifMode("A")=+k8s:required\n+k8s:immutable\n*string')),),
    "nil-panics": (
        ("guarded outside", struct('+k8s:ifMode("A")=+k8s:required\n+k8s:optional\n*S', before=_OPTIONAL)),
        ("opaque", struct('+k8s:ifMode("A")=+k8s:required\n+k8s:opaqueType\n*S', before=_OPTIONAL)),
        ("no rules inside", struct('+k8s:ifMode("A")=+k8s:required\n*S', before="type S struct {\n\tN string\n}\n\n")),
        ("no struct", struct('+k8s:ifMode("A")=+k8s:required\n*string')),
    ),
    "map-of-lists": (
        ("no rules inside", struct("map[string][]S", before="type S struct {\n\tN string\n}\n\n")),
        ("lists of text", struct("map[string][]string")),
    ),
    "missing-in-version": (
        ("the field is new", struct("string") + "\npackage v2\n\n" + struct("string", "+k8s:required\nstring")),
        ("another kind of type", struct("string") + "\npackage v2\n\n" + struct("+k8s:required\n*string")),
        (
            "said on the type in one, on the field in the other",
            struct("X", before=_COPY) + "\npackage v2\n\n" + struct("+k8s:maxLength=9\nX", before="type X string\n\n"),
        ),
        (
            "the kind is no root there",
            struct("string") + "\npackage v2\n\n// +k8s:validation-gen=false\n" + struct("+k8s:required\nstring"),
        ),
    ),
    "level-differs-by-version": (
        (
            "lower in the other one",
            struct("+k8s:required\nstring") + "\npackage v2\n\n" + struct("+k8s:alpha=+k8s:required\nstring"),
        ),
        (
            "since another release",
            struct('+k8s:alpha(since: "1.36")=+k8s:required\nstring')
            + "\npackage v2\n\n"
            + struct('+k8s:alpha(since: "1.37")=+k8s:required\nstring'),
        ),
    ),
    "limit-differs-by-version": (
        (
            "the other one is less mature",
            struct("+k8s:maxLength=3\nstring") + "\npackage v1beta1\n\n" + struct("+k8s:maxLength=4\nstring"),
        ),
    ),
}


@pytest.mark.parametrize(
    ("code", "go"), [pytest.param(code, go, id=f"{code}: {name}") for code in SILENT for name, go in SILENT[code]]
)
def test_there_is_no_finding(code: str, go: str, tmp_path: Path) -> None:
    """The rule has no finding in code that is right, or that it cannot be sure about."""
    assert [] == [str(finding.diagnostic) for finding in findings(code, go, tmp_path)]


def test_every_rule_has_a_near_case() -> None:
    """Every rule has a case without a finding."""
    assert set() == {rule.code for rule in RULES} - set(SILENT)
