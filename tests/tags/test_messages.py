"""What is wrong with a tag is said in the words of upstream's generator (semantics.md#1.3, #1.4, #5)."""

from __future__ import annotations

import pytest

from harness.diagnostics import InputError
from tests.compiler.fixtures import compiled

TYPES = """type S struct {
	K string `json:"k"`
	P *string `json:"p"`
	N int32 `json:"n"`
	L []string `json:"l"`
	S2 S2 `json:"s2"`
}
type S2 struct {
	X string `json:"x"`
	Y *string `json:"y"`
}
// +k8s:listType=set
type Set []string
type Text string
type Names []string
"""
STRINGS = "can only be used on string types ({})"
LISTS = "can only be used on list types ({})"
INTEGERS = "can only be used on integer types ({})"
MAPS = "can only be used on map types ({})"
METADATA = "+k8s:update=NoAddItem/+k8s:update=NoRemoveItem require"
KEYED = "listType=map listMapKey=k"

FIELDS = [
    # Arguments and payloads
    ("string", "maxLength", "missing required tag value of type int"),
    ("string", "maxLength=ten", "tag value has wrong type: got string, want int"),
    ("string", "maxLength=true", "tag value has wrong type: got bool, want int"),
    ("string", "maxLength=+k8s:required", "tag value has wrong type: got tag, want int"),
    ("string", "required=true", "tag value has wrong type: got bool, want "),
    ("[]string", "eachVal=5", "tag value has wrong type: got int, want tag"),
    ("S", "subfield=+k8s:immutable", "missing required positional argument of type string"),
    ("S", "subfield(5)=+k8s:immutable", 'argument "5" has wrong type: got int, want string'),
    ("string", "alpha(since: true)=+k8s:immutable", 'argument "true" has wrong type: got bool, want string'),
    ("string", "maxLength(x)=1", 'unrecognized named argument "x"'),
    # Numbers
    ("string", "maxLength=+5", 'failed to parse tag payload as int: "+5" is not a valid int value'),
    ("string", "minLength=007", 'failed to parse tag payload as int: "007" is not a valid int value'),
    (
        "string", "maxBytes=0x3",
        'failed to parse tag payload as int: parsing "0x3" as int: strconv.Atoi: parsing "0x3": invalid syntax',
    ),
    (
        "int32", "minimum=0x3",
        'failed to parse tag payload: parsing "0x3" as int: strconv.ParseInt: parsing "0x3": invalid syntax',
    ),
    ("int64", "maximum=+5", 'failed to parse tag payload: "+5" is not a valid int value'),
    ("uint8", "maximum=300", "failed to parse tag payload: value 300 does not fit in uint8 (range [0, 255])"),
    ("int16", "minimum=-32769",
     "failed to parse tag payload: value -32769 does not fit in int16 (range [-32768, 32767])"),
    (
        "uint32", "minimum=-1",
        'failed to parse tag payload: parsing "-1" as uint: strconv.ParseUint: parsing "-1": invalid syntax',
    ),
    # Limits
    ("int32", "maxLength=1", STRINGS.format("int32")),
    ("*int32", "maxLength=1", STRINGS.format("*int32 -> int32")),
    ("*string", "maxItems=1", LISTS.format("*string -> *string")),
    ("Names", "maxBytes=1", STRINGS.format("example.Names -> []string")),
    ("[]string", "minLength=1", STRINGS.format("[]string")),
    ("string", "maxItems=1", LISTS.format("string")),
    ("map[string]string", "minItems=1", LISTS.format("map[string]string")),
    ("[]string", "maxProperties=1", MAPS.format("[]string")),
    ("string", "minProperties=1", MAPS.format("string")),
    ("string", "minimum=1", INTEGERS.format("string")),
    ("float64", "maximum=1", INTEGERS.format("float64")),
    ("string", "maxLength=-1", "must be greater than or equal to zero"),
    ("string", "maxBytes=-1", "must be greater than or equal to zero"),
    ("[]string", "maxItems=-1", "must be greater than or equal to zero"),
    ("[]string", "minItems=-1", "must be greater than or equal to zero"),
    ("map[string]string", "minProperties=-1", "must be greater than or equal to zero"),
    ("map[string]string", "maxProperties=100001", "must be less than or equal to 100000"),
    ("map[string]string", "minProperties=100001", "must be less than or equal to 100000"),
    # Requiredness
    ("S", "required", 'non-pointer structs cannot use the "k8s:required" tag'),
    ("S", "optional", 'non-pointer structs cannot use the "k8s:optional" tag'),
    ("S", "forbidden", 'non-pointer structs cannot use the "k8s:forbidden" tag'),
    # Formats
    ("string", "format=k8s-nope", 'unsupported validation format "k8s-nope"'),
    ("string", "format=k8s-ip", 'unsupported validation format "k8s-ip"'),
    ("int32", "format=k8s-uuid", STRINGS.format("int32")),
    # Lists
    ("string", "listType=set", LISTS.format("Builtin")),
    ("S", "listMapKey=k", LISTS.format("Struct")),
    ("map[string]string", "unique=set", LISTS.format("Map")),
    ("*string", "customUnique", LISTS.format("Pointer")),
    ("[]string", "listType=set listType=set", "listType cannot be specified more than once"),
    ("[]string", "listType=bag", 'unknown list type "bag"'),
    ("[]string", "listType=atomic unique=bag", 'unknown unique type "bag"'),
    ("[]string", "listType=map", "only lists of structs can be list-maps"),
    ("[]string", "listType=atomic unique=map", "only lists of structs can be list-maps"),
    ("[]string", "listMapKey=k", "only lists of structs can be list-maps"),
    ("[]string", "beta=+k8s:unique=set listType=set", 'unique tag is redundant for listType="set"'),
    ("[]S", "beta=+k8s:unique=map listMapKey=k listType=map", 'unique tag is redundant for listType="map"'),
    ("[]string", "listType=set unique=set", "unique tag may not be used with listType=set or listType=map"),
    ("[]string", "listType=atomic unique=set unique=set", "unique tag cannot be specified more than once"),
    ("[]S", "listMapKey=nope", 'no field for JSON name "nope"'),
    (
        "[]S", "listMapKey=l",
        "only primitive types and pointers to primitive types can be list-map keys, not []string",
    ),
    ("Set", "listType=set", "found list metadata for both a field and its type: example.T.f"),
    ("[]S", "listType=set listMapKey=k", "found listMapKey without listType=map or unique=map"),
    ("[]S", "listType=map", "found listType=map or unique=map without listMapKey"),
    (
        "[]string", "unique=set",
        "listType must be specified - use listType=atomic, listType=set, or listType=map",
    ),
    # Items, values, keys, members
    ("string", "eachVal=+k8s:maxLength=1", "can only be used on list or map types (Builtin)"),
    ("S", "eachVal=+k8s:immutable", "can only be used on list or map types (Struct)"),
    ("[]string", "eachKey=+k8s:maxLength=1", "can only be used on map types (Slice)"),
    ("[]string", "eachVal=+k8s:minLength=0", "no validation functions found"),
    ("map[string]string", "eachKey=+k8s:minLength=0", "no validation functions found"),
    ("[]string", "eachVal=+k8s:required", "cannot be specified on list values"),
    ("map[string]string", "eachVal=+k8s:optional", "cannot be specified on map values"),
    ("map[string]string", "eachKey=+k8s:immutable", "cannot be specified on map keys"),
    ("string", "enum", "cannot be specified on struct fields"),
    ("string", "item(k: a)=+k8s:immutable", "can only be used on list types"),
    ("[]string", "item(k: a)=+k8s:immutable", "can only be used on lists of structs"),
    ("[]S", f"{KEYED} item(a)=+k8s:immutable", "all arguments must be named"),
    ("[]S", f"{KEYED} item(k: a, k: b)=+k8s:immutable", 'duplicate argument: "k"'),
    ("[]S", f"{KEYED} item=+k8s:immutable", "no selection criteria was specified"),
    (
        "[]S", "listType=map listMapKey=n item(n: 007)=+k8s:immutable",
        'invalid value for argument "n": invalid integer: "007" is not a valid int value',
    ),
    (
        "[]S", "item(k: a)=+k8s:immutable",
        "found items with no list metadata - item tags require listType=map or unique=map with listMapKey",
    ),
    (
        "[]S", f"{KEYED} item(k: a, n: 1)=+k8s:immutable",
        "number of arguments (2) does not match number of listMapKey fields (1)",
    ),
    ("[]S", f"{KEYED} item(n: 1)=+k8s:immutable", "missing required listMapKey fields: [k]"),
    (
        "[]S", f"{KEYED} item(k: 1)=+k8s:immutable",
        'key "k": type mismatch, field is string but value is not: 1',
    ),
    ("string", "subfield(x)=+k8s:immutable", "can only be used on struct types: Builtin"),
    ("S", "subfield(nope)=+k8s:immutable", 'no field for json name "nope"'),
    (
        "S", "subfield(s2)=+k8s:subfield(x)=+k8s:immutable",
        "nested +k8s:subfield tags are unsupported; apply validations directly to the nested type instead",
    ),
    # Levels
    ("string", 'alpha(since: "v1.36")=+k8s:immutable',
     "invalid kubernetes version format, expected <major>.<minor>, got v1.36"),
    # Unions
    ("int32", "unionDiscriminator", STRINGS.format("int32")),
    ("*int32", "unionDiscriminator", STRINGS.format("*int32 -> int32")),
    ("S", "unionMember", "can only be used on nilable and primitive types (Struct)"),
    ("S", "zeroOrOneOfMember", "can only be used on nilable and primitive types (Struct)"),
    # Modes
    ("*string", "modeDiscriminator", "can only be used on non-pointer types"),
    ("int32", "modeDiscriminator", "can only be used on string or bool types (int32)"),
    (
        "string", "modeDiscriminator(modality: a-b)",
        'discriminator group name must match ^[a-zA-Z][a-zA-Z0-9_]*$, got "a-b"',
    ),
    ("string", "modeDiscriminator(modality: default)", 'discriminator group name "default" is reserved'),
    ("string", "ifMode(a)=+k8s:required", "missing discriminator"),
    ("string", "ifMode(mode: a, modality: M)=+k8s:required", 'missing discriminator for group "M"'),
    ("string", "ifMode=+k8s:required", "missing required mode"),
    ("S", "ifMode(a)=+k8s:immutable", "discriminated member fields of struct type must be pointers"),
    # Dependents
    ("string", "dependentRequired(nope)", 'no sibling field with JSON name "nope"'),
    ("string", "dependentForbidden(f)", 'trigger and dependent field must be different (both are "f")'),
    ("S", "dependentRequired(other)", 'trigger field "F" has unsupported type kind Struct'),
    # Updates
    ("string", "update", "unknown +k8s:update constraint: "),
    ("string", "update=NoClear", "unknown +k8s:update constraint: NoClear"),
    ("string", "update=NoAddItem", "+k8s:update=NoAddItem can only be used on list or map fields"),
    ("*string", "update=NoRemoveItem", "+k8s:update=NoRemoveItem can only be used on list or map fields"),
    (
        "[]string", "update=NoModify",
        "+k8s:update=NoModify is not supported on list or map fields, "
        "use +k8s:eachVal=+k8s:update=NoModify for per-item immutability",
    ),
    ("S", "update=NoSet", "+k8s:update=NoSet cannot be used on non-pointer struct fields (they cannot be unset)"),
    (
        "[]string", "eachVal=+k8s:update=NoSet",
        "+k8s:update=NoSet does not apply to list values, attach it to the enclosing field",
    ),
    (
        "map[string]string", "eachVal=+k8s:update=NoUnset",
        "+k8s:update=NoUnset does not apply to map values, attach it to the enclosing field",
    ),
    (
        "[][]byte", "eachVal=+k8s:update=NoModify",
        "+k8s:update=NoModify cannot be applied to list/map elements that are themselves lists or maps",
    ),
    (
        "[]string", "alpha=+k8s:listType=set eachVal=+k8s:update=NoModify",
        "+k8s:eachVal=+k8s:update=NoModify requires the enclosing list to use listType=map or unique=map (got set)",
    ),
    (
        "[]string", "update=NoAddItem",
        f"{METADATA} list metadata (+k8s:listType with listMapKey, or +k8s:unique) to determine item identity",
    ),
    (
        "[]string", "listType=atomic update=NoAddItem",
        f"{METADATA} listType=set, listType=map, unique=set, or unique=map to define item identity",
    ),
    # Others
    ("string", "neq=5", "type mismatch: field is a string, but payload is of type int"),
    ("bool", "neq=x", "type mismatch: field is a bool, but payload is of type string"),
    ("int32", "neq=true", "type mismatch: field is an integer, but payload is of type bool"),
    ("int32", "neq=+5", 'invalid integer value for payload: "+5" is not a valid int value'),
    ("float64", "neq=5", "unsupported type for 'neq' tag: float64"),
    (
        "[]string", "neq=a",
        "can only be used on comparable types (e.g. string, int, bool), but got []string",
    ),
    ("string", "monotonic", "must be an integer type (got string)"),
    ("Text", "monotonic", "must be an integer type (got example.Text -> string)"),
    ("string", 'validateError="no"', 'forced error: "no"'),
    ("string", 'validateTrue(flags: "Nope")', 'unknown flag: "Nope"'),
]  # fmt: skip


