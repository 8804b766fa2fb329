"""What a change of a checkout of Kubernetes touches, on a small checkout: types, tags, code by hand, generated code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest

from harness.diagnostics import UsageError
from harness.targets.kubernetes.sources import VERSION_FILE
from harness.verify.change import Change, KindName, TouchedField
from harness.verify.read import read_change
from tests.verify.checkout import commit, git, replace, write
from tests.verify.mini import GENERATED, OLDER, STRATEGY, TYPES, VALIDATION, mini

SHIP, OLD_SHIP = KindName("fleet.example.com", "v1", "Ship"), KindName("fleet.example.com", "v1beta1", "Ship")
HARBOUR = KindName("fleet.example.com", "v1", "Harbour")

ONE_MORE = 'allErrs = append(allErrs, field.Required(fldPath.Child("crew"), ""))'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout, made once."""
    return mini(tmp_path_factory.mktemp("mini") / "kubernetes")


@pytest.fixture
def top(made: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    copytree(made, tmp_path / "kubernetes")
    return tmp_path / "kubernetes"


def field(change: Change, name: str, version: str = "v1") -> TouchedField:
    """Return a touched field by its short name."""
    return next(one for one in change.fields if one.name == name and f"/{version}." in one.type_name)


def events(one: TouchedField) -> list[tuple[str, str]]:
    """Return cause and event of each reason."""
    return [(reason.cause, reason.event) for reason in one.reasons]


def names(change: Change) -> set[str]:
    """Return the short names of touched fields."""
    return {one.name for one in change.fields}


def test_limit_in_a_tag(top: Path) -> None:
    """A limit that changed in a tag touches the field, its rule, its kind, and leaves generated code behind."""
    replace(top, TYPES, "+k8s:maxLength=63", "+k8s:maxLength=64")
    change = read_change(top, "base")
    port = field(change, "ShipSpec.Port")
    assert [("spec.port", SHIP)] == [(place.path, place.kind) for place in port.paths]
    assert [("tags", "changed")] == events(port)
    assert ([63], [64]) == ([rule.limit for rule in port.rules_before if rule.limit], [
        rule.limit for rule in port.rules_after if rule.limit
    ])  # fmt: skip
    assert (TYPES, 24) == (port.reasons[0].position.file, port.reasons[0].position.line)
    [kind] = change.kinds
    assert (SHIP, ("spec.port",), ("ships", "ships/status")) == (kind.name, kind.paths, kind.resources)
    assert [("spec.port", "changed")] == [(rule.path, rule.event) for rule in kind.rules]
    [stale] = change.not_regenerated
    assert (GENERATED, "Port", False) == (stale.file, stale.go_field, stale.edited)
    assert "maxlength(64)" in stale.sentence
    assert "maxlength(63)" in stale.sentence
    assert stale.command == "hack/update-codegen.sh validation"
    assert ["limit-differs-by-version"] == [found.code for found in change.diagnostics]


def test_regenerated(top: Path) -> None:
    """With the code generated anew, nothing is stale, and both sides of the change are reasons."""
    for name, old, new in ((TYPES, "maxLength=63", "maxLength=64"), (GENERATED, "oldObj, 63)", "oldObj, 64)")):
        replace(top, name, old, new)
    change = read_change(top, "base")
    assert () == change.not_regenerated
    assert [("generated", "changed"), ("tags", "changed")] == sorted(events(field(change, "ShipSpec.Port")))


@pytest.mark.parametrize(
    ("old", "new", "event", "words"),
    [
        ('+k8s:alpha(since: "1.37")=+k8s:minimum', '+k8s:beta(since: "1.37")=+k8s:minimum', "level raised", "beta"),
        ('+k8s:alpha(since: "1.37")=+k8s:minimum', "+k8s:minimum", "level raised", "standard"),
        ('	// +k8s:alpha(since: "1.37")=+k8s:minimum=0\n', "", "removed", "minimum"),
        ("// Crew is how many sail.\n", "// Crew is how many sail.\n	// +k8s:maximum=9\n", "added", "maximum"),
    ],
)
def test_tags(top: Path, old: str, new: str, event: str, words: str) -> None:
    """Tags that come, go, or change their level are named as such, and generated code is noticed to be behind."""
    replace(top, TYPES, old, new)
    change = read_change(top, "base")
    crew = field(change, "ShipSpec.Crew")
    assert [("tags", event)] == events(crew)
    assert words in crew.reasons[0].sentence
    assert ["Crew"] == [one.go_field for one in change.not_regenerated]


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ('+k8s:alpha(since: "1.37")=+k8s:minimum', "+k8s:minimum", ["level-raised-too-early"]),
        ('+k8s:alpha(since: "1.37")=+k8s:minimum', '+k8s:beta(since: "1.38")=+k8s:minimum', []),
        ("// Crew is how many sail.\n", "// Crew is how many sail.\n	// +k8s:maximum=9\n", ["rule-not-alpha"]),
        ("// Crew is how many sail.\n", '// +k8s:required\n	Name string `json:"name"`\n\n	// Crew.\n', []),
    ],
)
def test_levels_of_a_change(top: Path, old: str, new: str, codes: list[str]) -> None:
    """A rule that starts above alpha, or rises too early, is told with the lint of the change, in the version that
    does so; a new field may have any rule."""
    for name in (TYPES, OLDER):
        replace(top, name, old, new)
    write(top, {VERSION_FILE: 'const DefaultKubeBinaryVersion = "1.38"\n'})
    found = [one for one in read_change(top, "base").diagnostics if one.code.startswith(("rule-", "level-"))]
    assert codes * 2 == [one.code for one in found]
    assert {TYPES, OLDER} == {one.position.file for one in found} or not codes


