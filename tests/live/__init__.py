"""Random objects of a release, asked of its validators and of its running API server: do both say the same?"""
