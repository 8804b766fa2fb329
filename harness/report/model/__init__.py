"""The report document and its sections: built from the results of runs, merged, and totalled."""
