"""The constants that steer a search: how much is asked of what, and in which order.

None of them decides what is right: a search with other constants meets the same differences sooner or later. They are
read as `tuning.NAME` where they are used, so that `python -m bench --only tuning` can halve and double each, and say
what a search of the same number of cases loses by it: docs/explanation/speed.md has the table.
"""

from __future__ import annotations

# Aims: how often a rule is gone for that has not fired yet.

AIM_UNSEEDED = (2, 4)
"""Attempts for each rule, turn by turn, as long as there are no seed objects."""
AIM_SEEDED = (6, 12, 24)
"""Attempts for each rule that has not fired, from seed objects."""
AIM_LIMITS = (3, 6, 12)
"""Attempts for each rule that was not seen to accept, at its limit."""
AIM_AS_IT_STANDS = 24
"""Attempts for each rule that are repeated without the server's preparation."""

# Seed objects.

MOST_CHANGES = 160
"""Paths that one update tries to change at once."""
FIRST_CHANGES = 60
"""Cases for the first update that changes something; a later one changes as much as can be."""
BESIDE_EXAMPLES = 200
"""Cases for a small seed object, where an example of the user's own is accepted already."""
SEED_EXAMPLES = 12
"""Examples that are seed objects of their own; others are edited like whatever showed something new."""
GROWTH, PASS = 600, 200
"""Cases of growth, then of the first pass, and so on. Full objects are worth more than small ones edited early."""
LENDERS_PART = 10
"""Of a budget in cases all lenders together get one in this many, on top."""

# What is edited.

KEPT_POINTS = 48
"""Objects that showed something new and are edited again: the last so many."""
EXHAUSTED = 24
"""Draws around one path that came before, until the search leaves it."""
OLD_OBJECTS = 8
"""Old objects that serve the updates which are drawn, at a time."""
DRAWS = 4
"""How often a case is drawn until it is a new one: of some types there is little to draw."""
FOCUS_SHARE = 0.8
"""How many of the random edits go to paths of the focus, where an object has any."""
NEIGHBOURS = 12
"""Updates around a rejected value, to see whether each side looks at it there."""
CROSSING_PART = 8
"""Of what is left of a share, members that are changed together get one case in this many."""
VERSION_EDITS = 6
"""Boundary values for each path at which versions differ."""
VERSION_CASES = 1500
"""Cases for paths at which versions differ, at most: a version may differ nearly everywhere."""
SATURATED = 4000
"""Cases in a row that show nothing new, after which a search that may end before its budget does."""

# What is explained.

MOST_NEW_ERRORS = 200
"""Cases with an error that was not met before and that are looked at closer."""
FOLLOWED = 100
"""Differences that only explanations meet and that are explained too: so many crashes, and so many others besides as
many as were drawn."""
SUSPECTS = 4
"""Cases with one crash that are asked again as a request has them: most crash as nobody would ask them."""
MOST_REPAIRS = 12
"""Repairs of one error: those that come later are seldom what the message means."""
ABREAST = 12
"""Findings that a search explains at once: each waits for its answers many times."""

# Whose turn it is. These need a limit of time to matter.

WINDOW, SHORT_WINDOW = 600, 200
"""Cases in flight: enough to keep a worker busy while answers are compared, and so few that a search which others wait
for does not wait long itself."""
AHEAD = 2
"""Batches of the random phase on their way at once: one is answered while another is drawn or compared."""
UNSEEDED = 60.0
"""How much a search weighs until it has seed objects: without them nearly nothing can be asked."""
AWAITED = 1000.0
"""How much a search weighs that others wait for."""
HASTE, HASTY = 8.0, 0.75
"""How much more time a search gets until it has gone for its aims, and for how many seconds at most: what is slow would
take the time from hundreds of others."""
USUAL_COST = 0.0005
"""What a case takes where validators are quick, at most. Units: seconds."""
JUDGED = 8.0
"""So many paths that both sides may look at are worth as much time as all the rest of a kind."""
EXPLAINING = 4.0
"""How much more time a search gets while it explains: what is left for the end of a run may be too much."""
