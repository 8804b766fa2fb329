"""One small mutant each: of errors, of compiled rules, of handwritten Python."""
