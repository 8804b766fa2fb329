"""What is secret is replaced, and what validators read of it stays."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from harness.stored.redaction import redact

WORD = "hunter2"


def encoded(text: str) -> str:
    """A text in base64."""
    return base64.b64encode(text.encode()).decode()


def decoded(text: str) -> str:
    """A text from base64."""
    return base64.b64decode(text).decode()


def secret(data: Any, **more: Any) -> dict[str, Any]:
    """A Secret."""
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data, **more}


@pytest.mark.parametrize(
    "obj",
    [
        secret({"password": encoded(WORD)}, stringData={"user": WORD}),
        secret({".dockerconfigjson": encoded(json.dumps({"auths": WORD}))}, type="kubernetes.io/dockerconfigjson"),
        secret({"a": WORD, "b": [WORD, {"c": WORD}], "d": 1234}),
        secret(WORD),
        secret({}, metadata={"annotations": {"any.example.com/copy": WORD}}),
        secret({}, metadata={"annotations": WORD}),
        {"kind": "ConfigMap", "data": {"k": WORD}, "binaryData": {"b": encoded(WORD)}},
        {"kind": "Pod", "metadata": {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": WORD}}},
        {"kind": "Pod", "metadata": {"annotations": {"a": json.dumps({"kind": "Secret", "data": WORD})}}},
    ],
)
def test_no_secret_is_left(obj: dict[str, Any]) -> None:
    """Neither as it is, nor in base64; the object that was given stays as it was."""
    before = json.dumps(obj)
    text = json.dumps(redact(obj))
    assert WORD in before or encoded(WORD) in before or encoded(json.dumps({"auths": WORD})) in before
    for part in (WORD, encoded(WORD), encoded(json.dumps({"auths": WORD})), "1234"):
        assert part not in text
    assert before == json.dumps(obj)


def test_keys_and_sizes_stay() -> None:
    """In bytes, as limits count them."""
    found = redact(secret({"tls.crt": encoded(WORD), "empty": ""}, stringData={"u": "üü"}))
    assert {"tls.crt": "x" * len(WORD), "empty": ""} == {key: decoded(one) for key, one in found["data"].items()}
    assert 4 == len(found["stringData"]["u"])


@pytest.mark.parametrize("config", ['{"auths": {}}', "[1, 2]", "null", "3"])
def test_what_has_to_be_json_stays_json_of_its_form(config: str) -> None:
    """And of its size."""
    found = decoded(redact(secret({".dockercfg": encoded(config)}))["data"][".dockercfg"])
    assert (len(config), type(json.loads(config))) == (len(found), type(json.loads(found)))


@pytest.mark.parametrize("config", ["{auths", ""])
def test_what_is_no_json_becomes_none(config: str) -> None:
    """It is rejected as before."""
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(decoded(redact(secret({".dockercfg": encoded(config)}))["data"][".dockercfg"]))


def test_what_is_no_base64_stays_none() -> None:
    """A server cannot decode it, before and after."""
    with pytest.raises(ValueError, match="base64"):
        base64.b64decode(redact(secret({"a": "no base64"}))["data"]["a"], validate=True)


def test_a_changed_value_still_differs() -> None:
    """An immutable Secret is rejected for it, whatever the sizes; an unchanged one is not."""
    old, new = secret({"a": encoded("one"), "b": encoded("two")}), secret({"a": encoded("eno"), "b": encoded("two")})
    now, then = redact(new, old), redact(old)
    assert (True, True) == (now["data"]["a"] != then["data"]["a"], now["data"]["b"] == then["data"]["b"])


def test_what_validation_reads_stays() -> None:
    """The annotation that a token needs, the type, and everything of other objects."""
    annotations = {"kubernetes.io/service-account.name": "builder"}
    obj = secret({}, metadata={"annotations": annotations}, type="kubernetes.io/service-account-token")
    assert obj == redact(obj)
    pod = {"kind": "Pod", "metadata": {"annotations": {"a": "b"}}, "spec": {"hostname": "h"}}
    assert pod is redact(pod)
