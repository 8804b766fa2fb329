"""Says why no case reached a block of handwritten validators, as far as the sources and the gates of a run show it."""
