"""What an upgrade does to the objects of a cluster: which of them change their verdict, or can no longer be updated.

Each object is asked of both releases as it is stored: an update that changes nothing, one that changes an annotation,
one of the status, and a create. `asking` asks, `gathering` groups what differs, `explaining` determines the cause and
the gate, `document` is the result, `text` and `page` render it.
"""