def test_a_strategy_of_a_change(top: Path) -> None:
    """What a strategy passes is compared with tags, though no type changed; what it passed before is not told again."""
    config = "func (shipStrategy) DeclarativeValidationConfig() C {\n\treturn C{Options: map[string]bool{\n@\n}}\n}\n"
    before = (top / STRATEGY).read_text(encoding="utf-8")
    write(top, {STRATEGY: before + config.replace("@", '"Oars": true,')})
    (found,) = read_change(top, "base").diagnostics
    assert ("option-never-read", STRATEGY) == (found.code, found.position.file)
    git(top, "commit", "-qam", "Pass an option")
    write(top, {STRATEGY: before + config.replace("@", '"Oars": true,\n"Sails": true,')})
    assert ["the option Sails is passed for Ship, and no tag of Ship reads it"] == [
        one.message for one in read_change(top, "HEAD").diagnostics
    ]


def test_edited_generated_code(top: Path) -> None:
    """Generated code that was edited by hand is told from types that were."""
    replace(top, GENERATED, "oldObj, 8)", "oldObj, 9)")
    change = read_change(top, "base")
    assert [("Cargo", True)] == [(one.go_field, one.edited) for one in change.not_regenerated]
    assert [("generated", "changed")] == events(field(change, "ShipSpec.Cargo"))


def test_generated_code_that_walks_otherwise(top: Path) -> None:
    """The same checks in another way touch the field and are not stale; other registrations touch the kinds."""
    replace(top, GENERATED, "return e\n", "return e // at once\n")
    assert set() == names(read_change(top, "base"))
    replace(top, GENERATED, "return e //", "return append(errs, e...) //")
    change = read_change(top, "base")
    assert ((), {"ShipSpec.Port"}) == (change.not_regenerated, names(change))
    replace(top, GENERATED, "func Validate_ShipSpec", "var compare = 1\n\nfunc Validate_ShipSpec")
    assert {SHIP, HARBOUR} == {kind.name for kind in read_change(top, "base").kinds if kind.whole}


def test_check_removed(top: Path) -> None:
    """A handwritten check that is gone is named with its field in every version, at its place in the base."""
    check = 'allErrs = append(allErrs, field.Required(fldPath.Child("port"), "").MarkCoveredByDeclarative())'
    replace(top, VALIDATION, check, "")
    change = read_change(top, "base")
    assert {"ShipSpec.Port"} == names(change)
    for version in ("v1", "v1beta1"):
        [reason] = field(change, "ShipSpec.Port", version).reasons
        assert ("handwritten", "check removed", True, True) == (
            reason.cause, reason.event, reason.in_base, reason.certain,
        )  # fmt: skip
        assert "with its mark" in reason.sentence
    assert (SHIP, OLD_SHIP) == tuple(kind.name for kind in change.kinds)


