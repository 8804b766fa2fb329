// The worker: links one Kubernetes release and answers cases about its validating admission policies on standard input,
// one JSON document per line. It knows no policy of its own: they are in the first line, with what they need to be asked.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// configuration is the first line: whom the answers are said to come from, the kinds that the server before admission
// serves, and policies, bindings, params and namespaces as a client sends them.
type configuration struct {
	Name      string            `json:"name"`
	Kinds     []kindInfo        `json:"kinds"`
	Documents []json.RawMessage `json:"documents"`
}

func main() {
	klog.SetLogger(logr.Discard()) // what concerns the user is in the answers
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
	c := readCluster(wanted.Kinds, wanted.Documents)
	serve(in, c.info(wanted.Name), func(line []byte) []byte { return reply(line, c.answer) })
}

func (c *cluster) info(name string) targetInfo {
	kinds := []kindInfo{}
	for _, kind := range c.kinds {
		if reached := c.reached(kind); len(reached) > 0 {
			kind.Operations = reached
			kinds = append(kinds, kind)
		}
	}
	return targetInfo{
		Name: name, Protocol: protocol, Abilities: []string{"update"}, Kinds: kinds, Excluded: c.refused, Ruled: []ruledKind{},
		Gates: knownGates(),
	}
}
