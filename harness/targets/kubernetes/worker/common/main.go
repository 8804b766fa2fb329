// The worker: links one Kubernetes release and answers cases on standard input, one JSON document per line.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
)

type server struct {
	found   *discovery
	byKind  map[string]*entry
	gates   map[string]bool
	measure bool
}

func main() {
	release := flag.String("release", "", "what the answers are said to come from")
	gateList := flag.String("gates", "", "feature gates, as in A=true,B=false")
	checkGates := flag.Bool("check-gates", false, "print the gates that are known and what is wrong with --gates, then stop")
	measure := flag.Bool("nanoseconds", false, "say where the time went")
	flag.Parse()
	klog.SetLogger(logr.Discard()) // every mismatch would be logged; the harness reports them better
	err := setGates(*gateList)
	if *checkGates {
		message := ""
		if err != nil {
			message = err.Error()
		}
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"error": message, "gates": knownGates()})
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	known := knownGates()
	watchGenerated()
	setBeta(false) // see split
	s := &server{found: discover(), gates: known, measure: *measure}
	s.index()
	s.serve(*release)
}

func setGates(list string) error {
	if list == "" {
		return nil
	}
	return utilfeature.DefaultMutableFeatureGate.Set(list)
}

func knownGates() map[string]bool {
	known := map[string]bool{}
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		known[string(name)] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return known
}

// index lets a case leave out the resource and name the kind alone.
func (s *server) index() {
	s.byKind = map[string]*entry{}
	for _, e := range s.sorted() {
		key := schema.GroupVersionKind{Group: e.gv.Group, Version: e.gv.Version, Kind: e.gvk.Kind}.String() + "/" + e.info.Subresource
		if s.byKind[key] == nil {
			s.byKind[key] = e
		}
	}
}

func (s *server) sorted() []*entry {
	entries := make([]*entry, 0, len(s.found.entries))
	for _, e := range s.found.entries {
		entries = append(entries, e)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].key() < entries[j].key() })
	return entries
}

func (s *server) info(release string) targetInfo {
	kinds := make([]kindInfo, 0, len(s.found.entries))
	for _, e := range s.sorted() {
		kinds = append(kinds, e.info)
	}
	abilities := []string{"served", "versions", "modes", "options", "repeat", "update", "validated", "declarative", "measure"}
	if s.measure {
		abilities = append(abilities, "nanoseconds")
	}
	return targetInfo{
		Name: "kubernetes " + release, Protocol: protocol, Release: release, Abilities: abilities, Kinds: kinds,
		Excluded: s.found.excluded, Ruled: ruledKinds(), Gates: s.gates,
	}
}

// job is a line on its way to its answer; jobs are written in the order they were read.
type job struct {
	line []byte
	done chan []byte
}

// serve answers lines concurrently and in order, and flushes whenever nothing is waiting.
func (s *server) serve(release string) {
	out := &output{buffer: bufio.NewWriterSize(quietOutput(), 1<<18)}
	first, err := json.Marshal(s.info(release))
	if err != nil {
		panic(err)
	}
	out.write(first, true)
	order := make(chan *job, 4096)
	work := make(chan *job, 4096)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for j := range work {
				j.done <- s.reply(j.line)
			}
		}()
	}
	go s.read(order, work, out)
	for j := range order {
		out.write(<-j.done, len(order) == 0)
		out.waiting.Add(-1)
	}
	out.lock.Lock()
	out.flush()
}

// read hands lines out. A line that comes alone is answered on the spot, as is every line when there is one thread:
// waking others would take longer than the answer.
func (s *server) read(order, work chan<- *job, out *output) {
	in := bufio.NewReaderSize(quietInput(), 1<<20)
	single := runtime.GOMAXPROCS(0) == 1
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case len(line) <= 1:
		case single || in.Buffered() == 0 && out.waiting.Load() == 0:
			out.write(s.reply(line), in.Buffered() == 0)
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

func (s *server) reply(raw []byte) []byte {
	var out answer
	line, err := readCase(raw)
	if err != nil {
		out = answer{ID: idOf(raw), Failure: &failure{Stage: "decode", Message: "not a case: " + err.Error()}}
	} else if line.Mode == "declarative" {
		out = answerDeclarative(&line)
	} else {
		out = s.answer(&line)
	}
	encoded, err := out.encode()
	if err != nil {
		encoded, _ = json.Marshal(answer{ID: line.ID, Failure: &failure{Stage: "compose", Message: err.Error()}})
	}
	return encoded
}

// idOf finds the id of a line that is no case in other respects, such as one nested too deep to be read.
func idOf(raw []byte) (id int64) {
	_, _ = fmt.Sscanf(string(raw[:min(len(raw), 64)]), `{"id":%d`, &id)
	return id
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
