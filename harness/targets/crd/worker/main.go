// The worker: links one Kubernetes release and answers cases about custom resources on standard input, one JSON document
// per line. It knows no resource of its own: the definitions are in the first line.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/go-logr/logr"
	_ "k8s.io/apiextensions-apiserver/pkg/features" // registers the gates that decide about ratcheting and the like
	"k8s.io/klog/v2"
)

// configuration is the first line: whom the answers are said to come from, and the definitions as a client sends them.
type configuration struct {
	Name string            `json:"name"`
	CRDs []json.RawMessage `json:"crds"`
}

type server struct {
	entries map[string]*entry
	refused []excluded
}

func main() {
	gateList := flag.String("gates", "", "feature gates, as in A=true,B=false")
	flag.Parse()
	klog.SetLogger(logr.Discard()) // what concerns the user is in the answers
	if err := setGates(*gateList); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	in := input()
	line, err := in.ReadBytes('\n')
	var wanted configuration
	if err == nil {
		err = json.Unmarshal(line, &wanted)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the first line is no configuration:", err)
		os.Exit(2)
	}
	s := &server{entries: map[string]*entry{}, refused: []excluded{}}
	for _, raw := range wanted.CRDs {
		s.add(raw)
	}
	serve(in, s.info(wanted.Name), func(line []byte) []byte {
		return reply(line, func(one *caseLine) (answer, extras) { return s.answer(one), extras{} })
	})
}

// add serves what a definition defines, or says why the server would refuse the definition.
func (s *server) add(raw []byte) {
	entries, left, refused := define(raw)
	s.refused = append(s.refused, left...)
	s.refused = append(s.refused, refused...)
	for _, e := range entries {
		s.entries[e.key()] = e
	}
}

func (s *server) info(name string) targetInfo {
	kinds := make([]kindInfo, 0, len(s.entries))
	for _, e := range s.entries {
		kinds = append(kinds, e.info)
	}
	slices.SortFunc(kinds, func(a, b kindInfo) int { return compareTexts(keyOf(a), keyOf(b)) })
	return targetInfo{
		Name: name, Protocol: protocol, Abilities: []string{"modes", "pruned", "update", "validated"}, Kinds: kinds,
		Excluded: s.refused, Ruled: []ruledKind{}, Gates: knownGates(),
	}
}
