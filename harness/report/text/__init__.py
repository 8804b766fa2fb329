"""Sentences and tables of reports that several formats share."""
