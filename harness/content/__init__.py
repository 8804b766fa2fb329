"""Predicates on strings, as Kubernetes words them: each returns messages, none when the string is fine.

Refuses to know paths and field errors: who asks decides what becomes of a message.
"""

from harness.content.names import (
    c_identifier,
    label_key,
    label_value,
    letter_first_name,
    long_name,
    long_name_caseless,
    path_segment_name,
    prefixed_label_key,
    short_name,
    uuid,
)

__all__ = [
    "c_identifier",
    "label_key",
    "label_value",
    "letter_first_name",
    "long_name",
    "long_name_caseless",
    "path_segment_name",
    "prefixed_label_key",
    "short_name",
    "uuid",
]
