"""The inventory: what tags say besides where their errors are, read once and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.diagnostics import InputError
from harness.rulecov import inventory
from harness.rulecov.declared import declared_rules
from harness.rulecov.inventory import Inventory, inventory_of, read_inventory
from harness.subject.api import open_api
from tests.rulecov.watching import api_of_go, root

ITEM = 'type I struct {\n\tK string `json:"k"`\n}'


def rules(tmp_path: Path, go: str) -> dict[str, Any]:
    """Return the known rules of T by path and origin or type."""
    found = read_inventory(api_of_go(tmp_path, go)).rules
    return {f"{one.rule.path} {one.rule.origin or one.rule.type[10:]}": one for one in found}


@pytest.mark.parametrize(
    ("go", "name", "argument"),
    [
        (root('| F E `json:"f"`', more='// +k8s:enum\ntype E string\n\nconst A E = "a"'), "f NotSupported",
         {"values": ["a"]}),
        (root('unionMember | A *string `json:"a"`', 'unionMember | B *string `json:"b"`'), " union",
         {"members": ["a", "b"]}),
        (root('unionDiscriminator | D string `json:"d"`', 'unionMember | A *string `json:"a"`'), " union",
         {"members": ["a"], "values": ["A"], "discriminator": "d"}),
        (root('dependentRequired(b) | A *string `json:"a"`', '| B *string `json:"b"`'), "b dependentRequired",
         {"trigger": "a", "dependent": "b"}),
        (root('modeDiscriminator | D string `json:"d"`', 'ifMode("X")=+k8s:required | A *string `json:"a"`'),
         "a Forbidden", {"discriminator": "d", "modes": {"X": ["k8s:required"]}}),
        (root('listType=map; listMapKey=k | F []I `json:"f"`', more=ITEM), "f[*] Duplicate", {"keys": ["k"]}),
        (root('update=NoSet; update=NoModify | F *string `json:"f"`'), "f update",
         {"constraints": ["NoSet", "NoModify"]}),
        (root('neq="x" | F string `json:"f"`'), "f neq", {"value": "x"}),
        (root('eachKey=+k8s:maxLength=1 | F map[string]string `json:"f"`'), "f maxLength", {"on": "key"}),
        (root('ifDisabled(X)=+k8s:required | F string `json:"f"`'), "f Required", {"option": "X", "wanted": False}),
        (root('listType=map; listMapKey=k; item(k: "a")=+k8s:immutable | F []I `json:"f"`', more=ITEM), "f immutable",
         {"item": {"k": "a"}}),
    ],
)  # fmt: skip
def test_arguments(tmp_path: Path, go: str, name: str, argument: dict[str, Any]) -> None:
    """Plain data, for those who make objects."""
    assert argument == rules(tmp_path, go)[name].argument


def test_errors_of_items_and_members_are_reported_elsewhere(tmp_path: Path) -> None:
    """Upstream declares them at the list and at the struct; that is not where they are reported."""
    item = root('listType=map; listMapKey=k; item(k: "a")=+k8s:immutable | F []I `json:"f"`', more=ITEM)
    assert ("f[*]",) == rules(tmp_path, item)["f immutable"].places
    union = root('unionDiscriminator | D string `json:"d"`', 'unionMember | A *string `json:"a"`')
    assert ("a",) == rules(tmp_path, union)[" union"].places


def test_the_strictest_of_two_limits_counts(tmp_path: Path) -> None:
    """The other one can never be met."""
    go = root('eachVal=+k8s:maxLength=4; eachVal=+k8s:maxLength=3 | F []string `json:"f"`')
    assert [3] == [one.limit for one in rules(tmp_path, go).values()]
    go = root('eachVal=+k8s:minimum=4; eachVal=+k8s:minimum=5 | F []int32 `json:"f"`')
    assert [5] == [one.limit for one in rules(tmp_path, go).values()]


def test_undeclared_errors_are_known(tmp_path: Path) -> None:
    """They are errors of rules, though coverage tests leave them out."""
    go = root('format=k8s-uuid | F string `json:"f"`', 'monotonic | G int32 `json:"g"`')
    ((_, others),) = read_inventory(api_of_go(tmp_path, go)).others.items()
    assert (("f", "FieldValueTooLong", "format=k8s-uuid"), ("g", "FieldValueInvalid", "monotonic")) == others


def test_the_inventory_lists_what_is_declared(tmp_path: Path) -> None:
    """Each rule once, in the same order."""
    api = api_of_go(tmp_path, root('required; maxItems=3 | F []string `json:"f"`', 'immutable | G string `json:"g"`'))
    assert declared_rules(api) == tuple(one.rule for one in read_inventory(api).rules)


def test_it_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And again when a file has changed; a damaged entry is made anew."""
    cache, reads = tmp_path / "cache", list[str]()
    original = inventory.read_inventory

    def reading(api: Any) -> Inventory:
        reads.append(api.name)
        return original(api)

    monkeypatch.setattr(inventory, "read_inventory", reading)
    first = inventory_of(api_of_go(tmp_path, root('required | F string `json:"f"`')), cache)
    assert first == inventory_of(api_of_go(tmp_path, root('required | F string `json:"f"`')), cache)
    assert 1 == len(reads)
    next(cache.glob("*.msgpack")).write_bytes(b"rubbish")
    assert first == inventory_of(api_of_go(tmp_path, root('required | F string `json:"f"`')), cache)
    inventory_of(api_of_go(tmp_path, root('required | G string `json:"g"`')), cache)
    assert 3 == len(reads)


def test_what_does_not_compile_has_no_rules(tmp_path: Path) -> None:
    """Whoever opens the types says what is wrong; a search does not end for it."""
    api = api_of_go(tmp_path, root('maxItems=x | F []string `json:"f"`'))
    with pytest.raises(InputError):
        declared_rules(api)
    assert () == read_inventory(api).rules


def test_a_union_without_members_has_a_rule_that_says_so(tmp_path: Path) -> None:
    """Releases before 1.37 have a rule for a discriminator alone: it has no members, and nothing shows it accepted."""
    folder = tmp_path / "v1"
    folder.mkdir()
    types = root('unionDiscriminator | D string `json:"d"`')
    (folder / "types.go").write_text(f"package v1\n\n{types}\n", encoding="utf-8")
    (known,) = read_inventory(open_api(folder, release="1.36")).rules
    assert ("one", {"members": [], "discriminator": "d"}) == (known.judge, known.argument)
