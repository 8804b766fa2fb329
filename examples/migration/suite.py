"""A migration in the middle: the tags are written, the handwritten code is still there. Do they agree?"""

from __future__ import annotations

from harness.suite import Suite, SuiteKind

from .handwritten import validate_backup

SUITE = Suite(
    name="migration",
    group="backup.example.com",
    kinds=[SuiteKind(kind="Backup", resource="backups", versions={"v1": "types.go"}, handwritten=validate_backup)],
)
