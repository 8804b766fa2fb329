"""Collection of a suite: items for its kinds and operations, its exceptions, and its coverage ratchet."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec
import pytest

from harness.case import KindInfo, Operation, TargetInfo
from harness.diagnostics import HarnessError, TargetError
from harness.files import write_atomically
from harness.pytest_plugin.items import RATCHET_FILE, ExceptionsItem, KindItem, RulesItem, SkippedItem
from harness.pytest_plugin.session import exceptions_of, in_process, note, subjects_of
from harness.subject import SubjectSpec, load_suite
from harness.subject.suitefile import import_suite
from harness.suite import KubernetesSuite
from harness.targets.kubernetes.build import worker_for
from harness.targets.kubernetes.release import find_release


class SuiteFile(pytest.File):
    """A suite: a folder with suite.py, its types and its handwritten validators."""

    def collect(self) -> Iterable[pytest.Item]:
        """Return an item per kind, version, subresource and operation; skipped when the target is unavailable."""
        try:
            spec = self._spec()
            if self._is_kubernetes and not self.config.getoption("--kubernetes"):
                return [
                    SkippedItem.from_parent(
                        self, name=f"kubernetes-{spec.location}", reason=_reason_not_requested(spec)
                    )
                ]
            items = list(self._items(spec, self._info(spec)))
        except TargetError as error:
            if not self._is_kubernetes:
                raise self.CollectError(str(error)) from None
            name = f"kubernetes-{self._spec().location}"
            return [
                SkippedItem.from_parent(self, name=name, reason=_reason_unavailable(str(error), self._spec().location))
            ]
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        return items

    _is_kubernetes = False
    _allowed: tuple[str, ...] = ()

    def _spec(self) -> SubjectSpec:
        here = in_process(self.config)
        suite = import_suite(self.path.parent) if here else load_suite(self.path.parent)
        self._allowed = tuple(suite.allow_incomplete)
        if isinstance(suite, KubernetesSuite):
            self._is_kubernetes = True
            release = self.config.getoption("--kubernetes") or suite.release
            return SubjectSpec("kubernetes", str(release), dict(suite.gates))
        return SubjectSpec("suite", str(self.path.parent), in_process=here)

    def _info(self, spec: SubjectSpec) -> TargetInfo:
        if spec.kind == "kubernetes":
            return kubernetes_info(spec, self.config)
        return subjects_of(self.config).open(spec, self.config).target.info

    def _items(self, spec: SubjectSpec, info: TargetInfo) -> Iterator[pytest.Item]:
        seen: dict[str, int] = {}
        for kind in info.kinds:
            for operation in kind.operations:
                name = item_name(kind, operation, with_group=False)
                seen[name] = seen.get(name, 0) + 1
        for kind in info.kinds:
            for operation in kind.operations:
                name = item_name(kind, operation, with_group=False)
                if seen[name] > 1:
                    name = item_name(kind, operation, with_group=True)
                yield KindItem.from_parent(
                    self, name=name, spec=spec, kind=kind, operation=operation, allow_incomplete=self._allowed
                )
        subject = "kubernetes" if self._is_kubernetes else info.name
        if any(entry.of(subject) for entry in exceptions_of(self.config).entries):
            yield ExceptionsItem.from_parent(self, name="exceptions", spec=spec)
        if spec.kind == "suite" and (self.path.parent / RATCHET_FILE).is_file():
            yield RulesItem.from_parent(self, name="rules", spec=spec)


def item_name(kind: KindInfo, operation: Operation, *, with_group: bool) -> str:
    """Return the name of an item: resource, subresource, version, operation; with the group when it is ambiguous."""
    resource = f"{kind.resource}.{kind.group or 'core'}" if with_group else kind.resource
    own = kind.api_version.rpartition("/")[2]
    # The scale subresource may have several API versions of its own, so these are part of the name.
    foreign = "" if not kind.subresource or own == kind.version or not with_group else own
    return "-".join(part for part in (resource, kind.subresource, foreign, kind.version, str(operation)) if part)


def kubernetes_info(spec: SubjectSpec, config: pytest.Config) -> TargetInfo:
    """Return the description of a release: the cached one beside its worker, else that of the worker itself.

    Raises: TargetError when there is neither a worker nor a toolchain to build it.
    """
    worker = worker_for(find_release(spec.location), lambda text: note(config, text))
    gates = hashlib.sha256(repr(sorted(spec.gates.items())).encode()).hexdigest()[:8]
    cached = worker.with_name(f"info-{gates}.json")
    with suppress(OSError, msgspec.MsgspecError):
        if cached.stat().st_mtime >= worker.stat().st_mtime:
            return msgspec.json.decode(cached.read_bytes(), type=TargetInfo)
    info = subjects_of(config).open(spec, config).target.info
    with suppress(OSError):
        write_atomically(cached, msgspec.json.encode(info))
    return info


def _reason_unavailable(reason: str, release: str) -> str:
    return (
        f"{reason}\n  to run it: pip install 'equivalence-harness[kubernetes]' installs a Go toolchain, "
        f"then harness kinds --kubernetes {shlex.quote(release)} builds the worker once"
    )


def _reason_not_requested(spec: SubjectSpec) -> str:
    return (
        "testing a Kubernetes release takes minutes and gigabytes, so it is opt-in\n"
        f"  to run it: add --kubernetes {shlex.quote(str(spec.location))}"
    )
