"""Backups of volumes and buckets: the function of a webhook, and the CEL rules of the CRD that are to replace it.

The function takes the old backup, so updates are compared too: a rule with `oldSelf`, and what may stay as it was.
"""

from harness.suite import Suite, Webhook

from .handwritten import validate_backup

SUITE = Suite(old=Webhook("without-cel:backups.yaml", validate_backup), new="backups.yaml")
