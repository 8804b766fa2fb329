"""Formats of strings. Source: apimachinery pkg/api/validate/strfmt.go (2026-07); semantics.md#5.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from harness import content
from harness.case import Operation
from harness.content.names import Messages, byte_length
from harness.field import ErrorType, FieldError, Path, quote
from harness.field.make import too_long
from harness.tags.boundary import RuleMutation
from harness.tags.families.limits import a_string
from harness.tags.grammar import Tag
from harness.tags.rules import Check, CheckFunction, Contribution, Show
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    ReleaseChange,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    contribute_call,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm

_INVALID = ErrorType.INVALID
Renderer = Callable[[Any], str]


def _invalid(path: Path, value: str, detail: str, origin: str) -> FieldError:
    return FieldError(ErrorType.INVALID, str(path), detail, f"format={origin}", value=value)


def _predicate_check(predicate: Callable[[str], Messages], name: str) -> CheckFunction:
    """Make the check of a format with one predicate. `show` prints values of named string types (semantics.md#6.4)."""

    origin = f"format={name}"

    def check(op: Operation, path: Path, new: str | None, old: str | None, show: Renderer = quote) -> list[FieldError]:
        if new is None or not (messages := predicate(new)):
            return []
        where, value = str(path), show(new)
        return [FieldError(_INVALID, where, message, origin, value=value) for message in messages]

    check.__name__ = "format_" + name.removeprefix("k8s-").replace("-", "_")
    check.__doc__ = f"Reject a string that is not a {name}. None is accepted. Origin `format={name}`."
    return check


def format_resource_pool_name(op: Operation, path: Path, new: str | None, old: str | None) -> list[FieldError]:
    """Reject a string that is not a list of subdomains separated by slashes, of at most 253 bytes."""
    if new is None:
        return []
    name = "k8s-resource-pool-name"
    errors = [too_long(path, 253, origin=f"format={name}")] if byte_length(new) > 253 else []
    for index, part in enumerate(new.split("/")):
        if not part:
            errors.append(_invalid(path, quote(new), f"segment {index}: must not be empty", name))
        else:
            errors += [_invalid(path, quote(part), f"segment {index}: {m}", name) for m in content.long_name(part)]
    return errors


def format_resource_fully_qualified_name(
    op: Operation, path: Path, new: str | None, old: str | None
) -> list[FieldError]:
    """Reject a string that is not a domain, a slash and a C identifier. Two slashes are accepted (semantics.md#S37)."""
    if new is None:
        return []
    name = "k8s-resource-fully-qualified-name"
    errors: list[FieldError] = []
    parts = new.split("/")
    if len(parts) == 1:
        errors += _identifier(path, new, name)
        errors.append(
            _invalid(path, quote(new), "a fully qualified name must be a domain and a name separated by a slash", name)
        )
    elif len(parts) == 2:
        errors += _prefix(path, parts[0], name)
        if parts[1]:
            errors += _identifier(path, parts[1], name)
        else:
            errors.append(_invalid(path, '""', "name must not be empty", name))
    return errors


def _prefix(path: Path, prefix: str, name: str) -> list[FieldError]:
    if not prefix:
        return [_invalid(path, '""', "prefix must not be empty", name)]
    errors = [too_long(path, 63, origin=f"format={name}")] if byte_length(prefix) > 63 else []
    return errors + [_invalid(path, quote(prefix), f"prefix: {m}", name) for m in content.long_name(prefix)]


def _identifier(path: Path, text: str, name: str) -> list[FieldError]:
    errors = [too_long(path, 32, origin=f"format={name}")] if byte_length(text) > 32 else []
    return errors + [_invalid(path, quote(text), m, name) for m in content.c_identifier(text)]


def _extended_resource(text: str) -> Messages:
    messages: list[str] = []
    if "/" not in text:
        messages.append("a name must be a domain-prefixed path, such as 'example.com/my-prop'")
    elif "kubernetes.io/" in text:
        messages.append('must not have "kubernetes.io/" domain')
    if text.startswith("requests."):
        messages.append('must not have "requests." prefix')
    return [*messages, *content.label_key(f"requests.{text}")]


format_short_name = _predicate_check(content.short_name, "k8s-short-name")
format_long_name = _predicate_check(content.long_name, "k8s-long-name")
format_long_name_caseless = _predicate_check(content.long_name_caseless, "k8s-long-name-caseless")
format_label_key = _predicate_check(content.label_key, "k8s-label-key")
format_label_value = _predicate_check(content.label_value, "k8s-label-value")
format_prefixed_label_key = _predicate_check(content.prefixed_label_key, "k8s-prefixed-label-key")
format_path_segment_name = _predicate_check(content.path_segment_name, "k8s-path-segment-name")
format_uuid = _predicate_check(content.uuid, "k8s-uuid")
format_extended_resource_name = _predicate_check(_extended_resource, "k8s-extended-resource-name")

_NAMED: dict[str, CheckFunction] = {
    "k8s-short-name": format_short_name,
    "k8s-long-name": format_long_name,
    "k8s-long-name-caseless": format_long_name_caseless,
    "k8s-label-key": format_label_key,
    "k8s-label-value": format_label_value,
    "k8s-prefixed-label-key": format_prefixed_label_key,
    "k8s-path-segment-name": format_path_segment_name,
}
# Upstream converts values of these formats to a plain string first, so errors quote them as one.
_PLAIN: dict[str, CheckFunction] = {
    "k8s-uuid": format_uuid,
    "k8s-extended-resource-name": format_extended_resource_name,
    "k8s-resource-pool-name": format_resource_pool_name,
    "k8s-resource-fully-qualified-name": format_resource_fully_qualified_name,
}
FORMATS = tuple(sorted(_NAMED | _PLAIN))
PREDICATES: Mapping[CheckFunction, str] = {
    format_short_name: "is_short_name",
    format_long_name: "is_long_name",
    format_label_value: "is_label_value",
    format_uuid: "is_uuid",
}
"""The predicate of `harness.content.names` that is true for exactly the strings that a check accepts, for guards."""
LENGTHS: Mapping[str, tuple[int | None, int | None]] = {
    "k8s-short-name": (1, 63),
    "k8s-long-name": (1, 253),
    "k8s-long-name-caseless": (1, 253),
    "k8s-label-value": (None, 63),
    "k8s-label-key": (1, 317),
    "k8s-prefixed-label-key": (3, 317),
    "k8s-uuid": (36, 36),
    "k8s-resource-pool-name": (1, 253),
    "k8s-extended-resource-name": (3, 308),
}
"""The minimum and maximum bytes of a format. Path segments have no limit; neither have qualified names (a/b/c)."""
_NAMES = {function: name for name, function in (_NAMED | _PLAIN).items()}
_DESCRIPTIONS: dict[str, str] = {
    "k8s-short-name": "a DNS label: lower-case letters, digits and `-`, at most 63 bytes",
    "k8s-long-name": "a DNS subdomain: lower-case letters, digits, `-` and `.`, at most 253 bytes",
    "k8s-long-name-caseless": "a DNS subdomain in any case: letters, digits, `-` and `.`, at most 253 bytes",
    "k8s-label-key": "a label key: a name of at most 63 bytes, after a DNS subdomain and `/` if there is one",
    "k8s-label-value": "a label value: letters, digits, `-`, `_` and `.`, at most 63 bytes; may be empty",
    "k8s-prefixed-label-key": "a label key with prefix: a DNS subdomain, `/`, and a name of at most 63 bytes",
    "k8s-path-segment-name": "one segment of a path: not `.`, not `..`, without `/` and `%`",
    "k8s-uuid": "a lower-case UUID, 8-4-4-4-12",
    "k8s-extended-resource-name": "an extended resource name: domain, `/` and name, outside of `kubernetes.io/`",
    "k8s-resource-pool-name": "a resource pool name: DNS subdomains with `/` between, at most 253 bytes in all",
    "k8s-resource-fully-qualified-name": "a qualified name: DNS subdomain of at most 63 bytes, `/`, and a C identifier "
    "of at most 32 bytes",
}


def _apply(context: TagContext, tag: Tag) -> Contribution:
    assert tag.scalar is not None
    name = tag.scalar.text
    since = context.release.format_since(name)
    if name in FORMATS and since > context.release.minor:
        why = f"{context.release} does not know it: it came with 1.{since}"
        raise TagError(f'unsupported validation format "{name}"', tag, "tag-release", why)
    if name in _PLAIN:
        return contribute_call(tag.name, _PLAIN[name])
    if name not in _NAMED:
        raise TagError(f'unsupported validation format "{name}"', tag, fix="one of: " + ", ".join(FORMATS))
    return contribute_call(tag.name, _NAMED[name], () if context.is_plain else (Show(context.type),))


def probes(name: str) -> Sequence[str]:
    """Return boundary values of a format."""
    return (*_PROBES.get(name, ()), "", "a", "A", "a.b", "a/b", "-a", "a_b", "a" * 63, "a" * 64, "a" * 253, "a" * 254)


_PROBES: dict[str, tuple[str, ...]] = {
    "k8s-uuid": ("123e4567-e89b-12d3-a456-426614174000", "123E4567-e89b-12d3-a456-426614174000"),
    "k8s-label-key": ("example.com/name", "/name", "example.com/", "a/b/c"),
    "k8s-prefixed-label-key": ("example.com/name", "name"),
    "k8s-path-segment-name": (".", "..", "a%b"),
    "k8s-extended-resource-name": ("example.com/gpu", "kubernetes.io/gpu", "requests.example.com/gpu"),
    "k8s-resource-pool-name": ("pool/a", "pool//a", "a/" * 126 + "a", "a/" * 126 + "aa"),
    "k8s-resource-fully-qualified-name": ("example.com/my_name", "/name", "example.com/", "a/b/c", f"a.b/{'a' * 33}"),
}


def _mutations(check: Check) -> Iterator[RuleMutation]:
    own = check.function
    other = format_short_name if own is not format_short_name else format_label_value

    def mistaken(op: Operation, path: Path, new: Any, old: Any, *args: Any) -> Sequence[FieldError]:
        original = own(op, path, new, old, *args)
        found = other(op, path, new, old)
        if bool(original) == bool(found):
            return original
        origin = next((error.origin for error in own(op, path, "\0", None, *args)), "")
        return [msgspec.structs.replace(error, origin=origin) for error in found]

    name = "a short name" if other is format_short_name else "a label value"
    shown_by = "a value that one format allows and the other does not"
    yield RuleMutation(f"take {name} for it", shown_by, check.args, mistaken)


def _is(library: str) -> Callable[[str], str]:
    """Return the writer of a test by the named format of Kubernetes' CEL library."""
    return lambda v: f"!format.{library}().validate({v}).hasValue()"


def _resource_pool(v: str) -> str:
    return f"size({v}) <= 253 && {v}.matches('^{_NAMES_WITH_DOTS}(/{_NAMES_WITH_DOTS})*$')"


def _resource_fully_qualified(v: str) -> str:
    """Write one regular expression, as the server cannot bound what parts of a split text cost."""
    form = f"{v}.indexOf('/') <= 63 && {v}.matches('^{_NAMES_WITH_DOTS}/[A-Za-z_][A-Za-z0-9_]{{0,31}}$')"
    return f"{v}.indexOf('/') != {v}.lastIndexOf('/') || ({form})"


def _extended(v: str) -> str:
    prefixes = f"!{v}.contains('kubernetes.io/') && !{v}.startsWith('requests.')"
    qualified = _is("qualifiedName")(f"'requests.' + {v}")
    return f"{v}.contains('/') && {prefixes} && {qualified}"


_SUBDOMAIN = _is("dns1123Subdomain")
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAMES_WITH_DOTS = f"{_LABEL}([.]{_LABEL})*"
_UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_CEL: Mapping[str, Callable[[str], str]] = {
    "k8s-short-name": _is("dns1123Label"),
    "k8s-long-name": _SUBDOMAIN,
    # Go folds two letters more than ASCII, as the same library does here, and counts bytes.
    "k8s-long-name-caseless": lambda v: f"size(bytes({v})) <= 253 && {v}.matches('(?i)^{_NAMES_WITH_DOTS}$')",
    "k8s-label-key": _is("qualifiedName"),
    "k8s-label-value": _is("labelValue"),
    "k8s-prefixed-label-key": lambda v: f"{v}.contains('/') && {_is('qualifiedName')(v)}",
    "k8s-path-segment-name": lambda v: f"!({v} in ['.', '..']) && !{v}.contains('/') && !{v}.contains('%')",
    "k8s-uuid": lambda v: f"{v}.matches('{_UUID}')",
    "k8s-extended-resource-name": _extended,
    "k8s-resource-pool-name": _resource_pool,
    "k8s-resource-fully-qualified-name": _resource_fully_qualified,
}
"""The test of each format in CEL."""


def _format_rules(check: Check, at: Operand) -> list[CelRule]:
    name = _NAMES[check.function]
    return [CelRule(_CEL[name](at.new), f"must be {_DESCRIPTIONS[name]}")]


def _longest(check: Check) -> int | None:
    return LENGTHS.get(_NAMES[check.function], (None, None))[1]


_OTHER_WORDS = "the words are others, and a value has one error, not one for each part"
_FORMAT_FORM = SchemaForm(_format_rules, longest=_longest, differs=_OTHER_WORDS)

FORMAT = TagSpec(
    name="k8s:format",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Requires a string in a named format: " + ", ".join(FORMATS) + ".",
    note="\n".join(f"- `{name}`: {description}" for name, description in _DESCRIPTIONS.items()),
    describe=lambda check, subject: f"{_DESCRIPTIONS[_NAMES[check.function]]} (`{_NAMES[check.function]}`)",
    invalid_usages=(invalid_usage("string", "=k8s-ip"), invalid_usage("int32", "=k8s-uuid")),
    caveats=(
        "Lengths are in bytes, and one value may give several errors.",
        "Without +k8s:optional in front, the empty string is checked too; only some formats allow it.",
        "A fully qualified resource name with two slashes or more is accepted.",
        "Some formats report a length as TooLong, under the same origin.",
        "Values of a named string type are shown as JSON, with `<` as `\\u003c`; plain strings as Go quotes them.",
        "A level between another wrapper and this tag is lost: the rule is standard.",
    ),
    scopes=VALUE_SCOPES,
    payload=Payload("string", "<format>"),
    requires=(a_string,),
    apply=_apply,
    schema=dict.fromkeys(_NAMES, _FORMAT_FORM),
    emits=(
        Emission(ErrorType.INVALID, "format=", origin_suffix=lambda check: _NAMES[check.function]),
        Emission(
            ErrorType.TOO_LONG,
            "format=",
            declared=False,
            texts=("may not be more than <N> bytes",),
            origin_suffix=lambda check: _NAMES[check.function],
        ),
    ),
    examples=(
        accepts("string", "a-b", "=k8s-short-name"),
        rejects("string", "a.b", "=k8s-short-name"),
        accepts("string", "a.b", "=k8s-long-name"),
        rejects("string", "A.b", "=k8s-long-name"),
        accepts("string", "A.b", "=k8s-long-name-caseless"),
        rejects("string", "A_b", "=k8s-long-name-caseless"),
        accepts("string", "example.com/a_B", "=k8s-label-key"),
        rejects("string", "", "=k8s-label-key", "f", "f"),
        accepts("string", "", "=k8s-label-value"),
        rejects("string", "a b", "=k8s-label-value"),
        rejects("string", "name", "=k8s-prefixed-label-key"),
        accepts("string", "a.b/name", "=k8s-prefixed-label-key"),
        accepts("string", "a:b", "=k8s-path-segment-name"),
        rejects("string", "a/%", "=k8s-path-segment-name", "f", "f"),
        accepts("*string", "123e4567-e89b-12d3-a456-426614174000", "=k8s-uuid"),
        rejects("string", "123E4567-e89b-12d3-a456-426614174000", "=k8s-uuid"),
        accepts("string", "example.com/gpu", "=k8s-extended-resource-name"),
        rejects("string", "kubernetes.io/gpu", "=k8s-extended-resource-name"),
        accepts("string", "pool/a", "=k8s-resource-pool-name"),
        rejects("string", "pool//a", "=k8s-resource-pool-name"),
        rejects("string", "a/" * 126 + "aa", "=k8s-resource-pool-name"),
        accepts("string", "example.com/name", "=k8s-resource-fully-qualified-name"),
        rejects("string", "name", "=k8s-resource-fully-qualified-name"),
        accepts("*string", None, "=k8s-uuid"),
    ),
    declaration="+k8s:<origin>",
    probes=probes,
    mutations=_mutations,
    since=35,
    history=(
        ReleaseChange(36, "Knows k8s-path-segment-name."),
        ReleaseChange(37, "Knows k8s-prefixed-label-key."),
    ),
)

SPECS = (FORMAT,)
