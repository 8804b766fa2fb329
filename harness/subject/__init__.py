"""Opens subjects, the targets of a run with their types: suite folders, Kubernetes releases and programs."""

from harness.subject.description import load_suite
from harness.subject.examples import Example, read_examples
from harness.subject.openers.suite import open_suite
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Note, Subject
from harness.subject.suitefile import AnySuite
from harness.subject.suites import Rework

__all__ = [
    "AnySuite", "Example", "Note", "Rework", "Subject", "SubjectSpec", "load_suite", "open_subject",
    "open_suite", "read_examples",
]  # fmt: skip
