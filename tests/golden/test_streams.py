"""What runs ask and find is as it was: a change that only moves code changes no digest.

`tox -e golden -- --accept` writes the digests anew. Whoever does says in the commit which changed, and why.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness.subject import SubjectSpec
from tests.golden.digest import Digests, digests

FILE = Path(__file__).parent / "streams.json"
ROOT = Path(__file__).parent.parent.parent
SUITES = ("certificate_v1", "claim_v1", "policy_v1", "workload_v1")
CASES = 6000
KINDS = (
    "certificatesigningrequests", "replicationcontrollers", "resourceclaims", "horizontalpodautoscalers", "cronjobs",
    "networkpolicies", "rolebindings", "storageclasses", "runtimeclasses", "podcertificaterequests",
)  # fmt: skip
KUBERNETES, KUBERNETES_CASES = "1.37.1", 20_000


def judge(name: str, found: Digests, accept: bool) -> None:
    """Compare with what is kept, or keep it."""
    known = msgspec.json.decode(FILE.read_bytes(), type=dict[str, Digests]) if FILE.exists() else {}
    if accept:
        kept = dict(sorted({**known, name: found}.items()))
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n")
    else:
        assert known.get(name) == found


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("suite", SUITES)
def test_an_embedded_suite_is_asked_and_judged_as_before(
    suite: str, jobs: int, tmp_path: Path, accept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cases and the report of a suite, with seed 1, in one process and in two."""
    monkeypatch.chdir(ROOT)
    spec = SubjectSpec("suite", f"suites/{suite}")
    judge(suite, digests(spec, tmp_path, cases=CASES, jobs=jobs), accept)


@pytest.mark.kubernetes
@pytest.mark.parametrize("jobs", [1, 2])
def test_ten_kinds_of_a_release_are_asked_and_judged_as_before(jobs: int, tmp_path: Path, accept: bool) -> None:
    """The cases and the report of ten kinds of a release, with seed 1, in one process and in two."""
    spec = SubjectSpec("kubernetes", KUBERNETES)
    found = digests(spec, tmp_path, cases=KUBERNETES_CASES, jobs=jobs, kinds=KINDS)
    judge(KUBERNETES, found, accept)