@pytest.mark.parametrize(
    ("old", "new", "event"),
    [
        ('"").MarkCoveredByDeclarative()', '"")', "mark removed"),
        ('.WithOrigin("minimum")', ".MarkCoveredByDeclarative()", "mark added"),
        ('"").MarkCoveredByDeclarative()', '"").MarkBeta().MarkCoveredByDeclarative()', "changed"),
        ('.WithOrigin("minimum")', '.WithOrigin("maximum")', "changed"),
        ("	return allErrs\n", f"	{ONE_MORE}\n	return allErrs\n", "check added"),
    ],
)
def test_marks(top: Path, old: str, new: str, event: str) -> None:
    """Marks of handwritten errors that come and go are named as such; other words of an error have changed."""
    replace(top, VALIDATION, old, new)
    change = read_change(top, "base")
    assert event in {name for one in change.fields for _, name in events(one)}
    assert names(change) <= {"ShipSpec.Port", "ShipSpec.Crew"}


def test_condition(top: Path) -> None:
    """A condition that changed touches what it speaks of and nothing else of the function."""
    replace(top, VALIDATION, "*spec.Crew < 0", "*spec.Crew <= 0")
    change = read_change(top, "base")
    assert {"ShipSpec.Crew"} == names(change)
    assert [("handwritten", "changed")] == events(field(change, "ShipSpec.Crew"))


def test_words_that_name_a_field_of_another_type(top: Path) -> None:
    """A name that several types have means the type that the function speaks of."""
    replace(top, VALIDATION, "return validateSpec(&ship.Spec,", "return validateSpec(&ship.Spec, ship.Name,")
    assert {"Ship.Spec", "ObjectMeta.Name"} == names(read_change(top, "base"))


def test_constant(top: Path) -> None:
    """A constant that changed touches what those who speak of it judge."""
    replace(top, VALIDATION, "maxPort = 63", "maxPort = 64")
    assert {"ShipSpec.Port"} == names(read_change(top, "base"))


def test_helper_without_a_field(top: Path) -> None:
    """A helper that names no field touches what its callers hand it, wherever kinds have it; that is said."""
    replace(top, VALIDATION, "value < 0", "value <= 0")
    change = read_change(top, "base")
    weight = field(change, "Crate.Weight")
    assert [("stored[*].weight", HARBOUR), ("spec.cargo[*].weight", SHIP)] == [
        (place.path, place.kind) for place in weight.paths
    ]
    assert not weight.certain


def test_helper_that_some_use_without_a_field(top: Path) -> None:
    """Where one user of a helper names a field and another one none, the kinds of that one count as a whole."""
    replace(top, VALIDATION, "const maxPort = 63", "func MaxPort() int { return 63 }")
    replace(top, VALIDATION, "len(spec.Port) > maxPort", "len(spec.Port) > MaxPort()")
    replace(top, STRATEGY, "return false", "return validation.MaxPort() > 63")
    commit(top, "Share a limit")
    replace(top, VALIDATION, "return 63", "return 64")
    change = read_change(top, "HEAD")
    assert {"ShipSpec.Port"} == names(change)
    assert {SHIP, OLD_SHIP} == {kind.name for kind in change.kinds if kind.whole}


def test_shared_type_through_one_function(top: Path) -> None:
    """What one function says of a shared type holds for the kinds that it is called for."""
    replace(top, VALIDATION, "validateCrates(harbour.Stored,", "validateCrates(harbour.Stored[:0],")
    change = read_change(top, "base")
    assert {"Harbour.Stored"} == names(change)


