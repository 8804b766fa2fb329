"""The judge: composes what users see, compares the two sides, explains and grades the differences. Reads no rules."""
