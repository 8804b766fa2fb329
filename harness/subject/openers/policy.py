"""Admission policies, against other ones or against handwritten code: which requests a cluster denies with either.

Objects are of the kinds that some policy is about: native kinds of a release, or those of CRDs. The server's own code
decodes, defaults, prepares and validates them; what it accepts is asked of both, as a cluster asks its policies.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from typing import cast

from harness.case import KindInfo, TargetInfo
from harness.diagnostics import Diagnostic, InputError, Position, UsageError
from harness.gotypes.literals import Literals
from harness.subject.admission import Admission, NamedTarget, asked_of
from harness.subject.fileobjects import FileObject
from harness.subject.namedvalidator import CONFIG, open_validator, validator_literals, validator_name
from harness.subject.openers.crd import distinct_names
from harness.subject.policies import left_out, policy_literals, read_policies
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.targetkind import TargetKind
from harness.subject.targetpair import TargetPair
from harness.subject.validating import open_validating
from harness.targets.target import Target


def _open(spec: SubjectSpec, note: Note) -> Subject:
    """Open policies against their counterpart; both are asked behind one server."""
    if spec.against is None and spec.validator is None:
        raise UsageError(
            "policies are compared with what denies requests today, and nothing of that is named\n"
            "  fix: --before DIR, --before REV:DIR, --webhook URL, --function FILE.py:NAME, --validator ./path.Type"
        )
    if spec.against is not None and spec.validator is not None:
        raise UsageError("policies are compared with one thing\n  fix: leave --before out, or the validator")
    if spec.declarative != "target" or spec.types or spec.gates:
        raise UsageError(
            "policies are judged by their own expressions, under the gates of the release\n"
            "  fix: leave --declarative, --types and --gates out"
        )
    after = read_policies(spec.location)
    before = None if spec.against is None else read_policies(spec.against)
    for sentence in left_out(after):
        note(sentence)
    server, universe, own = open_validating(spec, note)
    with ExitStack() as opened:
        opened.callback(server.close)
        target = _admission(spec, server, after, before, note)
        opened.pop_all()
    said = policy_literals([after, before or []])
    if spec.validator is not None:
        said = said.beside(validator_literals(spec.validator))

    @cache
    def literals_of(group: str, version: str, resource: str, subresource: str) -> Literals:
        info = next(one for one in target.info.kinds if one.key == (group, version, resource, subresource))
        return said.beside(own(info))

    def literals(info: KindInfo) -> Literals:
        return literals_of(*info.key)

    servers = target.pair.servers
    title = f"{servers.after} against {servers.before}"
    return Subject(spec, title, cast(Target, target), universe, None, literals, comparison=servers)


def _admission(
    spec: SubjectSpec, server: Target, after: Sequence[FileObject], before: Sequence[FileObject] | None, note: Note
) -> Admission:
    """Put policies and their counterpart behind a server. Raises: InputError, TargetError, UsageError."""
    kinds = [kind for kind in server.info.kinds if kind.served and not kind.subresource]
    names = distinct_names(spec.location, spec.against or spec.location)
    with ExitStack() as opened:
        first = _policies(spec, after, kinds, names[0], note)
        opened.callback(first.close)
        ours = first.info.kinds
        if not ours:
            raise UsageError(_no_kind(spec, server.info))
        if before is not None:
            second = _policies(spec, before, kinds, names[1], note)
            theirs = second.info.kinds
        else:
            assert spec.validator is not None
            about = {kind.key for kind in ours}
            whole = [kind for kind in kinds if kind.key in about]
            named = spec.validator.startswith(CONFIG)  # a configuration says what each webhook is about
            second = open_validator(spec.validator, kinds if named else whole, note, spec.branches)
            names = names[0], validator_name(spec.validator)
            theirs = second.info.kinds if named else tuple(whole)
        opened.callback(second.close)
        asked = asked_of((*ours, *theirs), kinds)
        one, other = NamedTarget(first, names[0], asked), NamedTarget(second, names[1], asked)
        pair = TargetPair(cast(Target, one), cast(Target, other), origins=True, verdicts=True, traces=True)
        admission = Admission(server, pair)
        opened.pop_all()
    return admission


def _policies(
    spec: SubjectSpec, objects: Sequence[FileObject], kinds: Sequence[KindInfo], name: str, note: Note
) -> Target:
    """Start the evaluation of policies. Raises: InputError with each reason why a server refuses one."""
    # Imported here: suites must open fast, and without anything that only a Go worker needs.
    from harness.targets.crd.target import RELEASE, refusals
    from harness.targets.policy.target import PolicyTarget

    threads = max(1, (os.cpu_count() or 1) // (2 * spec.beside)) if spec.beside > 1 else None
    release = spec.release or RELEASE
    documents = [one.document for one in objects]
    target = PolicyTarget(documents, kinds, name, release=release, jobs=threads, note=note)
    problems = [_refused(objects[int(one.resource)], one.field, one.reason, release) for one in refusals(target.info)]
    if problems:
        target.close()
        raise InputError(problems)
    return cast(Target, target)


def _refused(one: FileObject, field: str, reason: str, release: str) -> Diagnostic:
    """Say where a policy or a binding is refused and why."""
    said = ": ".join(part for part in (field, reason) if part)
    message = f"Kubernetes {release} refuses {one.document['kind']} {one.name}: {said}"
    fix = next((fix for words, fix in _FIXES if words in said), _OTHER_FIX)
    position = one.position(field) if field else Position(one.file, one.begin)
    why = "the server that refuses it goes on with the one it has, or denies nothing"
    return Diagnostic(position, "policy-refused", message, why, fix)


_OTHER_FIX = "change it as the message says; kubectl apply says the same"
_FIXES = (
    ("compilation failed", "correct the expression; the caret in the message shows where it stops making sense"),
    ("unknown field", "remove it, or correct its spelling: the server would drop it without a word"),
    ("cannot unmarshal", "write a value of the type that the message names; quotes make a text of a number"),
    ("Unsupported value", "write one of the values that the message names"),
    ("resourceRules: Required", "name what the policy is about: apiGroups, apiVersions, operations and resources"),
)
"""By words of a reason, the first that fit. Source: pkg/apis/admissionregistration of k8s.io/kubernetes (2026-11)."""


def _no_kind(spec: SubjectSpec, info: TargetInfo) -> str:
    served = ", ".join(sorted({kind.name for kind in info.kinds})[:4])
    place = f"the CRDs of {spec.crds} define" if spec.crds is not None else f"{info.name} serves"
    return (
        f"no policy of {spec.location} is asked about a create or an update of anything that {place}\n"
        f"  why: matchConstraints and matchResources of bindings decide; there are {served}, ...\n"
        "  fix: correct resourceRules, or name the CRDs that define its kinds with --crd DIR"
    )


POLICY = TargetKind(
    "policy", _open, lambda spec: None, metavar="DIR|FILE|REV:DIR",
    help="Validating admission policies, evaluated by the code of the API server.", runs_code=lambda location: False,
    open_pair=_open,
)  # fmt: skip
