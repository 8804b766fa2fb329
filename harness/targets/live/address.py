"""Names somebody's own server, on the command line and in reports."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from harness.targets.live.access import Access

TOKEN: Final = "HARNESS_TOKEN"
"""The environment variable with the token for a URL; a command line can be read by other users."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where somebody's own server is: a URL, or a kubeconfig with one of its contexts, the current one if empty.

    Its text has no secret.
    """

    place: str
    context: str = ""

    @classmethod
    def of(cls, text: str) -> ServerAddress:
        """Read the text of an address."""
        if _is_url(text):
            return cls(text)
        place, _, context = text.partition("#")
        return cls(place, context)

    def __str__(self) -> str:
        return f"{self.place}#{self.context}" if self.context else self.place

    @property
    def arguments(self) -> list[str]:
        """The arguments of a command that name it."""
        if _is_url(self.place):
            return ["--server", self.place]
        return ["--kubeconfig", self.place, *(["--context", self.context] if self.context else [])]

    def access(self, allow_exec: bool = False) -> Access:
        """Return how the server is reached; the token for a URL is in the environment. Raises: TargetError."""
        # Imported here: every command loads this module, and few reach a server.
        from harness.targets.live.access import Access, read_kubeconfig

        if _is_url(self.place):
            return Access(self.place, token=os.environ.get(TOKEN, ""))
        return read_kubeconfig(Path(self.place), self.context, allow_exec=allow_exec)


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))
