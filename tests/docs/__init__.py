"""The documentation is followed: its links, its commands, its tutorials, its reference."""
