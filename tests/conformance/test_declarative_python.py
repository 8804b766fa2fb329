"""Types compiled to Python in the place of a release's declarative side: the same lists for what a server is sent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from harness.case import Answer, Case, KindInfo, Mode, Operation, RuledKind
from harness.cli.asker import CaseAsker
from harness.subject import SubjectSpec, open_subject
from harness.subject.goorder import in_order
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.kubernetes.release import type_folders
from tests.conformance.cases import cases_of
from tests.conformance.conftest import Tell
from tests.conformance.kinds import Kind, kinds_of

CASES = 40
"""For each kind, subresource and mode that is served."""
STEPS = 150


def sent(kind: Kind, info: KindInfo) -> Iterator[Case]:
    """Address the cases of a kind to where a server takes them, prepared as a server does and as they stand."""
    drawn = [case for case in cases_of(kind, 2, CASES, STEPS) if case.operation in info.operations]
    modes: tuple[Mode, ...] = ("served", "given")
    for mode in modes:
        for case in drawn[-CASES:]:
            head = {"apiVersion": info.api_version, "kind": info.kind}
            yield msgspec.structs.replace(
                case, group=info.group, version=info.version, resource=info.resource, subresource=info.subresource,
                object=case.object | head, old=case.old and case.old | head, mode=mode, options={}, versions=True,
            )  # fmt: skip


def differences(kind: Kind, case: Case, theirs: Answer, ours: Answer) -> list[str]:
    """Say what differs between the worker's own answer and the one with compiled types."""

    def lists(answer: Answer) -> dict[str, list[object]]:
        listed: dict[str, list[object]] = {"declarative": list(in_order(answer.declarative, kind.shape))}
        # Handwritten validators walk maps too; and paths of other versions are not those of this shape.
        unordered = {"handwritten": answer.handwritten, **answer.versions}
        return listed | {name: sorted(errors, key=repr) for name, errors in unordered.items()}

    if (theirs.failure is None) == (ours.failure is None) and lists(theirs) == lists(ours):
        return []
    return [f"{case}\n  Go {theirs}\n  Python {ours}"]


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_compiled_types_give_the_list_of_the_worker(release: str, tell: Tell) -> None:
    """For what is served: created and updated, at every subresource, prepared and as it stands, in every version."""
    found: list[str] = []
    asked = errors = 0
    with (
        KubernetesTarget(release, jobs=1) as target,
        open_subject(SubjectSpec("kubernetes", release, declarative="python")) as subject,
    ):
        ruled = {one.type for one in target.info.ruled}
        infos = [info for info in target.info.kinds if info.type in ruled]
        made = [RuledKind(*info.api_version.rpartition("/")[::2], kind=info.kind, type=info.type) for info in infos]
        for info, kind in zip(infos, kinds_of(release, made), strict=True):
            cases = sent(kind, info)
            while batch := list(islice(cases, 200)):
                waiting = target.submit(batch), subject.target.submit(batch)
                theirs, ours = waiting[0].result(), waiting[1].result()
                for case, one, other in zip(batch, theirs, ours, strict=True):
                    asked += one.failure is None
                    errors += len(one.declarative)
                    found += differences(kind, case, one, other)
    tell(
        f"{release}: --declarative python: {len(infos)} resources and subresources, {asked:,} cases, "
        f"{errors:,} declarative errors compared, {len(found)} differences"
    )
    assert [] == sorted(found, key=len)[:2]
    assert asked > 1000


@pytest.mark.kubernetes
def test_an_edited_tag_shows_as_a_difference(tmp_path: Path) -> None:
    """A smaller maxItems in a copy of the types is an extra error where the handwritten side is content."""
    original = type_folders("1.37.1")["k8s.io/api/resource/v1"]
    copy = tmp_path / "mine"
    shutil.copytree(original, copy)
    copy.chmod(0o755)
    types = copy / "types.go"
    text = types.read_text()
    types.chmod(0o644)
    edited = text.replace("+k8s:maxItems=32", "+k8s:maxItems=1")
    assert edited != text
    types.write_text(edited)
    request = {"name": "a", "exactly": {"deviceClassName": "a"}}
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "a"},
        "spec": {"devices": {"requests": [request, {**request, "name": "b"}]}},
    }
    case = Case(1, "resource.k8s.io", "v1", "ResourceClaim", Operation.CREATE, claim, resource="resourceclaims")
    seen = {}
    for place in (str(copy), ""):
        spec = SubjectSpec("kubernetes", "1.37.1", types=place or None, declarative="python")
        with open_subject(spec) as subject:
            [(_, answer)] = CaseAsker(subject).ask([case])
            seen[bool(place)] = [(one.kind, one.path, one.type) for one in answer.mismatches]
    assert [] == seen[False]
    assert ("extra", "spec.devices.requests", "FieldValueTooMany") in seen[True]
