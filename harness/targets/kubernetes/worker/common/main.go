// The worker: links one Kubernetes release and answers cases on standard input, one JSON document per line.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// reachedBlocks lists the blocks of code that ran since it was last called, without those that were told to this name
// before; nil in a worker without counters.
var reachedBlocks func(name string) []uint64

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
	setServing(false) // see split
	s := &server{found: discover(), gates: known, measure: *measure}
	s.index()
	if reachedBlocks != nil {
		reachedBlocks("") // no case reached what discover tried
	}
	serve(input(), s.info(*release), s.reply)
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
	abilities := []string{"served", "versions", "modes", "options", "repeat", "update", "validated", "declarative", "measure", "round trip"}
	if s.measure {
		abilities = append(abilities, "nanoseconds")
	}
	if errorHook != nil {
		abilities = append(abilities, "trace")
	}
	if reachedBlocks != nil {
		abilities = append(abilities, "blocks")
	}
	return targetInfo{
		Name: "kubernetes " + release, Protocol: protocol, Release: release, Abilities: abilities, Kinds: kinds,
		Excluded: s.found.excluded, Ruled: ruledKinds(), Gates: s.gates,
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
	if line.Blocks != "" && reachedBlocks != nil {
		out.Blocks = reachedBlocks(line.Blocks)
	}
	encoded, err := out.encode()
	if err != nil {
		encoded, _ = json.Marshal(answer{ID: line.ID, Failure: &failure{Stage: "compose", Message: err.Error()}})
	}
	return encoded
}
