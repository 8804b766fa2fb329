//go:build !linux

package main

import "time"

const clockName = "wall"

var clockStart = time.Now()

// clock reads the time: this system does not tell what one thread computed.
func clock() time.Duration { return time.Since(clockStart) }
