"""What is examined: suite folders, Kubernetes releases and programs, opened from a plain specification."""

from harness.subject.opening import Note, Rework, Subject, open_subject, open_suite
from harness.subject.spec import SubjectKind, SubjectSpec
from harness.subject.suitefile import AnySuite, load_suite

__all__ = [
    "AnySuite", "Note", "Rework", "Subject", "SubjectKind", "SubjectSpec", "load_suite", "open_subject", "open_suite",
]  # fmt: skip
