"""One small sabotage each: of errors, of compiled rules, of handwritten Python."""
