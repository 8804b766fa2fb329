"""Guess the format of a field by its Go type, its struct and its name.

Only a hint: values of the format are tried first, then those of the plain kind, so that no value is excluded.
"""

from __future__ import annotations

import re
from functools import lru_cache

_BY_TYPE = {
    "pkg/types.UID": "uid",
    "pkg/types.NodeName": "dns-subdomain",
    "core/v1.ResourceName": "resource-name",
    "core/v1.FinalizerName": "finalizer",
    "core/v1.Capability": "capability",
}
"""By the last two parts of the qualified name of a Go type whose values are strings."""

_BY_MEMBER = {
    "CELDeviceSelector.expression": "device-expression",
    "JSONPatch.expression": "patch-expression",
    "ApplyConfiguration.expression": "apply-expression",
    "Validation.messageExpression": "string-expression",
    "AuditAnnotation.valueExpression": "string-expression",
    "AuditAnnotation.key": "dns-label",
    "ObjectFieldSelector.fieldPath": "downward-path",
    "ResourceFieldSelector.resource": "container-resource",
    "NetworkDeviceData.ips": "interface-address",
    "DeviceAttribute.version": "semver",
    "Sysctl.name": "sysctl",
    "Event.type": "event-type",
    "EnvVar.name": "env-name",
    "HTTPIngressPath.path": "http-path",
    "KeyToPath.path": "relative-path",
    "DownwardAPIVolumeFile.path": "relative-path",
    "KeyToPath.key": "config-key",
    "ConfigMapKeySelector.key": "config-key",
    "SecretKeySelector.key": "config-key",
    "LabelSelectorRequirement.key": "label-key",
    "LabelSelectorRequirement.values": "label-value",
    "NodeSelectorRequirement.key": "node-key",
    "NodeSelectorRequirement.values": "label-value",
    "Taint.key": "label-key",
    "Taint.value": "label-value",
    "Toleration.key": "label-key",
    "Toleration.value": "label-value",
    "ValidatingWebhook.name": "domain",
    "MutatingWebhook.name": "domain",
    "ServicePort.nodePort": "node-port",
    "IngressRule.host": "host",
    "IngressTLS.hosts": "host",
    "IngressClassSpec.controller": "label-key",
    "Condition.type": "label-key",
    "PodCertificateRequestSpec.stubPKCS10Request": "raw-request",
}
"""By the struct and the JSON name, for names that have other formats in other structs."""

_BY_NAME: tuple[tuple[re.Pattern[str], frozenset[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(kinds.split()), content)
    for pattern, kinds, content in (
        (
            r"^(?:ca ?bundle|trust ?bundle|certificates?|certificate ?chain|.*ca ?cert.*)$",
            "string bytes",
            "certificate",
        ),
        (r"^(?:request|.*pkcs10.*)$", "string bytes", "certificate-request"),
        (r"^pkix ?public ?key$|^public ?key$", "bytes", "public-key"),
        (r"^proof ?of ?possession$", "bytes", "proof"),
        (r"signer ?name", "string", "signer"),
        (r"expressions?$|^(?:cel|rule)$", "string", "expression"),
        (r"^schedule$", "string", "schedule"),
        (r"^time ?zone$", "string", "time-zone"),
        (r"json ?path$|replicas ?path$|^field ?path$|label ?selector ?path$", "string", "json-path"),
        (r"labels$|selector$", "key", "label-key"),
        (r"labels$|selector$", "value", "label-value"),
        (r"annotations$", "key", "annotation-key"),
        (r"^(?:string ?data|binary ?data|data)$", "key", "config-key"),
        (r"(?:selector|^query)$", "string", "selector"),
        (r"^(?:patch|json ?patch)$", "string", "json-patch"),
        (r"^image$", "string", "image"),
        (r"cidrs?$|^(?:.*source ?ranges|except)$", "string", "cidr"),
        (r"\bips?$|^(?:address(?:es)?|nameservers)$", "string", "ip"),
        (r"mac$|hardware ?address", "string", "mac"),
        (r"uid$", "string", "uid"),
        (r"^ur[il]$|url$|^(?:server|endpoint|issuer)$", "string", "url"),
        (r"sub ?path(?: ?expr)?$|localhost ?profile$", "string", "relative-path"),
        (r"^non ?resource ?urls$", "string", "http-path"),
        (r"path$|^(?:target|device) ?path|dir(?:ectory)?$", "string", "path"),
        (r"^finalizers$", "string", "finalizer"),
        (r"^api ?version$", "string", "api-version"),
        (r"groups?$", "string", "group"),
        (r"versions?$", "string", "version"),
        (r"resources?$|^(?:plural|singular)$", "string", "resource"),
        (r"^verbs?$", "string", "verb"),
        (r"^(?:user(?:name)?|subject)$", "string", "user"),
        (r"^kind$", "string", "go-kind"),
        (r"^protocol$", "string", "protocol"),
        (r"^port ?name$", "string", "port-name"),
        (r"^reason$", "string", "reason"),
        (r"^(?:topology ?keys?|.*label ?keys?)$", "string", "label-key"),
        (r"^(?:iqn|initiator ?name)$", "string", "iqn"),
        (r"portals?$", "string", "portal"),
        (r"^(?:attributes|capacity|qualified ?name)$", "key", "qualified-name"),
        (r"^pool$", "string", "pool-name"),
        (r"(?:driver|provisioner|attacher)$", "string", "domain"),
        (r"(?:domain|host(?:name)?|service ?name|^searches)$", "string", "dns-subdomain"),
        (r"name(?:space)?s?$", "string", "dns-label"),
        (r"ports?$", "int int-or-string", "port"),
        (r"^(?:run ?as|fs|supplemental).*|.*(?:uid|gid|user|group)s?$", "int", "user-id"),
        (r"mode$", "int", "mode"),
        (r"(?:seconds|milliseconds|period|timeout)$", "int", "seconds"),
        (r"(?:weight|priority|percent)$", "int", "weight"),
        (r"(?:replicas|limit|count|completions|parallelism|generation)$", "int", "count"),
        (r"^code$", "int", "code"),
        (r"^(?:max|min)(?:surge|(?:un)?available|.*)$", "int-or-string", "percent"),
    )
)
"""By the words of a field's name; the first match is used. `key` is the kind of a map's keys, `value` that of strings
in a map."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=16384)
def format_of(kind: str, name: str = "", type: str = "", owner: str = "") -> str:
    """Return the presumed format of a field, empty when there is none.

    `kind` is that of its shape (string, int, bytes, quantity, ...; `key` and `value` in maps), `name` its JSON
    name, `type` its qualified Go type, `owner` the bare name of its struct.
    """
    known = _BY_TYPE.get("/".join(type.split("/")[-2:])) if kind in ("string", "key", "value") else None
    known = known or (_BY_MEMBER.get(f"{owner}.{name}") if kind not in ("key", "value") else None)
    if known is not None:
        return known
    spaced = _HUMP.sub(" ", name)
    return next((format for pattern, kinds, format in _BY_NAME if kind in kinds and pattern.search(spaced)), "")
