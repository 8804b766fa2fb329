// Measures the parts of a case with testing.B in the place of the worker's own loop: what bench/validation.py compares.
// It is compiled together with the sources of the worker, in the cache of the user.

package main

import (
	"bufio"
	"os"
	"runtime"
	"testing"
)

// BenchmarkParts measures every part of each case in the file that CASES names. Besides the time that passed it tells what
// the thread computed, which a busy machine disturbs less.
func BenchmarkParts(b *testing.B) {
	known := knownGates()
	watchGenerated()
	setBeta(false)
	s := &server{found: discover(), gates: known}
	s.index()
	file, err := os.Open(os.Getenv("CASES"))
	if err != nil {
		b.Fatal(err)
	}
	if os.Getenv("GOGC") == "off" {
		touch()
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line, err := readCase(lines.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		q := &question{entry: s.find(&line), line: &line}
		var out answer
		c := q.run(&out)
		for _, p := range q.parts(c) {
			b.Run(line.Kind+"/"+p.name, func(b *testing.B) {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				b.ReportAllocs()
				runtime.GC()
				start := clock()
				for range b.N {
					p.run()
				}
				b.ReportMetric(float64(clock()-start)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}

// touch gets memory from the system before anything is measured: with the collector off, the first use of each page would
// be counted as part of a run.
func touch() {
	block := make([]byte, 768<<20)
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	runtime.KeepAlive(block)
}
