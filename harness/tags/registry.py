"""Looks up tags, checks their scope, arguments and payload, and makes the contributions of a comment.

All errors of a comment are reported, not only the first. Source: semantics.md#1.2, #1.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.field.facts import RuleFacts
from harness.gotypes.model import Comments
from harness.tags import proposed
from harness.tags.control import CONTROL_TAGS, IS_SUBRESOURCE, SUPPORTS_SUBRESOURCE
from harness.tags.custom_kubernetes import CUSTOM_FORMS
from harness.tags.families import FAMILIES, mode
from harness.tags.grammar import NOWHERE, Scalar, Tag, TagLine, parse_line, tag_lines
from harness.tags.proposed import fieldlimits
from harness.tags.proposed import grammar as kep4153
from harness.tags.release import PROPOSED, Release
from harness.tags.rules import CheckFunction, Contribution, Deferred, Rule
from harness.tags.spec import TagContext, TagError, TagSpec
from harness.tags.translation import SchemaForm

SPECS: dict[str, TagSpec] = {spec.name: spec for family in FAMILIES for spec in family.SPECS}

SUBRESOURCE_TAGS = (IS_SUBRESOURCE.name, SUPPORTS_SUBRESOURCE.name)
_OTHERS = {"k8s:deprecated", "k8s:conversion-fn", "k8s:openapi-model-package", *(tag.name for tag in CONTROL_TAGS)}
OLDER_NAMES = {
    "k8s:ifOptionEnabled": "k8s:ifEnabled",
    "k8s:ifOptionDisabled": "k8s:ifDisabled",
    "k8s:discriminator": "k8s:modeDiscriminator",
    "k8s:member": "k8s:ifMode",
}


OLDER_SPECS: dict[str, TagSpec] = {spec.name: spec for spec in mode.OLDER_SPECS}
"""Tags that only an earlier release knows."""

PROPOSED_SPECS: dict[str, TagSpec] = {spec.name: spec for family in proposed.FAMILIES for spec in family.SPECS}
"""Tags that enhancement proposals describe and no release has."""

ALL_SPECS = SPECS | OLDER_SPECS | PROPOSED_SPECS


def specs_of(release: Release) -> dict[str, TagSpec]:
    """Return the tags that a release knows, by name."""
    known = {name: spec for name, spec in ALL_SPECS.items() if spec.known_in(release.minor)}
    return known | PROPOSED_SPECS | {spec.name: spec for spec in fieldlimits.EXTENDED} if release.proposed else known


SCHEMA_FORMS: Mapping[CheckFunction, SchemaForm] = {
    **{function: form for spec in ALL_SPECS.values() for function, form in spec.schema.items()},
    **CUSTOM_FORMS,
}
"""How each check function is written in OpenAPI and CEL; those without an entry cannot be."""


def rule_facts() -> RuleFacts:
    """Return the facts about all tags, for code that sees errors but no rules."""
    return _facts_of(tuple(ALL_SPECS))


@lru_cache(maxsize=4)
def _facts_of(names: tuple[str, ...]) -> RuleFacts:
    return RuleFacts(fact for name in names for fact in ALL_SPECS[name].facts())


def is_foreign(name: str) -> bool:
    """Whether a name belongs to another generator, so that it is not reported as unknown."""
    return not name.startswith("k8s:") or name in _OTHERS or "-gen" in name


class Reader:
    """Reads the tags of comments, and collects their errors."""

    def __init__(self, release: Release | None = None) -> None:
        self._release = release or Release()
        self._specs = specs_of(self._release)
        self._errors: dict[tuple[Position, str, str], Diagnostic] = {}
        self._warnings: dict[tuple[Position, str, str], Diagnostic] = {}

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The errors that make the types unusable, by position."""
        return tuple(sorted(self._errors.values(), key=lambda d: d.position))

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Tags that are ignored, as upstream does, and are probably mistakes."""
        return tuple(sorted(self._warnings.values(), key=lambda d: d.position))

    def report(self, diagnostic: Diagnostic) -> None:
        """Add an error that makes the types unusable, once."""
        self._errors.setdefault((diagnostic.position, diagnostic.code, diagnostic.message), diagnostic)

    def report_tag(self, error: TagError) -> None:
        """Add the error of an invalid tag."""
        self.report(diagnostic_of(error))

    def contributions_of(self, context: TagContext, comments: Comments) -> Contribution:
        """Return the contributions of the tags of a comment, in the order of their names (semantics.md#3.2)."""
        total = Contribution()
        for tag in self.tags_of(comments):
            try:
                got = self.expand(context, tag)
            except TagError as error:
                self.report_tag(error)
            else:
                total.add(got if self._release.defers else self._resolve_at_once(got))
        if not self._release.defers:
            total.deferred.sort(key=lambda deferred: deferred.group)
        return total

    def _resolve_at_once(self, got: Contribution) -> Contribution:
        """Run a tag's deferred work with its rules. Before 1.37 only groups were deferred until all tags were read."""
        now = [deferred for deferred in got.deferred if not deferred.group]
        groups = [deferred for deferred in got.deferred if deferred.group]
        rules = got.rules

        def run() -> Contribution:
            done = self.resolve(now, groups=False)
            return replace(done, rules=[*rules, *done.rules])

        return replace(got, rules=[], deferred=[Deferred(run), *groups])

    def tags_of(self, comments: Comments) -> list[Tag]:
        """Parse the registered tags of a block, sorted by name; equal names keep their order."""
        tags = []
        for line in tag_lines(comments):
            if line.name not in self._specs:
                self._note_unknown(line)
                continue
            try:
                tags.append(parse_line(line, kep4153.parse if line.name in kep4153.NAMES else None))
            except InputError as error:
                for diagnostic in error.diagnostics:
                    self.report(diagnostic)
        return sorted(tags, key=lambda tag: (tag.name in self._release.second_pass_tags, tag.name))

    def resolve(self, deferred: Iterable[Deferred], groups: bool = True) -> Contribution:
        """Run deferred work in rounds, each piece on its own, so that one bad tag does not hide another.

        Without `groups`, the work that merges several tags stays deferred, because the other tags are not read yet.
        """
        total, waiting = Contribution(), list(deferred)
        while waiting:
            results = [got for one in waiting if (got := self._run(one)) is not None]
            later = [one for got in results for one in got.deferred]
            waiting = [one for one in later if groups or not one.group]
            total.deferred += [one for one in later if not groups and one.group]
            for got in results:
                total.add(replace(got, deferred=[]))
        return total

    def _run(self, deferred: Deferred) -> Contribution | None:
        try:
            return deferred.run()
        except TagError as error:
            self.report_tag(error)
            return None

    def expand(self, context: TagContext, tag: Tag) -> Contribution:
        """Check one tag against its declaration and return its contribution. Raises: TagError."""
        spec = self._specs.get(tag.name)
        if spec is None and (other := ALL_SPECS.get(tag.name)) is not None:
            message, fix = self._wrong_release(other)
            why = "that release's generator crashes on a tag it does not know under another one"
            raise TagError(message, tag, "tag-release", why, fix)
        if spec is None:
            raise TagError(
                "there is no such tag", tag, "unknown-tag",
                why="upstream's generator crashes on an unknown tag under another one", fix=suggestion(tag.name),
            )  # fmt: skip
        if len(context.inside) > 20:
            raise TagError("tags are nested too deeply", tag, "tag-nesting")
        if context.scope not in spec.scopes:
            allowed = ", ".join(sorted(scope.value for scope in spec.scopes))
            raise TagError(
                f"cannot be specified on {context.scope.value}", tag, "tag-scope", why=f"it belongs on {allowed}"
            )
        if not spec.supported:
            raise TagError("is known but not supported here", tag, "tag-not-supported", why=spec.note)
        check_arguments(spec, tag)
        check_payload(spec, tag)
        return spec.contribution(context, tag).wrapped(lambda rule: _placed(rule, tag.position))

    def _wrong_release(self, spec: TagSpec) -> tuple[str, str]:
        """Return the message and the fix for a tag of another release."""
        if spec.proposal:
            words = f"{self._release} has no +{spec.name}: {spec.proposal} proposes it, and no release has it"
            return words, f"leave it out, or read the types with --release {PROPOSED}"
        if self._release.minor < spec.since:
            words = f"{self._release} has no +{spec.name}: it came with 1.{spec.since}"
            return words, f"leave it out, or take the rules of 1.{spec.since}"
        words = f"{self._release} has no +{spec.name}: 1.{spec.until} was the last that had it"
        return words, f"+{OLDER_NAMES[spec.name]} came in its place" if spec.name in OLDER_NAMES else "leave it out"

    def _note_unknown(self, line: TagLine) -> None:
        if is_foreign(line.name):
            return
        if (spec := ALL_SPECS.get(line.name)) is not None:
            message, fix = self._wrong_release(spec)
            why = "that release's generator ignores it in silence, so nothing is checked"
            self._warn(line, "tag-release", message, why, fix)
            return
        name = line.name if len(line.name) <= 100 else line.name[:100] + "..."
        message = f"there is no tag +{name}, so nothing is checked"
        why = "upstream ignores unknown names in silence, which turns a typing mistake into a missing rule"
        self._warn(line, "unknown-tag", message, why, suggestion(line.name) or "remove it, or correct the name")

    def _warn(self, line: TagLine, code: str, message: str, why: str, fix: str) -> None:
        source = shown(line.position, line.text)
        diagnostic = Diagnostic(line.position, code, message, why, fix, source, len(line.name) + 1)
        self._warnings.setdefault((diagnostic.position, diagnostic.code, diagnostic.message), diagnostic)


def _placed(rule: Rule, position: Position) -> Rule:
    """Give a rule the position of its tag, unless it has that of a tag within or of a part."""
    return rule if rule.position is not NOWHERE else replace(rule, position=position)


@lru_cache(maxsize=1000)
def suggestion(name: str) -> str:
    """Return a hint with the tag that was probably meant; empty if none is similar."""
    known = OLDER_NAMES.get(name)
    return f"did you mean {known}?" if known else near_miss(name, tuple(SPECS))


def check_arguments(spec: TagSpec, tag: Tag) -> None:
    """Check the arguments in parentheses. Raises: TagError."""
    for declared in spec.args:
        value = tag.arg(declared.name)
        if value is None and declared.required:
            what = f'named argument "{declared.name}"' if declared.name else "positional argument"
            message = f"missing required {what} of type string"
            raise TagError(message, tag, "tag-argument", spec.summary, f"+{usage_of(spec)}")
        if value is not None and value.kind != "string":
            message = f'argument "{value.text}" has wrong type: got {value.kind}, want string'
            raise TagError(message, tag, "tag-argument", spec.summary, f'quote it: "{value.text}"')
    known = {declared.name for declared in spec.args}
    for arg in tag.args:
        if arg.name not in known and not spec.any_args:
            message = f'unrecognized named argument "{arg.name or arg.value.text}"'
            raise TagError(message, tag, "tag-argument", spec.summary, f"+{usage_of(spec)}")


def check_payload(spec: TagSpec, tag: Tag) -> None:
    """Check the payload, the text after `=`. Raises: TagError."""
    wanted = spec.payload.kind if spec.payload else ""
    if tag.value is None:
        if spec.payload is not None and spec.payload.required:
            message = f"missing required tag value of type {wanted}"
            raise TagError(message, tag, "tag-payload", spec.summary, f"+{usage_of(spec)}")
        return
    got = tag.value.kind if isinstance(tag.value, Scalar) else "tag"
    if wanted != got and not (wanted == "any" and got != "tag"):
        message = f"tag value has wrong type: got {got}, want {wanted}"
        raise TagError(message, tag, "tag-payload", spec.summary, f"+{usage_of(spec)}")


def usage_of(spec: TagSpec) -> str:
    """Return how a tag is written: `k8s:item(<key>: <value>, ...)=+<tag>`."""
    positional = [arg.text for arg in spec.args if not arg.name]
    named = [f"{arg.name}: {arg.text}" for arg in spec.args if arg.name]
    inside = "<key>: <value>, ..." if spec.any_args else ", ".join(positional or named)
    return spec.name + (f"({inside})" if inside else "") + (f"={spec.payload.text}" if spec.payload else "")


def diagnostic_of(error: TagError) -> Diagnostic:
    """Return a tag's error as a diagnostic that points at it."""
    tag = error.tag
    return Diagnostic(
        tag.position, error.code, f"+{tag.name}: {error.message}", error.why, error.fix,
        shown(tag.position, tag.source), tag.width,
    )  # fmt: skip


def shown(position: Position, source: str) -> str:
    """Return the source line of a tag, with its comment marker, if it is known."""
    text = source.strip()
    if len(text) > 200:  # a line that long helps nobody; the position says where
        return ""
    start = position.column - 1
    if source.startswith(" "):
        start = len(source) - len(source.lstrip())
    return " " * max(start - 3, 0) + "// " + text if start >= 3 else text
