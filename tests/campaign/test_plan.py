"""A plan is cut into units that are functions of it, and a wrong one is refused with all problems at once."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from harness.campaign.plan import CampaignPlan, CampaignUnit, cover_pairs, read_plan
from harness.diagnostics import InputError


def test_a_plan_is_cut_into_units_of_every_target_setting_seed_and_shard(tmp_path: Path) -> None:
    """Each unit is what `harness run` is asked with, and has a digest of its own."""
    file = tmp_path / "plan.yaml"
    file.write_text(
        "targets:\n- kubernetes: '1.37.1'\n  kind: [pods, 'apps/*']\n- suite: suites/claim_v1\n"
        "gates: [default, 'A=true']\nseeds: 2\ncases: 500\nshards: 3\n"
    )
    units = list(read_plan(file).units())
    assert 2 * 2 * 2 * 3 == len(units) == len({unit.digest for unit in units})
    asked = "run --kubernetes 1.37.1 --kind pods --kind apps/* --seed 1 --max-cases 500 --gates default"
    assert f"{asked} --shard 1/3 --cut-kinds" == " ".join(units[0].arguments)
    assert "suites/claim_v1 --gates A=true seed 2 shard 3/3" == str(units[-1])


def test_a_target_may_count_the_handwritten_code_that_it_reaches(tmp_path: Path) -> None:
    """As `harness run --branches` does."""
    file = tmp_path / "plan.yaml"
    file.write_text("targets: [{kubernetes: '1.37.1', branches: true}]\n")
    assert (("--kubernetes", "1.37.1", "--branches"),) == read_plan(file).targets


def test_mutants_of_each_target_and_setting_are_a_unit_more(tmp_path: Path) -> None:
    """Asked by `harness power`, which counts no code."""
    file = tmp_path / "plan.yaml"
    file.write_text(
        "targets:\n- {kubernetes: '1.37.1', branches: true}\n- suite: s\ngates: [default, 'A=true']\n"
        "seeds: [4, 5]\ncases: 500\nshards: 3\npower: 70\n"
    )
    units = list(read_plan(file).units())
    mutants = [unit for unit in units if unit.power]
    assert (2 * 2 * 2 * 3 + 4, 4) == (len({unit.digest for unit in units}), len(mutants))
    assert "power --kubernetes 1.37.1 --seed 4 --max-cases 70 --gates default" == " ".join(mutants[0].arguments)
    assert "s --gates A=true seed 4 mutants" == str(mutants[-1])
    assert mutants[0].setting == units[0].setting


def test_the_same_plan_gives_the_same_units() -> None:
    """Whatever the order in which a plan says it, and on every machine: the digest is part of the ledger's layout."""
    unit = CampaignUnit(("suites/claim_v1",), "default", 1, 100, "1/1")
    assert unit.digest == CampaignUnit(("suites/claim_v1",), "default", 1, 100, "1/1").digest
    assert unit.digest != CampaignUnit(("suites/claim_v1",), "default", 2, 100, "1/1").digest
    assert CampaignPlan((("a",),)).digest != CampaignPlan((("b",),)).digest
    assert "--shard" not in unit.arguments


@pytest.mark.parametrize(("number", "settings_needed"), [(2, 4), (3, 4), (4, 5), (10, 6), (12, 7), (40, 9)])
def test_every_pair_of_gates_has_each_of_its_values(number: int, settings_needed: int) -> None:
    """With the fewest settings that can do it."""
    gates = [f"Gate{index}" for index in range(number)]
    settings = [dict(part.split("=") for part in text.split(",")) for text in cover_pairs([[gate] for gate in gates])]
    for first, second in itertools.combinations(gates, 2):
        assert 4 == len({(setting[first], setting[second]) for setting in settings})
    assert settings_needed == len(settings)


def test_gates_that_need_one_another_go_together(tmp_path: Path) -> None:
    """A release refuses a gate without those that it depends on."""
    (tmp_path / "plan.yaml").write_text("targets: [{suite: s}]\npairwise: [A, [B, C], D]\n")
    settings = [dict(part.split("=") for part in text.split(",")) for text in read_plan(tmp_path / "plan.yaml").gates]
    assert all(setting["B"] == setting["C"] for setting in settings)
    for first, second in (("A", "B"), ("A", "D"), ("C", "D")):
        assert 4 == len({(setting[first], setting[second]) for setting in settings})
    assert 4 == len(settings)


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("- a", ["the plan is no map; a map with targets"]),
        ("", ["the plan is empty; a map with targets"]),
        ("# nothing yet", ["the plan is empty; a map with targets"]),
        ("targets: [", ["the plan is not YAML: while parsing"]),
        ("targets: [3]", ["target 1: 3 is no map"]),
        ("targets: []", ["a list of targets"]),
        ("targets: [{kind: pods}]\nseed: 3", ["names no target", "unknown key 'seed'"]),
        ("targets: [{kubernetes: 1.37}]\ncases: 0\nseeds: x", ["kubernetes is 1.37", "cases is 0", "seeds is 'x'"]),
        ("targets: [{suite: --help}]", ["suite is '--help'"]),
        ("targets: [{suite: s, kinds: p}]", ["unknown key 'kinds'"]),
        ("targets: [{suite: s, operation: updat, mode: x}]", ["mode is 'x'", "did you mean update?"]),
        ("targets: [{suite: s}]\ngates: [A, default, 'B=true, C=no']", ["'A' is no setting", "'B=true, C=no' is no"]),
        ("targets: [{suite: s}]\npairwise: [A, 'B C']", ["'B C=true' is no setting"]),
        ("targets: [{suite: s}]\npairwise: [A]", ["2 to 40 different gates"]),
        ("targets: [{suite: s}]\npairwise: [A, [B, A]]", ["not 2 with 2 gates"]),
        ("targets: [{suite: s}]\npairwise: [A, B, []]", ["not 3 with 2 gates"]),
        ("targets: [{suite: s}]\npower: -1", ["power is -1"]),
        ("targets: [{suite: s}, {suite: s, against: r}]\npower: 1", ["target 2: `harness power` breaks no rule"]),
        ("targets: [{suite: s}]\npairwise: [A, [B, [C]]]", ["pairwise: a list of texts"]),
        ("targets: [{suite: s}]\npairwise: A", ["pairwise: a list of texts"]),
        ("targets: [{suite: s}]\ngates: A=true", ["gates: a list of texts"]),
        ("targets: [{suite: s}]\nseeds: 100000\nshards: 100", ["more than 1,000,000 units"]),
    ],
)
def test_a_wrong_plan_is_refused_with_all_problems(text: str, problems: list[str], tmp_path: Path) -> None:
    """Each with the file and how to fix it, and at once."""
    file = tmp_path / "plan.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        read_plan(file)
    assert len(problems) == len(caught.value.diagnostics)
    for problem in problems:
        assert problem in str(caught.value)
    assert all(str(file) == one.position.file and one.fix for one in caught.value.diagnostics)


def test_a_plan_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """With its name and what is wrong with it."""
    with pytest.raises(InputError, match=r"nowhere\.yaml: campaign-plan: the plan cannot be read: No such file"):
        read_plan(tmp_path / "nowhere.yaml")
    with pytest.raises(InputError, match=r"the plan cannot be read: Is a directory(.|\n)*fix: name a YAML file"):
        read_plan(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"targets: [{suite: caf\xe9}]")
    with pytest.raises(InputError, match="the plan cannot be read: not UTF-8 text"):
        read_plan(tmp_path / "latin.yaml")