@pytest.mark.parametrize(("go", "tags", "message"), FIELDS)
def test_tags_of_fields(go: str, tags: str, message: str) -> None:
    """A field's tag that makes no sense is refused in upstream's words, after the tag's name."""
    lines = "".join(f"\t// +k8s:{tag}\n" for tag in split(tags))
    with pytest.raises(InputError) as caught:
        compiled(f'{TYPES}\ntype T struct {{\n{lines}\tF {go} `json:"f"`\n\tOther string `json:"other"`\n}}')
    said = [diagnostic.message.partition(": ")[2] for diagnostic in caught.value.diagnostics]
    assert message in said


def split(tags: str) -> list[str]:
    """Divide tags at the blanks outside of brackets."""
    parts, depth = [""], 0
    for char in tags:
        depth += (char == "(") - (char == ")")
        if char == " " and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


PLACES = [
    ("// +k8s:enum\ntype E int32\ntype T struct {\n\tF E `json:\"f\"`\n}", STRINGS.format("example.E -> int32")),
    ("// +k8s:required\ntype T struct {\n\tF string `json:\"f\"`\n}", "cannot be specified on type definitions"),
    (
        'type E string\nconst (\n\t// +k8s:required\n\tA E = "a"\n)\ntype T struct {\n\tF E `json:"f"`\n}',
        "cannot be specified on constant values",
    ),
    (
        'type T struct {\n\t// +k8s:modeDiscriminator\n\tA string `json:"a"`\n'
        '\t// +k8s:modeDiscriminator\n\tB string `json:"b"`\n}',
        'duplicate discriminator: ""',
    ),
    (
        'type T struct {\n\t// +k8s:modeDiscriminator\n\tA bool `json:"a"`\n'
        '\t// +k8s:ifMode("x")=+k8s:required\n\tB string `json:"b"`\n}',
        'invalid discriminator value "x": cannot parse "x" as bool: '
        'parsing "x" as bool: strconv.ParseBool: parsing "x": invalid syntax',
    ),
    (
        'type T struct {\n\t// +k8s:unionMember\n\tA *string `json:"-"`\n}',
        'field "A" is a union member but has no JSON name',
    ),
    (
        'type T struct {\n\t// +default=null\n\t// +k8s:optional\n\tA *string `json:"a"`\n}',
        'failed to parse default value "null": unmarshalled to nil',
    ),
    (
        'type I struct {\n\tK int32 `json:"k"`\n}\ntype T struct {\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=k\n'
        '\t// +k8s:item(k: 3)=+k8s:unionMember\n\tL []I `json:"l"`\n}',
        "type mismatch, field is int but value is not: 3",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("go", "message"), PLACES)
def test_tags_of_other_places(go: str, message: str) -> None:
    """So is a tag on a type or a constant, and one that only several fields together make senseless."""
    with pytest.raises(InputError) as caught:
        compiled(go)
    assert message in [diagnostic.message.partition(": ")[2] for diagnostic in caught.value.diagnostics]
