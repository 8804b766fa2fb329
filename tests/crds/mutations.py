"""Changes of a CRD and of a validator that a comparison with the unchanged one has to notice.

`python -m tests.crds.mutations` tries every one and says which are not noticed; tests try a few.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import click
import yaml

Change: TypeAlias = Callable[[dict[str, Any]], None]

AFTER = Path(__file__).parent / "after" / "backups.yaml"
RULES = "x-kubernetes-validations"
VALIDATOR = '''\
"""What the CEL rules say, as a webhook says it, and ratcheted as they are."""


def validate(new, old):
    spec = new["spec"]
    found = []
    source, was = spec["source"], ((old or {}).get("spec") or {})
    if spec != was and spec.get("retentionDays", 99) < 7 and source["type"] != "Volume":
        found.append(("spec.retentionDays", "buckets are kept for a week at least"))
    for kind, member in (("Volume", "volume"), ("Bucket", "bucket")):
        if source != was.get("source") and (member in source) != (source["type"] == kind):
            found.append(("spec.source", f"{member} must be set for type {kind} and for no other"))
    if "type" in was.get("source", {}) and was["source"]["type"] != source["type"]:
        found.append(("spec.source", "type cannot be changed"))
    return found
'''


class Mutation(NamedTuple):
    """A change of the schema of `Backup`, or of the text of the validator: old, new and the path of what changes.

    `missed` is why it is not noticed.
    """

    name: str
    change: Change | tuple[str, str, str]
    missed: str = ""


def base() -> dict[str, Any]:
    """Return the CRD without a rule that raises, so that nothing is to be said of it."""
    crd: dict[str, Any] = yaml.safe_load(AFTER.read_text(encoding="utf-8"))
    del schema(crd, "spec")[RULES][1]
    schema(crd, "spec.source")[RULES][2]["rule"] = "!has(oldSelf.type) || self.type == oldSelf.type"
    return crd


def schema(crd: dict[str, Any], path: str) -> Any:
    """Return the schema of a path; `[*]` is its items or values."""
    found = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for step in path.split("."):
        name, *items = step.split("[*]")
        found = found["properties"][name]
        for _ in items:
            found = found["items"] if "items" in found else found["additionalProperties"]
    return found


def put(path: str, keyword: str, value: Any) -> Change:
    """Set a keyword, or drop it with None."""

    def change(crd: dict[str, Any]) -> None:
        found = schema(crd, path)
        if value is None:
            del found[keyword]
        else:
            found[keyword] = value

    return change


def drop_member(path: str, name: str) -> Change:
    """Drop a member of a struct."""
    return lambda crd: schema(crd, path)["properties"].pop(name) and None


def put_rule(path: str, number: int, **changes: Any) -> Change:
    """Change members of a CEL rule, drop those that are None, or without changes drop the rule."""

    def change(crd: dict[str, Any]) -> None:
        if not changes:
            del schema(crd, path)[RULES][number]
            return
        rule = schema(crd, path)[RULES][number] | changes
        schema(crd, path)[RULES][number] = {key: value for key, value in rule.items() if value is not None}

    return change


def put_spec(change: Callable[[dict[str, Any]], Any]) -> Change:
    """Change the spec of the CRD itself."""
    return lambda crd: change(crd["spec"]) and None


NAME = "^[a-z]([-a-z0-9]*[a-z0-9])?$"
SOURCE, DAYS, COPIES = "spec.source", "spec.retentionDays", "spec.copies"
MUTATIONS = (
    Mutation("longer text", put("spec.schedule", "maxLength", 101)),
    Mutation("shorter text", put("spec.schedule", "maxLength", 99)),
    Mutation("empty text", put("spec.source.volume.claimName", "minLength", 0)),
    Mutation("higher minimum", put("spec.copies", "minimum", 1)),
    Mutation("higher maximum", put("spec.retentionDays", "maximum", 367)),
    Mutation("no maximum", put("spec.retentionDays", "maximum", None)),
    Mutation("exclusive maximum", put("spec.retentionDays", "exclusiveMaximum", True)),
    Mutation("a factor", put("spec.retentionDays", "multipleOf", 2)),
    Mutation("capitals in a pattern", put("spec.hooks[*].name", "pattern", NAME.replace("^[a-z]", "^[a-zA-Z]"))),
    Mutation("an open pattern", put("spec.hooks[*].name", "pattern", NAME.rstrip("$"))),
    Mutation("no pattern of a quantity", put("spec.size", "pattern", None)),
    Mutation("one more constant", put("spec.source.type", "enum", ["Volume", "Bucket", "Snapshot"])),
    Mutation("one constant less", put("status.phase", "enum", ["Pending", "Running"])),
    Mutation("no longer required", put("spec", "required", ["source"])),
    Mutation("newly required", put("spec", "required", ["schedule", "source", "retentionDays"])),
    Mutation("a rule dropped", put_rule("spec.source", 0)),
    Mutation("another operator", put_rule(
        "spec", 0, rule="!has(self.retentionDays) || self.retentionDays > 7 || self.source.type == 'Volume'")),
    Mutation("another number", put_rule(
        "spec", 0, rule="!has(self.retentionDays) || self.retentionDays >= 8 || self.source.type == 'Volume'")),
    Mutation("and for or", put_rule(
        "spec", 0, rule="!has(self.retentionDays) || self.retentionDays >= 7 && self.source.type == 'Volume'")),
    Mutation("no guard", put_rule("spec", 0, rule="self.retentionDays >= 7 || self.source.type == 'Volume'")),
    Mutation("another message", put_rule("spec.source", 1, message="bucket and type must agree")),
    Mutation("another reason", put_rule("spec.source", 1, reason="FieldValueForbidden")),
    Mutation("no path", put_rule("spec", 0, fieldPath=None)),
    Mutation("a transition rule dropped", put_rule("spec.source", 2)),
    Mutation("a transition in one direction", put_rule(
        "spec.source", 2, rule="!has(oldSelf.type) || oldSelf.type == 'Bucket' || self.type == oldSelf.type")),
    Mutation("a set without a type", put("spec.excludes", "x-kubernetes-list-type", "atomic")),
    Mutation("one more item", put("spec.excludes", "maxItems", 9)),
    Mutation("one item less, inside", put("spec.hooks[*].command", "maxItems", 15)),
    Mutation("one entry less", put("spec.labels", "maxProperties", 7)),
    Mutation("shorter values", put("spec.labels[*]", "maxLength", 62)),
    Mutation("another default", put("spec.source.bucket.region", "default", "eu-2"),
             "objects differ, and verdicts only where ratcheting compares the default with an old value"),
    Mutation("unknown fields are dropped", put("spec.driver", "x-kubernetes-preserve-unknown-fields", None)),
    Mutation("a field dropped", drop_member("spec.source.bucket", "region")),
    Mutation("null allowed", put("spec.retentionDays", "nullable", True),
             "null is dropped or kept, and no verdict: nothing requires the field"),
    Mutation("no format", put("spec.source.bucket.url", "format", None)),
    Mutation("another type", put("spec.source.volume.path", "type", "integer")),
    # of the validator, each with the path of its errors
    Mutation("a check forgotten", ('("Volume", "volume"), ("Bucket", "bucket")', '("Volume", "volume"),', SOURCE)),
    Mutation("one day less", ("< 7", "< 6", DAYS)),
    Mutation("one day more", ("< 7", "<= 7", DAYS)),
    Mutation("another kind", ('["type"] != "Volume"', '["type"] == "Volume"', DAYS)),
    Mutation("only on create", ("if spec != was and", "if old is None and", DAYS)),
    Mutation("changes are allowed", ('if "type" in was', 'if False and "type" in was', SOURCE)),
    Mutation("another path", ('("spec.source", "type', '("spec.source.type", "type', f"{SOURCE}.type")),
    Mutation("a check without a guard", ('if "type" in was', 'if was and "type" not in was', SOURCE)),
    Mutation("a check more", ("found = []", 'found = [("spec.copies", "")] * (spec.get("copies") == 3)', COPIES)),
)  # fmt: skip


UNCHANGED = Mutation("unchanged", ("return found", "return found", ""))


def is_noticed(mutation: Mutation, folder: Path, cases: int) -> bool:
    """Whether a comparison notices a mutation: by a difference; of a validator by another than the unchanged one has.

    An unchanged validator has some: rules are asked about stored objects that no validator would let pass.
    """
    found = run(mutation, folder, cases)
    if not isinstance(mutation.change, tuple):
        return bool(found)
    path = mutation.change[2]
    return {one for one in found ^ run(UNCHANGED, folder, cases) if one[-1] == path} != set()


def run(mutation: Mutation, folder: Path, cases: int) -> set[tuple[str, ...]]:
    """Compare with a mutation; return severity, cause, operation and path of each difference."""
    changed, text = copy.deepcopy(base()), VALIDATOR
    if isinstance(mutation.change, tuple):
        old, new, _ = mutation.change
        assert old in text, mutation.name
        text = text.replace(old, new)
    else:
        mutation.change(changed)
        assert changed != base(), mutation.name
    (folder / "base.yaml").write_text(yaml.safe_dump(base()), encoding="utf-8")
    (folder / "changed.yaml").write_text(yaml.safe_dump(changed), encoding="utf-8")
    (folder / "checks.py").write_text(text, encoding="utf-8")
    against: tuple[str, ...] = ("--before", "base.yaml")
    if isinstance(mutation.change, tuple):  # a webhook of the resource is not asked about its status
        against = ("--function", "checks.py:validate", "--kind", "backups")
    command = [
        sys.executable, "-m", "harness", "run", "--crd", "changed.yaml", *against, "--max-cases", str(cases), "--jobs",
        "1", "--json", "report.json",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), f"{mutation.name}: {done.stdout}{done.stderr}"
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return {(one["severity"], one["cause"], one["operation"], one["path"]) for one in report["findings"]}


def main() -> None:
    """Try every mutation, and say which are not noticed."""
    noticed, names = 0, sys.argv[1:]
    chosen = [one for one in MUTATIONS if not names or one.name in names]
    for mutation in chosen:
        with tempfile.TemporaryDirectory() as folder:
            if is_noticed(mutation, Path(folder), 6000):
                noticed += 1
            else:
                click.echo(f"{mutation.name}: not noticed{mutation.missed and f': {mutation.missed}'}")
    click.echo(f"{noticed} of {len(chosen)} noticed")


if __name__ == "__main__":
    main()
