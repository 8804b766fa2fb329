package main

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Formula is a node of a condition; equal nodes are one pointer, so that identity is equality.
type Formula struct {
	id   int
	op   string
	name string
	args []*Formula
	free map[string]bool // items of lists that it is about
}

// Formulas keeps every node once.
type Formulas struct {
	nodes []*Formula
	known map[string]*Formula
	size  int
}

// mostSize bounds the time and the memory that the conditions of one kind take: ResourceClaim needs a fifth of it.
const mostSize = 300_000

func (f *Formulas) grow(size int) {
	if f.size += size; f.size > mostSize {
		panic(Unread{"its conditions are too large to be read", true})
	}
}

var items = regexp.MustCompile(`\[\*\]|\{\*\}`)

func newFormulas() *Formulas { return &Formulas{known: map[string]*Formula{}} }

func (f *Formulas) node(op, name string, args ...*Formula) *Formula {
	key := fmt.Sprintf("%s\x00%s", op, name)
	for _, arg := range args {
		key += fmt.Sprintf("\x00%d", arg.id)
	}
	if known := f.known[key]; known != nil {
		return known
	}
	free := map[string]bool{}
	if op != "text" { // a constant is about no item
		for _, at := range items.FindAllStringIndex(name, -1) {
			free[placeOf(name[:at[1]])] = true
		}
	}
	for _, arg := range args {
		for item := range arg.free {
			free[item] = true
		}
	}
	f.grow(1 + len(args) + len(free))
	made := &Formula{len(f.nodes), op, name, args, free}
	f.nodes, f.known[key] = append(f.nodes, made), made
	return made
}

// placeOf returns the place in a name such as `len:$.Spec.Items`.
func placeOf(name string) string { return name[max(strings.LastIndex(name, "$"), 0):] }

func (f *Formulas) yes() *Formula                 { return f.node("true", "") }
func (f *Formulas) no() *Formula                  { return f.node("false", "") }
func (f *Formulas) number(text string) *Formula   { return f.node("number", text) }
func (f *Formulas) text(value string) *Formula    { return f.node("text", value) }
func (f *Formulas) variable(name string) *Formula { return f.node("bool", name) }

func (f *Formulas) not(one *Formula) *Formula {
	switch one.op {
	case "true":
		return f.no()
	case "false":
		return f.yes()
	case "not":
		return one.args[0]
	}
	return f.node("not", "", one)
}

// opposite returns the negation of a condition if there is a node of it.
func (f *Formulas) opposite(one *Formula) *Formula {
	if one.op == "not" {
		return one.args[0]
	}
	return f.known[fmt.Sprintf("not\x00\x00%d", one.id)]
}

func (f *Formulas) and(all ...*Formula) *Formula { return f.join("and", f.yes(), f.no(), all) }
func (f *Formulas) or(all ...*Formula) *Formula  { return f.join("or", f.no(), f.yes(), all) }

func (f *Formulas) join(op string, neutral, absorbing *Formula, all []*Formula) *Formula {
	seen := map[int]*Formula{}
	for _, one := range all {
		parts := []*Formula{one}
		if one.op == op {
			parts = one.args
		}
		for _, part := range parts {
			if opposite := f.opposite(part); part == absorbing || opposite != nil && seen[opposite.id] != nil {
				return absorbing
			}
			if part != neutral {
				seen[part.id] = part
			}
		}
	}
	f.grow(len(seen))
	if len(seen) == 0 {
		return neutral
	}
	kept := make([]*Formula, 0, len(seen))
	for _, part := range seen {
		kept = append(kept, part)
	}
	if len(kept) == 1 {
		return kept[0]
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].id < kept[j].id })
	return f.node(op, "", kept...)
}

func (f *Formulas) choose(when, one, other *Formula) *Formula {
	if when == f.yes() || one == other {
		return one
	}
	if when == f.no() {
		return other
	}
	return f.node("choose", "", when, one, other)
}
