"""Certificates for rules: may a rule become standard, and its handwritten check be deleted?"""
