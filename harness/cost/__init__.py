"""What validation costs: objects to measure, samples of each part, and what they add up to. Judges nothing."""