def test_strategy(top: Path) -> None:
    """Code of a strategy touches the fields it sets; a method that names none touches the kinds it is for."""
    replace(top, STRATEGY, "ship.Generation = 1", "ship.Generation = 2")
    generation = field(read_change(top, "base"), "ObjectMeta.Generation")
    assert {("metadata.generation", SHIP), ("metadata.generation", OLD_SHIP)} == {
        (place.path, place.kind) for place in generation.paths
    }
    assert [("strategy", "changed")] == events(generation)
    git(top, "checkout", "-q", ".")
    replace(top, STRATEGY, "return false", "return true")
    change = read_change(top, "base")
    assert ((), {SHIP, OLD_SHIP}) == (change.fields, {kind.name for kind in change.kinds if kind.whole})
    assert not change.kinds[0].reasons[0].certain


def test_new_and_gone_fields(top: Path) -> None:
    """Fields that are new, gone, renamed in JSON or of another type are touched, on both sides."""
    replace(top, TYPES, 'Weight int32 `json:"weight,omitempty"`', 'Mass int64 `json:"mass,omitempty"`')
    change = read_change(top, "base")
    assert {"Crate.Weight": "removed", "Crate.Mass": "added"} == {
        one.name: one.reasons[0].event for one in change.fields
    }
    gone = field(change, "Crate.Weight")
    assert (None, "spec.cargo[*].weight") == (gone.position, gone.paths[-1].path)
    git(top, "checkout", "-q", ".")
    replace(top, TYPES, 'json:"weight,', 'json:"mass,')
    weight = field(read_change(top, "base"), "Crate.Weight")
    assert [("type", "changed")] == events(weight)
    assert {"spec.cargo[*].weight", "spec.cargo[*].mass"} <= {place.path for place in weight.paths}


def test_new_kind(top: Path) -> None:
    """A kind that is new, or gone, is listed as such with its rules."""
    text = (top / TYPES).read_text()
    (top / TYPES).write_text(text.replace("type Harbour struct", "type Dock struct"))
    states = {str(kind.name): (kind.in_base, kind.in_head) for kind in read_change(top, "base").kinds}
    assert (False, True) == states["fleet.example.com/v1 Dock"]
    assert (True, False) == states["fleet.example.com/v1 Harbour"]


def test_order_of_doc_go(top: Path) -> None:
    """doc.go that makes other types roots touches the kinds as a whole."""
    doc = "pkg/apis/fleet/v1/doc.go"
    replace(top, doc, "TypesWithField=TypeMeta", "TypesWithSuffix=Ship")
    change = read_change(top, "base")
    assert {SHIP, HARBOUR} <= {kind.name for kind in change.kinds if kind.whole}
    assert doc == change.kinds[0].reasons[0].position.file


