// Releases in which strategies opt in with a functional option (1.36).

package main

// defaultComposition is how a strategy composes that did not opt in.
const defaultComposition = "shadow"
