"""A suite: a folder with types.go, handwritten validators in Python, and suite.py that says what belongs together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.gotypes.packages import Universe
from harness.subject.api import SHARED, Api, ApiPackage, go_files
from harness.subject.description import load_suite
from harness.subject.openers.kubernetes import api_of_release, open_release
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.suitefile import import_suite
from harness.subject.suites import Rework, open_own, package_of, suite_files
from harness.subject.targetkind import TargetKind
from harness.suite import KubernetesSuite, Suite


def open_suite(spec: SubjectSpec, note: Note = silent, rework: Rework | None = None) -> Subject:
    """Open a suite, with reworked validators where somebody wants to see what happens then.

    Raises: InputError, TargetError, UsageError.
    """
    suite = import_suite(spec.location) if spec.in_process else load_suite(spec.location)
    if not isinstance(suite, KubernetesSuite):
        return open_own(suite, spec, note, rework)
    gates = {**suite.gates, **spec.gates}
    subject = open_release(replace(spec, kind="kubernetes", location=suite.release, gates=gates), note)
    subject.allow_incomplete = tuple(suite.allow_incomplete)
    return subject


def _of_suite(suite: Suite) -> Api:
    files = suite_files(suite)
    universe = Universe.from_files({**{name: go_files(folder) for name, folder in SHARED.items()}, **files})
    places = {
        package_of(suite, version, place): version for kind in suite.kinds for version, place in kind.versions.items()
    }
    packages = tuple(ApiPackage(path, suite.group, version) for path, version in places.items())
    return Api(suite.name, suite.release, universe, packages)


def _api(spec: SubjectSpec) -> Api:
    suite = import_suite(spec.location) if spec.in_process else load_suite(spec.location)
    if isinstance(suite, Suite):
        return _of_suite(suite)
    return api_of_release(replace(spec, kind="kubernetes", location=suite.release))


SUITE = TargetKind("suite", open_suite, _api, title=lambda location: Path(location).name, is_quick=True)
