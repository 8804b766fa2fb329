"""Documentation from declarations: what an API validates, and what every tag does."""
