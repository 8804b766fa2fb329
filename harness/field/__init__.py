"""What a validator reports, and where: paths, field errors and lists of them. Imports nothing of the harness."""

from harness.field.error import ErrorList, ErrorType, FieldError, Level, quote, type_text
from harness.field.path import Path

__all__ = ["ErrorList", "ErrorType", "FieldError", "Level", "Path", "quote", "type_text"]
