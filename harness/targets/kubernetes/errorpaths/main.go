// Program errorpaths follows the paths of errors through the handwritten validation of kinds, from the methods of their
// strategies to the calls that make an error. It reads sources and runs none of them. Which objects take which branch it
// does not know: what it tells may be reported is told of all branches but those that constants exclude.
package main

import (
	"encoding/json"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Request names the folder of a module that requires the release, and kinds by the name of their Go types.
type Request struct {
	Go     string   `json:"go"`
	Folder string   `json:"folder"`
	Kinds  []string `json:"kinds"`
}

// Told is what is known of a kind, once for all kinds with the same internal type, such as resource.ResourceClaim: those
// behind the first have nothing else. Calls name a function, the site of a call of it, and the function that has the call,
// 0 for what the kind begins with. Sites are `file:line:column`, files begin with the import path of their package.
type Told struct {
	Kind     string      `json:"kind"`
	Internal string      `json:"internal"`
	Entries  []string    `json:"entries"`
	Sites    []string    `json:"sites"`
	Calls    [][3]int    `json:"calls"`
	Errors   []ToldError `json:"errors"`
	Open     []ToldOpen  `json:"open"`
	Problem  string      `json:"problem,omitempty"`
}

// ToldError is an error that a function makes. A path that `Vague` may be any.
type ToldError struct {
	Node    int    `json:"node"`
	Site    int    `json:"site"`
	Type    string `json:"type"`
	Path    string `json:"path"`
	Vague   bool   `json:"vague,omitempty"`
	Origin  string `json:"origin,omitempty"`
	Covered bool   `json:"covered,omitempty"`
}

// ToldOpen is a call that is not followed, with the path that it is given.
type ToldOpen struct {
	Node int    `json:"node"`
	Site int    `json:"site"`
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Sites are the places of calls, by number.
type Sites struct {
	fset   *token.FileSet
	names  []string
	number map[token.Pos]int
}

func (s *Sites) at(pkg *Package, pos token.Pos) int {
	if known, ok := s.number[pos]; ok {
		return known
	}
	at := s.fset.Position(pos)
	s.names = append(s.names, fmt.Sprintf("%s/%s:%d:%d", pkg.ImportPath, filepath.Base(at.Filename), at.Line, at.Column))
	s.number[pos] = len(s.names) - 1
	return s.number[pos]
}

func main() {
	var request Request
	readRequest(&request)
	sources := listRelease(request.Go, request.Folder, isFollowed)
	kinds := findKinds(sources)
	out := json.NewEncoder(os.Stdout)
	told := map[string]bool{}
	for _, kind := range request.Kinds {
		internal, entries := kinds.of(kind)
		found := Told{Kind: kind, Internal: internal}
		switch {
		case len(entries) == 0:
			found.Problem = "no strategy and no storage was found that validates it"
		case !told[internal]:
			told[internal] = true
			tell(sources, kinds, entries, &found)
		}
		if err := out.Encode(found); err != nil {
			fail(err)
		}
	}
}

// isFollowed tells whether functions of a package are read: those that know of paths, and what makes storages.
func isFollowed(one *Package) bool {
	if strings.HasPrefix(one.ImportPath, registry) {
		return true
	}
	return strings.HasPrefix(one.ImportPath, "k8s.io/") && one.ImportPath != fieldPackage && slices.Contains(one.Imports, fieldPackage)
}

const mostPasses = 4

// tell follows the errors of a kind.
func tell(sources *Sources, kinds *Kinds, entries []Entry, found *Told) {
	reader := newReader(sources, &Sites{fset: sources.fset, number: map[token.Pos]int{}})
	root := &Node{}
	root.home = root
	returned := map[Reported]bool{}
	for pass := 1; pass <= mostPasses; pass++ {
		reader.round, reader.recursive = pass, false
		before := len(reader.nodes) + len(returned)
		for _, one := range entries {
			if pass == 1 {
				found.Entries = append(found.Entries, one.object.FullName())
			}
			reader.begin(root, one.object, returned)
		}
		reader.isCommon = true // what they call of a strategy was read
		for _, one := range kinds.common {
			reader.begin(root, one, returned)
		}
		reader.isCommon = false
		if !reader.recursive || before == len(reader.nodes)+len(returned) && pass > 1 {
			break
		}
	}
	found.Sites = reader.sites.names
	for _, node := range reader.nodes {
		for caller := range node.callers {
			found.Calls = append(found.Calls, [3]int{node.number, caller.site, caller.node.number})
		}
	}
	slices.SortFunc(found.Calls, func(one, other [3]int) int { return slices.Compare(one[:], other[:]) })
	for one := range returned {
		found.Errors = append(found.Errors, toldError(one))
	}
	slices.SortFunc(found.Errors, func(one, other ToldError) int { return strings.Compare(fmt.Sprint(one), fmt.Sprint(other)) })
	for one := range reader.open {
		found.Open = append(found.Open, ToldOpen{one.node.number, one.site, one.path, one.why})
	}
	slices.SortFunc(found.Open, func(one, other ToldOpen) int { return strings.Compare(fmt.Sprint(one), fmt.Sprint(other)) })
}

func toldError(one Reported) ToldError {
	return ToldError{
		Node: one.node.number, Site: one.site, Type: one.kind, Path: one.path, Vague: one.isVague, Origin: one.origin,
		Covered: one.covered,
	}
}
