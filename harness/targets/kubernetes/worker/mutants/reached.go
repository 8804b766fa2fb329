package main

import "k8s.io/apimachinery/pkg/util/harnessmutants"

// This file is linked into workers with mutants alone. A process that runs one tells whether its statement is reached, by
// the number of the mutant, as a worker with counters tells blocks. Probes are those of the whole process, so such a
// worker answers one case after the other.

func init() {
	if harnessmutants.Selected != 0 {
		told := map[string]map[int]bool{}
		reachedBlocks = func(name string) []uint64 {
			if told[name] == nil {
				told[name] = map[int]bool{}
			}
			return newProbes(harnessmutants.TakeReached(), told[name])
		}
	}
}

// newProbes lists the probes that were not told before.
func newProbes(reached []int, told map[int]bool) (found []uint64) {
	for _, number := range reached {
		if !told[number] {
			told[number] = true
			found = append(found, uint64(number))
		}
	}
	return found
}
