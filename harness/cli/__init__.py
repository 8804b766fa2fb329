"""The command `harness`: one module per command, imported when it is called.

`COMMANDS` is in reading order; each entry is the command's name, its module's name and its one-line help, so that
`harness --help` answers without importing any of them.
"""

from __future__ import annotations

COULD_NOT_RUN = 2
INTERRUPTED = 130
"""Exit codes that every command gives the same meaning."""

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("run", "run", "Search for differences and report them."),
    ("verify", "verify", "Verify a change in git: a verdict for each field it touches."),
    ("record", "record", "Record the handwritten errors before the code is deleted."),
    ("corpus", "corpus", "Make a corpus of what a release's own tests give to its validators."),
    ("check", "check", "Validate given objects with both sides."),
    ("upgrade", "upgrade", "Check what an upgrade does to the objects of a cluster."),
    ("replay", "replay", "Replay a finding: does it still differ?"),
    ("confirm", "confirm", "Confirm findings with a running API server."),
    ("live", "live", "Start the API server of a release."),
    ("export", "export", "Export a finding, or boundary tests, as Go or pytest."),
    ("kinds", "kinds", "List the kinds that a target serves, and those it excludes."),
    ("compile", "compile", "Compile the tags of types.go to Python, OpenAPI or CRDs."),
    ("rules", "rules", "List the rules that an API declares."),
    ("explain", "explain", "Explain a cause, severity, lint rule, tag or message code."),
    ("render", "render", "Show a saved report, or write it as HTML, JUnit, SARIF, ..."),
    ("merge", "merge", "Merge the reports of shards."),
    ("campaign", "campaign", "Run many searches after one plan, and go on after whatever dies."),
    ("exceptions", "exceptions", "Manage exceptions for known findings."),
    ("bench", "bench", "Measure the cost of validation: handwritten, declarative, and both."),
    ("graduate", "graduate", "Certify rules: may they become standard, and their handwritten checks go?"),
    ("power", "power", "Run mutation testing: which broken rules does a run not notice?"),
    ("lint", "lint", "Lint tags: invalid, without effect, or misleading."),
    ("docs", "docs", "Document what an API validates."),
    ("init", "init", "Create a suite from a template."),
    ("config", "config", "Check and show the project settings."),
    ("completion", "completion", "Print the completion script of a shell."),
    ("check-worker", "check_worker", "Test whether a program speaks the wire protocol."),
)
