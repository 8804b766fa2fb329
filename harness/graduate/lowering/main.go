// Program lowering reads the handwritten and the generated validation of kinds as conditions on objects that are
// created: of each error, when it is reported. What it does not read it names, with the paths that it may report at.
// It also cuts handwritten checks out of their files.
package main

import (
	"encoding/json"
	"fmt"
	"go/types"
	"os"
	"sort"
	"strings"
)

// Request names the folder of a module that requires the release, and kinds by the name of their Go types. `Checks` are
// cut out instead, if there are any.
type Request struct {
	Go     string   `json:"go"`
	Folder string   `json:"folder"`
	Kinds  []string `json:"kinds"`
	Checks []Check  `json:"checks"`
	// Replaced are files that are read in the place of others, by path.
	Replaced map[string]string `json:"replaced"`
}

// Lowered is one side of one kind. An error without a type is one that was not read.
type Lowered struct {
	Problem string            `json:"problem,omitempty"`
	Entry   string            `json:"entry"`
	Nodes   [][]any           `json:"nodes"`
	Errors  []LoweredError    `json:"errors"`
	Facts   [][2]int          `json:"facts"`
	Reasons map[string]string `json:"reasons"`
}

// LoweredError is an error with its condition, a number of a node.
type LoweredError struct {
	Path    string   `json:"path"`
	Type    string   `json:"type"`
	Origin  string   `json:"origin"`
	Covered bool     `json:"covered"`
	Level   string   `json:"level"`
	When    int      `json:"when"`
	Items   []string `json:"items"`
	Open    bool     `json:"open"`
	Unread  string   `json:"unread"`
	At      string   `json:"at"`
}

func main() {
	var request Request
	readRequest(&request)
	sources := listRelease(request.Go, request.Folder, isLowered)
	sources.replaced = request.Replaced
	out := json.NewEncoder(os.Stdout)
	if len(request.Checks) > 0 {
		checks, files := cut(sources, request.Checks)
		if err := out.Encode(map[string]any{"checks": checks, "files": files}); err != nil {
			fail(err)
		}
	}
	for _, kind := range request.Kinds {
		found := map[string]any{"kind": kind, "handwritten": handwritten(sources, kind), "declarative": declarative(sources, kind)}
		if err := out.Encode(found); err != nil {
			fail(err)
		}
	}
}

// isLowered tells whether functions of a package are read. The others are known functions or opaque.
func isLowered(p *Package) bool {
	path := p.ImportPath
	if strings.HasPrefix(path, "k8s.io/apimachinery/pkg/api/resource") { // quantities
		return false
	}
	for _, prefix := range []string{
		"k8s.io/kubernetes/pkg/apis/", "k8s.io/kubernetes/pkg/registry/", "k8s.io/kubernetes/pkg/util/",
		"k8s.io/apimachinery/pkg/api/", "k8s.io/apimachinery/pkg/util/validation",
		"k8s.io/apimachinery/pkg/apis/meta/v1/validation",
		"k8s.io/apiserver/pkg/registry/rest", "k8s.io/component-helpers/",
	} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func read(sources *Sources, declared *Declared, arguments func(*Reader) []Value) (found Lowered) {
	r := &Reader{
		Formulas: newFormulas(), sources: sources, loops: map[string]bool{}, reasons: map[string]string{},
		active: map[string]int{}, reaches: map[string]bool{}, addressed: map[types.Object]bool{},
	}
	r.live, r.branch = r.yes(), r.yes()
	at := sources.fset.Position(declared.function.Pos())
	found.Entry = fmt.Sprintf("%s:%d", shortName(at.Filename), at.Line)
	defer func() {
		if problem := recover(); problem != nil {
			unread, ok := problem.(Unread)
			if !ok {
				panic(problem)
			}
			found.Problem = unread.why
		}
	}()
	value := r.run(
		declared.pkg, declared.function.Type, declared.function.Body, nil, declared.function.Recv, Opaque{"a strategy"},
		arguments(r), false,
	)
	list, ok := value.(Errors)
	if !ok {
		if _, isNil := value.(Nil); !isNil {
			found.Problem = "what it returns is not read"
			return found
		}
	}
	for _, one := range list.items {
		if !one.ghost {
			found.Errors = append(found.Errors, told(one))
		}
	}
	found.Facts, found.Reasons = r.facts, r.reasons
	for _, node := range r.nodes {
		row := []any{node.op, node.name}
		for _, argument := range node.args {
			row = append(row, argument.id)
		}
		found.Nodes = append(found.Nodes, row)
	}
	return found
}

// told returns an error; one whose condition is about an item that its path does not name is not read.
func told(one Reported) LoweredError {
	found := LoweredError{
		Path: one.path.steps, Type: one.kind, Origin: one.origin, Covered: one.covered, Level: one.level,
		When: one.when.id, Unread: one.unread, Open: one.path.open, At: one.at,
	}
	for item := range one.path.items {
		found.Items = append(found.Items, item)
	}
	sort.Strings(found.Items)
	for item := range one.when.free {
		if !one.path.items[item] && found.Unread == "" {
			found.Unread = "an item that the path does not name decides: " + item
		}
	}
	if (one.path.open || one.path.vague) && found.Unread == "" {
		found.Unread = "a path that is not read"
	}
	return found
}
