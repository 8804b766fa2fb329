"""Reports are functions of the document: terminal, JUnit and HTML read what is saved, nothing else."""
