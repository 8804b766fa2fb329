"""Tags that enhancement proposals describe and no release has: `--release proposed` reads them.

No generator of Kubernetes knows them, so there is no code to compare with: texts of errors, and what an update that
changes nothing is let through for, are those of the nearest tag that a release has. Each module is a family, as in
`harness.tags.families`. Source: KEP-4153 and KEP-5073, READMEs (2026-11).
"""

from harness.tags.proposed import expressions, fieldlimits, limits, patterns, subresources, virtualfields

FAMILIES = (limits, fieldlimits, virtualfields, subresources, patterns, expressions)
