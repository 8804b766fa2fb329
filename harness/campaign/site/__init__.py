"""The site of campaigns: pages and badges of what is known now and was before, which ask nothing of a network."""
