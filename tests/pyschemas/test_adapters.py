"""Each sort of validator is recognised, asked, and answers with paths, types and rules in one language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
import msgspec
import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, field_validator
from typing_extensions import TypedDict

from harness.field import FieldError
from harness.pyschemas import ADAPTERS, Surroundings, UnusableError, adapter_of, facts_of


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(ge=1)


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")
    code: str = Field(max_length=3, pattern="^x")
    count: int | None = None
    either: int | list[int] = 3
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None = None
    labels: dict[str, int] = {}

    @field_validator("code")
    @classmethod
    def _no_zero(cls, code: str) -> str:
        if "0" in code:
            raise ValueError("no zero")
        assert "1" not in code, "no one"
        if "2" in code:
            raise KeyError(code)
        return code


@dataclass
class Row:
    code: str
    count: Annotated[int, Field(ge=1)] = 1


class Typed(TypedDict):
    code: str


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    code: Annotated[str, msgspec.Meta(max_length=3, pattern="^x")]
    count: Annotated[int, msgspec.Meta(ge=1)] = 3
    items: Annotated[list[int], msgspec.Meta(max_length=2)] = []
    word: Literal["p", "q"] = "p"
    labels: dict[str, int] = {}


@attrs.define
class Attrs:
    code: str = attrs.field(validator=attrs.validators.max_len(3))
    count: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    items: list[int] = attrs.field(factory=list)
    word: str = attrs.field(default="p", validator=attrs.validators.in_(["p", "q"]))

    @count.validator
    def _not_thirteen(self, _attribute: Any, value: int) -> None:
        if value == 13:
            raise KeyError("thirteen")


SCHEMA = {
    "type": "object",
    "required": ["code"],
    "additionalProperties": False,
    "properties": {
        "code": {"type": "string", "maxLength": 3, "pattern": "^x"},
        "count": {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        "day": {"type": "string", "format": "date"},
        "lines": {"type": "array", "items": {"type": "object", "required": ["sku"]}},
    },
}


def ask(validator: Any, obj: Any, folder: Path = Path()) -> list[FieldError]:
    surroundings = Surroundings(folder)
    return list(adapter_of(validator).check(validator, surroundings)(obj))


def rules(validator: Any, obj: Any) -> list[tuple[str, str]]:
    return [(error.field, error.origin) for error in ask(validator, obj)]


@pytest.mark.parametrize(
    ("validator", "noun"),
    [
        (Model, "model"), (TypeAdapter(Row), "dataclass"), (Row, "dataclass"), (Typed, "dataclass"), (Struct, "struct"),
        (Attrs, "attrs class"), (SCHEMA, "schema"), ("order.json", "schema"), (print, "function"),
        (Model.model_validate, "function"),
    ],
)  # fmt: skip
def test_each_sort_is_recognised(validator: Any, noun: str) -> None:
    """By what it is, although classes and models can be called too."""
    assert noun == adapter_of(validator).noun


@pytest.mark.parametrize("validator", [Model, Row, Typed, Struct, Attrs, SCHEMA])
def test_an_accepted_object_has_no_errors(validator: Any) -> None:
    """Whatever asks about it."""
    assert [] == ask(validator, {"code": "xyz"})


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({}, [("code", "required")]),
        ({"code": "xyzz"}, [("code", "maxLength")]),
        ({"code": "y"}, [("code", "pattern")]),
        ({"code": "x", "more": 1}, [("more", "additionalProperties")]),
        ({"code": "x", "count": "q"}, [("count", "type")]),
        ({"code": "x", "either": ["q"]}, [("either", "type"), ("either[0]", "type")]),
        ({"code": "x", "pet": {"kind": "cat", "lives": 0}}, [("pet.lives", "minimum")]),
        ({"code": "x", "pet": {"kind": "cow"}}, [("pet.kind", "enum")]),
        ({"code": "x", "pet": {}}, [("pet.kind", "required")]),
        ({"code": "x", "labels": {"a.b": "q"}}, [("labels[a.b]", "type")]),
        ({"code": "x0"}, [("code", "")]),
        ({"code": "x1"}, [("code", "")]),
    ],
)
def test_errors_of_a_model(obj: Any, expected: list[tuple[str, str]]) -> None:
    """Locations lose the names of variants of unions, and types become keywords of JSON Schema."""
    assert expected == rules(Model, obj)


def test_words_and_values_of_a_model() -> None:
    """The message is the validator's own, without pydantic's prefix; the value stands beside it."""
    [error] = ask(Model, {"code": "x0"})
    assert ("no zero", '"x0"', "FieldValueInvalid") == (error.detail, error.value, error.type)


def test_another_exception_of_a_model_is_a_crash() -> None:
    """Only ValueError and AssertionError reject an object in a validator of pydantic."""
    with pytest.raises(KeyError, match="x2"):
        ask(Model, {"code": "x2"})


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({}, [("code", "required")]),
        ({"code": "xyzz"}, [("code", "maxLength")]),
        ({"code": "y"}, [("code", "pattern")]),
        ({"code": "x", "more": 1}, [("more", "additionalProperties")]),
        ({"code": "x", "count": 0}, [("count", "minimum")]),
        ({"code": "x", "count": "1"}, [("count", "type")]),
        ({"code": "x", "items": [1, 2, 3]}, [("items", "maxItems")]),
        ({"code": "x", "items": ["1"]}, [("items[0]", "type")]),
        ({"code": "x", "word": "z"}, [("word", "enum")]),
        ({"code": "x", "labels": {"a": "q"}}, [("labels", "type")]),
    ],
)
def test_errors_of_a_struct(obj: Any, expected: list[tuple[str, str]]) -> None:
    """msgspec says where in its message."""
    assert expected == rules(Struct, obj)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({}, [("code", "required")]),
        ({"code": "xyzz"}, [("code", "maxLength")]),
        ({"code": "x", "count": 0}, [("count", "minimum")]),
        ({"code": "x", "count": "q"}, [("count", "type")]),
        ({"code": "x", "items": ["q", "r"]}, [("items[0]", "type"), ("items[1]", "type")]),
        ({"code": "x", "items": 3}, [("items", "type")]),
        ({"code": "x", "word": "z"}, [("word", "enum")]),
    ],
)
def test_errors_of_an_attrs_class(obj: Any, expected: list[tuple[str, str]]) -> None:
    """Notes of cattrs say where, and validators of attrs name their attribute."""
    assert expected == rules(Attrs, obj)


def test_a_crash_in_an_attrs_class_is_no_missing_field() -> None:
    """cattrs reports both as a KeyError: the one of a validator was raised elsewhere."""
    with pytest.raises(KeyError, match="thirteen"):
        ask(Attrs, {"code": "x", "count": 13})


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        ({}, [("code", "required")]),
        ({"code": "xyzz"}, [("code", "maxLength")]),
        ({"code": "x", "more": 1, "most": 2}, [("more", "additionalProperties"), ("most", "additionalProperties")]),
        ({"code": "x", "count": 1}, [("count", "minimum")]),
        ({"code": "x", "count": "q"}, [("count", "anyOf")]),
        ({"code": "x", "day": "2023-02-29"}, [("day", "format")]),
        ({"code": "x", "lines": [{"sku": 1}, {}]}, [("lines[1].sku", "required")]),
    ],
)
def test_errors_of_a_schema(obj: Any, expected: list[tuple[str, str]]) -> None:
    """A missing field has its own path, and of a union the branch of the right type is told."""
    assert expected == rules(SCHEMA, obj)


@pytest.mark.parametrize(
    ("text", "name"), [('{"type": "object", "required": ["a"]}', "a.json"), ("type: object\nrequired: [a]\n", "a.yaml")]
)
def test_a_schema_is_read_from_a_file_of_the_suite(tmp_path: Path, text: str, name: str) -> None:
    """By its path in the folder, in JSON or YAML."""
    (tmp_path / name).write_text(text)
    assert ["a"] == [error.field for error in ask(name, {}, tmp_path)]


@pytest.mark.parametrize(
    ("validator", "words", "why"),
    [
        ({"$ref": "http://127.0.0.1:9/a.json"}, "refers to http://127.0.0.1:9/a.json", "nothing is fetched"),
        ({"$ref": "other.json#/a"}, "refers to other.json", "nothing is fetched"),
        ({"type": "strin"}, "(at type)", ""),
        ({"pattern": "("}, "regex", ""),
        ({"$ref": "#/$defs/none"}, "/$defs/none", ""),
        ("none.json", "none.json cannot be read: No such file", ""),
        ("bad.json", "bad.json holds no JSON", ""),
        ("list.json", "it holds list", "an object"),
        ("crd.yaml", "crd.yaml has no version", ""),
        (3, "3 is no validator", "a pydantic model"),
        (Model(code="x"), "is no validator", "a pydantic model"),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(tmp_path: Path, validator: Any, words: str, why: str) -> None:
    """With what is wrong and why, before a search begins; nothing is fetched."""
    for name, text in (("bad.json", "{"), ("list.json", "[]"), ("crd.yaml", "kind: CustomResourceDefinition\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(UnusableError) as caught:
        adapter_of(validator, tmp_path).check(validator, Surroundings(tmp_path))
    assert words in caught.value.message
    assert why in caught.value.why


@pytest.mark.parametrize("validator", [Model, Row, Typed, Struct, Attrs, SCHEMA])
def test_each_sort_but_a_function_has_a_schema(validator: Any) -> None:
    """From which objects are drawn."""
    schema = adapter_of(validator).schema(validator, Surroundings())
    assert "code" in str(schema)


@pytest.mark.parametrize("adapter", [one for one in ADAPTERS if one.words], ids=lambda one: one.noun)
def test_each_sort_says_how_its_rules_are_declared(adapter: Any) -> None:
    """Fixes of every cause find their words, those of a limit with a place for it."""
    facts = facts_of(adapter.words)
    for word in ("null", "default", "check"):
        assert facts.tag_for("", word)
    assert "<limit>" in facts.tag_for("", "maximum")
