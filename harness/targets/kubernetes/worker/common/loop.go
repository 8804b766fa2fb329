package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// job is a line on its way to its answer; jobs are written in the order they were read.
type job struct {
	line []byte
	done chan []byte
}

// serve greets, then answers lines concurrently and in order, and flushes whenever nothing is waiting.
func serve(in *bufio.Reader, greeting targetInfo, reply func(line []byte) []byte) {
	out := &output{buffer: bufio.NewWriterSize(quietOutput(), 1<<18)}
	first, err := json.Marshal(greeting)
	if err != nil {
		panic(err)
	}
	out.write(first, true)
	order := make(chan *job, 4096)
	work := make(chan *job, 4096)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for j := range work {
				j.done <- reply(j.line)
			}
		}()
	}
	go read(in, reply, order, work, out)
	for j := range order {
		out.write(<-j.done, len(order) == 0)
		out.waiting.Add(-1)
	}
	out.lock.Lock()
	out.flush()
}

// input is where cases come from.
func input() *bufio.Reader { return bufio.NewReaderSize(quietInput(), 1<<20) }

// read hands lines out. A line that comes alone is answered on the spot, as is every line when there is one thread:
// waking others would take longer than the answer.
func read(in *bufio.Reader, reply func(line []byte) []byte, order, work chan<- *job, out *output) {
	single := runtime.GOMAXPROCS(0) == 1
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case len(line) <= 1:
		case single || in.Buffered() == 0 && out.waiting.Load() == 0:
			out.write(reply(line), in.Buffered() == 0)
		default:
			j := &job{line: line, done: make(chan []byte, 1)}
			out.waiting.Add(1)
			order <- j
			work <- j
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintln(os.Stderr, "reading cases:", err)
			}
			close(order)
			return
		}
	}
}

// patience is how long an answer may wait for others before it goes out: a slow case shall not hold it back.
const patience = 20 * time.Millisecond

// output is where answers go, and how many are still to come.
type output struct {
	lock    sync.Mutex
	buffer  *bufio.Writer
	late    bool // somebody will flush
	waiting atomic.Int64
}

func (o *output) write(line []byte, last bool) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.buffer.Write(line)
	o.buffer.WriteByte('\n')
	if last {
		o.flush()
	} else if !o.late {
		o.late = true
		time.AfterFunc(patience, func() {
			o.lock.Lock()
			defer o.lock.Unlock()
			o.late = false
			o.flush()
		})
		wakeWatchman()
	}
}

// flush stops the worker when nobody reads any more. The caller holds the lock.
func (o *output) flush() {
	if o.buffer.Flush() != nil {
		os.Exit(1)
	}
}

// idOf finds the id of a line that is no case in other respects, such as one nested too deep to be read.
func idOf(raw []byte) (id int64) {
	_, _ = fmt.Sscanf(string(raw[:min(len(raw), 64)]), `{"id":%d`, &id)
	return id
}