HARMLESS: dict[str, Callable[[Path], object]] = {
    "a helper is renamed": lambda top: replace(top, VALIDATION, "notNegative", "atLeastZero", 99),
    "comments": lambda top: replace(top, VALIDATION, "// ValidateShip checks", "// ValidateShip looks at"),
    "a file is moved": lambda top: (top / VALIDATION).rename(top / "pkg/apis/fleet/validation/ship.go"),
    "a comment of a type": lambda top: replace(top, TYPES, "// Port is where it lies.", "// Port is its home."),
    "types are moved": lambda top: (top / TYPES).rename(top / TYPES.replace("types.go", "ship_types.go")),
    "a test": lambda top: write(top, {"pkg/apis/fleet/validation/validation_test.go": "package validation\n"}),
    "a function nobody calls": lambda top: write(
        top, {"pkg/apis/fleet/validation/new.go": "package validation\n\nfunc unused() int { return 1 }\n"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_nothing_touched(top: Path, name: str) -> None:
    """What changes no check touches nothing, and why is said in a sentence."""
    HARMLESS[name](top)
    change = read_change(top, "base")
    assert ((), (), ()) == (change.fields, change.kinds, change.not_regenerated)
    assert change.files
    assert len(change.nothing_touched) > 20


def test_rename_is_told(top: Path) -> None:
    """The sentence names what was renamed, and to what."""
    replace(top, VALIDATION, "notNegative", "atLeastZero", 99)
    assert "notNegative was renamed to atLeastZero" in read_change(top, "base").nothing_touched


def test_rename_that_hides_a_change(top: Path) -> None:
    """A rename with a change of one sign is no rename."""
    replace(top, VALIDATION, "notNegative", "atLeastZero", 99)
    replace(top, VALIDATION, "value < 0", "value < 1")
    change = read_change(top, "base")
    assert {"Crate.Weight"} == names(change)


def test_code_that_is_not_read(top: Path) -> None:
    """Go code outside of validation that changed is named: nobody says that it does not matter."""
    write(
        top, {"pkg/features/features.go": "package features\n", "pkg/features/zz_generated.x.go": "package features\n"}
    )
    assert "not read, since it lies outside of validation: pkg/features/features.go" in read_change(top, "base").notes


def test_clean(top: Path) -> None:
    """Without a difference, that is said."""
    change = read_change(top, "base")
    assert ((), "no file differs") == (change.files, change.nothing_touched[-15:])


def test_committed_and_not(top: Path) -> None:
    """Commits on a branch and what is not committed yet are one change; what came to the base later is not in it."""
    git(top, "checkout", "-q", "-b", "work")
    replace(top, TYPES, "maxItems=8", "maxItems=9")
    commit(top, "Change a limit")
    git(top, "checkout", "-q", "main")
    replace(top, OLDER, "maxItems=8", "maxItems=10")
    commit(top, "Somebody else's")
    git(top, "checkout", "-q", "work")
    replace(top, TYPES, "maxLength=63", "maxLength=64")
    change = read_change(top, "main")
    assert {"ShipSpec.Cargo", "ShipSpec.Port"} == names(change)
    assert {"k8s.io/api/fleet/v1.ShipSpec"} == {one.type_name for one in change.fields}
    assert ("main", "Begin", "Change a limit") == (change.base.asked, change.base.subject, change.head.subject)
    assert [False] == [one.committed for one in change.files]


def test_tags_that_do_not_compile(top: Path) -> None:
    """Tags that are wrong are linted, and what they order is said to be unknown: nothing is called stale for it."""
    replace(top, TYPES, "+k8s:maxLength=63", "+k8s:maxLenght=63")
    change = read_change(top, "base")
    assert {"ShipSpec.Port"} == names(change)
    assert any("maxLenght" in found.message for found in change.diagnostics)
    assert any("cannot be compiled" in note for note in change.notes)
    assert () == change.not_regenerated


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ("spec.port", {"ShipSpec.Port"}),
        ("Ship:spec.port", {"ShipSpec.Port"}),
        ("ShipSpec.Port", {"ShipSpec.Port"}),
        ("shipspec.port", {"ShipSpec.Port"}),
        ("spec.cargo[*]", {"ShipSpec.Cargo"}),
        ("spec", {"ShipSpec.Port", "ShipSpec.Cargo"}),
        ("spec.crew", set()),
    ],
)
def test_narrowed(top: Path, wanted: str, kept: set[str]) -> None:
    """Fields are named by JSON path or Go name, with the kind or without; what is left out is listed."""
    replace(top, TYPES, "maxItems=8", "maxItems=9")
    replace(top, TYPES, "maxLength=63", "maxLength=64")
    change = read_change(top, "base", [wanted])
    assert kept == names(change)
    assert {"ShipSpec.Port", "ShipSpec.Cargo"} - kept == set(change.left_out)
    assert kept == {f"ShipSpec.{one.go_field}" for one in change.not_regenerated}
    assert bool(change.nothing_touched) is not bool(kept)


def test_narrowed_whole_kind(top: Path) -> None:
    """Where the whole kind is touched, a named field of it is."""
    replace(top, STRATEGY, "return false", "return true")
    change = read_change(top, "base", ["spec.port"])
    assert [("spec.port",), ("spec.port",)] == [kind.paths for kind in change.kinds]


def test_wrong_names(top: Path) -> None:
    """Names that no kind has are all told at once, each with what it may have meant."""
    with pytest.raises(UsageError) as caught:
        read_change(top, "base", ["spec.prot", "Shipp:spec.port", "Ship:stored", "spec.port"])
    said = str(caught.value)
    assert "'spec.prot': no kind has such a field\n  fix: did you mean spec.port?" in said
    assert "there is no kind Shipp\n  fix: did you mean Ship?" in said
    assert "'Ship:stored': Ship has no such field" in said
    assert 3 == said.count("--field")
