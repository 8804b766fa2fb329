"""Defines the constants that steer a search: numbers of cases, shares of the budget, and priorities.

None of them affects which differences count: a search with other constants finds the same ones, sooner or later. They
are read as `tuning.NAME` where they are used, so that `python -m bench --only tuning` can halve and double each one and
measure what a search of the same number of cases loses: docs/explanation/speed.md has the table.
"""

from __future__ import annotations

# Aims: attempts to make a rule fire.

AIM_UNSEEDED = (2, 4)
"""Attempts for each rule in each round, while there are no seed objects."""
AIM_SEEDED = (6, 12, 24)
"""Attempts in each round for each rule that has not fired, from seed objects."""
AIM_LIMITS = (3, 6, 12)
"""Attempts in each round for each rule that was not observed to accept a value, at its limit."""
AIMS_UNSEEDED_PART, AIMS_PART = 4, 2
"""Aims get at most one part of so many of the cases left, before there are seed objects and from them. Otherwise hardly
a case is left for fuller objects and boundary values: docs/explanation/code-coverage.md."""
AIM_AS_IT_STANDS = 24
"""Attempts for each rule that are repeated without PrepareForCreate or PrepareForUpdate."""

# Combined edits.

COMBINED_TURNS = 40
"""So many boundary values of each path are put at all paths at once, the first ones."""
COMBINED_PART, COMBINED_QUIET_TURNS = 2, 2
"""Combined edits get 1/N of the cases left after growth, and end after so many turns in a row without a new error."""

# Seed objects.

MOST_CHANGES = 160
"""At most this many paths are changed by one update."""
FIRST_CHANGES = 60
"""Cases for the first update with a change; a later update changes as many paths as possible."""
BESIDE_EXAMPLES = 200
"""Cases for a small seed object, when an example of the user is already accepted."""
SEED_EXAMPLES = 12
"""Examples that become seed objects; other examples are edited like objects that showed a new difference."""
GROWTH, PASS = 600, 200
"""Cases of growth, and of the first pass, in turn: editing a full object finds more than editing a small one."""
DONORS_PART = 10
"""All donors together get an additional 1/N of a budget in cases."""

# Edits.

KEPT_POINTS = 48
"""At most this many objects that showed something new are kept to be edited again, the latest ones."""
EXHAUSTED = 24
"""Repeated draws at one path, after which the search leaves it."""
OLD_OBJECTS = 8
"""Old objects that are used for drawn updates at a time."""
DRAWS = 4
"""At most this many draws for a new case, because some types have few values."""
FOCUS_SHARE = 0.8
"""Share of the random edits at paths of the focus, for objects that have any."""
NEIGHBOURS = 12
"""Updates near a rejected value, to determine whether each side validates it there."""
CROSSING_PART = 8
"""Combined edits of several members get 1/N of the remaining share."""
VERSION_EDITS = 6
"""Boundary values for each path at which versions differ."""
VERSION_CASES = 1500
"""At most this many cases for paths at which versions differ, because two versions may differ at nearly every path."""
SATURATED = 4000
"""Cases in a row without a new difference, after which a search that may end before its budget is used ends."""

# The list of the tags: see `harness.subject.owntags`. Such a case takes about twice the time.
# In 130,000 cases of 1.37.1, 14,300 of them made runs 9 to 13 % slower (CPU time, three pairs, a busy machine).

TAGGED_PERIOD = 61
"""Every so many drawn cases the declarative list is compared with that of the target's own tags."""
TAGGED_FIRST, TAGGED_PART = 100, 40
"""Of the first aims at each rule, and of what follows from them, at most this many cases, and one of so many cases of a
search, are compared with the tags too."""

# Round trips through other versions.

ROUND_TRIP_PERIOD = 61
"""Every so many drawn cases an accepted object is converted to each version and back, unless one with the same fields
was."""

# Explanations.

MOST_NEW_ERRORS = 200
"""At most this many cases with a new error are examined further."""
FOLLOWED = 100
"""Differences that are found only while explaining others, and are explained too: at most this many crashes, and this
many others beyond the number of drawn ones."""
SUSPECTS = 4
"""Cases with one crash that are repeated as requests: most crashing objects cannot occur in a request."""
MOST_REPAIRS = 12
"""At most this many repairs of one error are tried: later ones seldom fix what the message is about."""
REPLANTED = 24
"""Objects that get the value of a difference which would be more severe without the other errors of its object. In
150,000 cases of 1.37.1 they made 15 of 2,214 findings more severe, for 1.5 % more cases; 2 in 141 need more than 24."""
REPAIR_ROUNDS, REPAIRED_FURTHER, REPAIRED_BESIDE = 3, 2, 24
"""Then the errors beside it are repaired in so many rounds, of at most so many objects, by so many repairs of each."""
EXPLAINED_AT_ONCE = 12
"""Findings that a search explains concurrently, because each waits for answers many times."""

# Priorities of searches. They matter only with a time limit.

WINDOW, SHORT_WINDOW = 600, 200
"""Cases in flight: enough to keep a worker busy while answers are compared, few enough for quick answers to a search
that others wait for."""
AHEAD = 2
"""Batches of the random phase in flight: one is answered while another is drawn or compared."""
UNSEEDED = 60.0
"""Weight of a search without seed objects, because few rules can be tested without one."""
AWAITED = 1000.0
"""Weight of a search that others wait for."""
HASTE, HASTY = 8.0, 0.75
"""Factor on the time of a search until its aims are done, and the seconds that this lasts at most, because a slow
search would take the time of hundreds of others."""
USUAL_COST = 0.0005
"""The longest time of a case with fast validators. Units: seconds."""
JUDGED = 8.0
"""This many paths that both sides may validate get as much time as the rest of a kind."""
EXPLAINING = 4.0
"""Factor on the time of a search while it explains findings, so that they do not accumulate until the end of a run."""
