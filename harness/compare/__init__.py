"""The judge: composes the errors that users see, compares the handwritten and the declarative validators, and explains
and grades the differences. It sees errors only, never the rules."""
