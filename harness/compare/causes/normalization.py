"""The cause `normalization`: no mismatch, but something wrong with a rule that makes two paths one."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation
from harness.errormatch.normalize import RuleProblem


def describe(problem: RuleProblem) -> Explanation:
    """Say what is wrong with a rule."""
    fix = {
        "unused": "remove the rule, or mend its regex",
        "collision": "make the regex so narrow that the two fields keep two paths",
    }[problem.kind]
    if problem.earlier is not None:
        how = "narrow its regex" if problem.earlier[0].startswith("^") else "anchor its regex with ^"
        fix = f"remove the rule, or let {problem.first} leave these paths to it: {how}"
    return Explanation(str(problem), fix, cause=NORMALIZATION.code)


NORMALIZATION = Cause(
    code="normalization",
    page="""
A normalization rule never applies, or makes two different fields look like one.
Remove it or narrow its regular expression: a rule that matches too much hides differences.
""",
    experiment="none: every path of the run is normalized and compared",
    example="""
`^spec\\.(old|new)` → `spec.field` gives the errors of two fields one path.
""",
    told_by="harness/compare/finding.py",
)
