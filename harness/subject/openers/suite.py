"""Opens a suite: a folder with Go types, handwritten validators in Python, and a suite.py that lists both by kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.gotypes.packages import Universe
from harness.subject.api import SHARED, Api, ApiPackage, go_files
from harness.subject.description import LoadedSuite, load_suite, without_code
from harness.subject.openers.kubernetes import api_of_release, open_release
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject, silent
from harness.subject.suitefile import import_suite
from harness.subject.suites import Rework, open_own, package_of, suite_files
from harness.subject.targetkind import TargetKind
from harness.subject.validators import open_validators
from harness.subject.validatorsuite import ValidatorSuite
from harness.suite import KubernetesSuite, Suite


def open_suite(spec: SubjectSpec, note: Note = silent, rework: Rework | None = None) -> Subject:
    """Open a suite. `rework` replaces its compiled validators, for example by mutants.

    Raises: InputError, TargetError, UsageError.
    """
    suite = _read_suite(spec)
    if isinstance(suite, ValidatorSuite):
        return open_validators(suite, spec, note)
    if not isinstance(suite, KubernetesSuite):
        return open_own(suite, spec, note, rework)
    gates = {**suite.gates, **spec.gates}
    subject = open_release(replace(spec, kind="kubernetes", location=suite.release, gates=gates), note)
    subject.allow_incomplete = tuple(suite.allow_incomplete)
    return subject


def _read_suite(spec: SubjectSpec) -> LoadedSuite:
    return without_code(import_suite(spec.location)) if spec.in_process else load_suite(spec.location)


def _api_of_suite(suite: Suite) -> Api:
    files = suite_files(suite)
    universe = Universe.from_files({**{name: go_files(folder) for name, folder in SHARED.items()}, **files})
    versions = {
        package_of(suite, version, location): version
        for kind in suite.kinds
        for version, location in kind.versions.items()
    }
    packages = tuple(ApiPackage(path, suite.group, version) for path, version in versions.items())
    return Api(suite.name, suite.release, universe, packages)


def _open_types(spec: SubjectSpec) -> Api | None:
    suite = _read_suite(spec)
    if isinstance(suite, ValidatorSuite):
        return None
    if isinstance(suite, Suite):
        return _api_of_suite(suite)
    return api_of_release(replace(spec, kind="kubernetes", location=suite.release))


SUITE = TargetKind("suite", open_suite, _open_types, title=lambda location: Path(location).name, is_quick=True)
