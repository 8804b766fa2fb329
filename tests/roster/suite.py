from harness.suite import Suite, SuiteKind

from .handwritten import validate_roster

SUITE = Suite(
    name="roster_v1",
    group="ward.example.org",
    kinds=[SuiteKind(kind="Roster", resource="rosters", versions={"v1": "types.go"}, handwritten=validate_roster)],
)
