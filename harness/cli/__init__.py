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
    ("record", "record", "Keep the handwritten answers for the time after the code is gone."),
    ("check", "check", "Ask what both sides say of given objects."),
    ("replay", "replay", "Show a finding again: does it still differ?"),
    ("export", "export", "Write a finding, or the rules of a field, as tests to take away."),
    ("kinds", "kinds", "List what a target serves, and what it leaves out and why."),
    ("compile", "compile", "Compile the tags of types.go to Python."),
    ("rules", "rules", "List the rules that an API declares."),
    ("explain", "explain", "Explain a word of a report or of a message."),
    ("render", "render", "Show a saved report, or write it as HTML, JUnit, SARIF, ..."),
    ("merge", "merge", "Bring the reports of shards together."),
    ("exceptions", "exceptions", "Tolerate known findings for a while, and take out what is not needed."),
    ("bench", "bench", "Measure what validation costs: handwritten, declarative, and both."),
    ("power", "power", "Sabotage one rule at a time, and show what a run does not notice."),
    ("lint", "lint", "Find tags that are wrong, do nothing, or do not say what was meant."),
    ("docs", "docs", "Document in words what an API validates."),
    ("init", "init", "Write a suite that runs, to be filled with your own."),
    ("config", "config", "Show which settings count here, and what is wrong with them."),
    ("completion", "completion", "Print the completion script of a shell."),
    ("check-worker", "check_worker", "Test whether a program speaks the wire protocol."),
)
