"""The API of a subject that is not open yet: what its types declare, without its target."""

from __future__ import annotations

from dataclasses import replace

from harness.gotypes.packages import Universe
from harness.subject.api import DEFAULT_RELEASE, SHARED, Api, ApiPackage, go_files, open_api
from harness.subject.described import load_suite
from harness.subject.edited import edited_api
from harness.subject.opening import bare_package, types_of
from harness.subject.spec import SubjectSpec
from harness.subject.suitefile import import_suite
from harness.subject.suites import package_of, suite_files
from harness.suite import Suite


def api_of(spec: SubjectSpec) -> Api | None:
    """Return the API that a specification names, None for a program of which no types are known.

    None too for two subjects beside each other: what is compared there are no rules.

    Raises: InputError, UsageError, TargetError, as opening the subject does.
    """
    if spec.against is not None:
        return None
    if spec.kind == "command":
        return _of_types(spec.types) if spec.types else None
    if spec.kind == "suite":
        suite = import_suite(spec.location) if spec.in_process else load_suite(spec.location)
        if isinstance(suite, Suite):
            return _of_suite(suite)
        return _of_release(replace(spec, kind="kubernetes", location=suite.release))
    return _of_release(spec)


def _of_suite(suite: Suite) -> Api:
    files = suite_files(suite)
    universe = Universe.from_files({**{name: go_files(folder) for name, folder in SHARED.items()}, **files})
    places = {
        package_of(suite, version, place): version for kind in suite.kinds for version, place in kind.versions.items()
    }
    packages = tuple(ApiPackage(path, suite.group, version) for path, version in places.items())
    return Api(suite.name, suite.release, universe, packages)


def _of_release(spec: SubjectSpec) -> Api:
    # Imported here: suites must open fast, and without anything that only a release needs.
    from harness.targets.kubernetes.release import type_folders

    api = open_api(kubernetes=spec.location)
    return edited_api(api, type_folders(spec.location), spec.types or "")[0] if spec.types else api


def _of_types(types: str) -> Api:
    universe = types_of(types)
    paths = sorted(set(universe.paths) - set(SHARED))
    return Api(types, DEFAULT_RELEASE, universe, tuple(map(bare_package, paths)))
