"""One file or folder for each form a report is written in; every one is a function of the document."""
