package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"runtime/coverage"
)

// This file is linked into workers with Go's coverage counters alone. Counters are those of the whole process, so such a
// worker answers one case after the other. Reading them takes as long as many cases, so that few ask for them.

const (
	fileHeader    = 4 + 4 + 16 + 1 + 1 + 6 // magic, version, hash, flavour, order of bytes, padding
	segmentHeader = 8 + 4 + 4              // number of functions, length of strings, length of arguments
	uleb          = 2                      // the flavour in which counters are written
)

func init() {
	c := &counters{told: map[string]map[uint64]uint64{}}
	if err := c.read(); err != nil {
		fmt.Fprintln(os.Stderr, "the counters of code cannot be read:", err)
		return
	}
	reachedBlocks = c.reached
}

// counters remembers which blocks were told, by the name that asks for them: 64 blocks of a function in each number.
type counters struct {
	buffer bytes.Buffer
	told   map[string]map[uint64]uint64
}

// reached lists the blocks that ran since it was last called, without those that were told to this name before.
func (c *counters) reached(name string) []uint64 {
	if c.read() != nil { // whether it fails was seen at the start
		return nil
	}
	told := c.told[name]
	if told == nil {
		told = map[uint64]uint64{}
		c.told[name] = told
	}
	return newBlocks(c.buffer.Bytes(), told)
}

// read takes what was counted since the last call.
func (c *counters) read() error {
	c.buffer.Reset()
	if err := coverage.WriteCounters(&c.buffer); err != nil {
		return err
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	return check(c.buffer.Bytes())
}

// check says whether counters are written in the form that newBlocks reads.
func check(data []byte) error {
	if len(data) < fileHeader+segmentHeader {
		return fmt.Errorf("%d bytes are too few", len(data))
	}
	if version, flavour := binary.LittleEndian.Uint32(data[4:]), data[24]; version != 1 || flavour != uleb {
		return fmt.Errorf("version %d and flavour %d are not known", version, flavour)
	}
	return nil
}

// newBlocks lists the blocks that counters tell of and that were not told before. A block is
// package << 40 | function << 20 | number, each as in the meta-data of the program.
func newBlocks(data []byte, told map[uint64]uint64) (found []uint64) {
	data = data[fileHeader:]
	functions := binary.LittleEndian.Uint64(data)
	skipped := binary.LittleEndian.Uint32(data[8:]) + binary.LittleEndian.Uint32(data[12:])
	data = data[segmentHeader+skipped:]
	next := func() uint64 {
		value, length := binary.Uvarint(data)
		data = data[max(length, 0):]
		return value
	}
	for range functions {
		count, function := next(), next()<<40
		function |= next() << 20
		for first := uint64(0); first < count; first += 64 {
			now := uint64(0)
			for i := range min(64, count-first) {
				if next() != 0 {
					now |= 1 << i
				}
			}
			known := told[function|first]
			if now &^= known; now != 0 {
				told[function|first] = known | now
				for i := range uint64(64) {
					if now>>i&1 != 0 {
						found = append(found, function|(first+i))
					}
				}
			}
		}
	}
	return found
}
