"""Who answers cases: the targets."""
