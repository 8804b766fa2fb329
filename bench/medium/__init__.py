"""One type as Go types with tags, as a JSON Schema and as pydantic models: the same shape, the same constraints."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TYPES = Path(__file__).with_name("types.go")

_LABEL = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"


# JSON Schema


def _text(most: int) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "maxLength": most}


def _number(least: int, most: int | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer", "minimum": least}
    return schema if most is None else {**schema, "maximum": most}


def _struct(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required.split(), "properties": properties}


_NAME = {"type": "string", "pattern": _LABEL}

SCHEMA = _struct(
    "name namespace owner queue image resources schedule",
    name=_NAME,
    namespace=_NAME,
    owner=_text(63),
    description={"type": "string", "maxLength": 200},
    priority=_number(0, 1000),
    replicas=_number(0, 5000),
    timeoutSeconds=_number(0),
    retries=_number(0, 10),
    queue={"enum": ["Fast", "Slow", "Bulk"]},
    suspended={"type": "boolean"},
    image=_text(120),
    command={"type": "array", "maxItems": 6, "items": {"type": "string", "minLength": 1}},
    workingDir={"type": "string", "maxLength": 100},
    groups={"type": "array", "maxItems": 4, "uniqueItems": True, "items": _number(1)},
    labels={"type": "object", "additionalProperties": {"type": "string", "maxLength": 63}},
    resources=_struct(
        "cpu memory disk gpu", cpu=_number(1, 64000), memory=_number(1), disk=_number(0), gpu=_number(0, 8)
    ),
    schedule=_struct("minute hour", minute=_number(0, 59), hour=_number(0, 23)),
    ports={
        "type": "array",
        "maxItems": 8,
        "items": _struct("name port protocol", name=_NAME, port=_number(1, 65535), protocol={"enum": ["TCP", "UDP"]}),
    },
    env={
        "type": "array",
        "maxItems": 16,
        "items": _struct("name", name=_text(63), value={"type": "string", "maxLength": 200}),
    },
)


# pydantic: strict, so that it converts nothing, as neither of the others does. It has no lists without duplicates.

_Name = Annotated[str, Field(pattern=_LABEL)]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True)


class Resources(_Model):
    """What a task needs."""

    cpu: int = Field(ge=1, le=64000)
    memory: int = Field(ge=1)
    disk: int = Field(ge=0)
    gpu: int = Field(ge=0, le=8)


class Schedule(_Model):
    """When a task is run."""

    minute: int = Field(ge=0, le=59)
    hour: int = Field(ge=0, le=23)


class Port(_Model):
    """Where a task listens."""

    name: _Name
    port: int = Field(ge=1, le=65535)
    protocol: Literal["TCP", "UDP"]


class Variable(_Model):
    """What a program is given."""

    name: str = Field(min_length=1, max_length=63)
    value: str = Field("", max_length=200)


class Task(_Model):
    """Run once."""

    name: _Name
    namespace: _Name
    owner: str = Field(min_length=1, max_length=63)
    description: str = Field("", max_length=200)
    priority: int | None = Field(None, ge=0, le=1000)
    replicas: int | None = Field(None, ge=0, le=5000)
    timeoutSeconds: int | None = Field(None, ge=0)
    retries: int | None = Field(None, ge=0, le=10)
    queue: Literal["Fast", "Slow", "Bulk"]
    suspended: bool = False
    image: str = Field(min_length=1, max_length=120)
    command: list[Annotated[str, Field(min_length=1)]] = Field([], max_length=6)
    workingDir: str = Field("", max_length=100)
    groups: list[Annotated[int, Field(ge=1)]] = Field([], max_length=4)
    labels: dict[str, Annotated[str, Field(max_length=63)]] = {}
    resources: Resources
    schedule: Schedule
    ports: list[Port] = Field([], max_length=8)
    env: list[Variable] = Field([], max_length=16)


# Objects

VALID: dict[str, Any] = {
    "name": "nightly-report",
    "namespace": "billing",
    "owner": "team-ledger",
    "description": "Adds up what was used during the day",
    "priority": 100,
    "replicas": 3,
    "timeoutSeconds": 600,
    "retries": 2,
    "queue": "Slow",
    "suspended": False,
    "image": "registry.example.com/billing/report:1.4",
    "command": ["report", "--since", "yesterday"],
    "workingDir": "/srv/report",
    "groups": [1000, 2000],
    "labels": {"app": "report", "tier": "batch"},
    "resources": {"cpu": 500, "memory": 1 << 29, "disk": 1 << 30, "gpu": 0},
    "schedule": {"minute": 30, "hour": 2},
    "ports": [
        {"name": "metrics", "port": 9090, "protocol": "TCP"},
        {"name": "health", "port": 8080, "protocol": "TCP"},
    ],
    "env": [{"name": "MODE", "value": "full"}, {"name": "LEVEL", "value": "info"}],
}

INVALID = copy.deepcopy(VALID)
INVALID |= {"name": "Nightly Report", "priority": 2000, "queue": "Never", "image": "i" * 121, "groups": [0]}
INVALID["schedule"]["hour"] = 24
INVALID["ports"][1]["port"] = 70000
INVALID["env"][0]["value"] = "v" * 201

WRONG = frozenset({"name", "priority", "queue", "image", "groups[0]", "schedule.hour", "ports[1].port", "env[0].value"})
"""Where the invalid object is wrong, once each."""
