// Package field has errors and paths in the form that validators of Kubernetes use.
package field

import "fmt"

type Error struct {
	Type, Field, Origin string
	Covered             bool
}

type ErrorList []*Error

func Invalid(path *Path, value any, detail string) *Error {
	return &Error{Type: "Invalid", Field: path.text}
}
func Required(path *Path, detail string) *Error { return &Error{Type: "Required", Field: path.text} }
func Duplicate(path *Path, value any) *Error    { return &Error{Type: "Duplicate", Field: path.text} }

func (e *Error) WithOrigin(origin string) *Error {
	e.Origin = origin
	return e
}

func (e *Error) MarkCoveredByDeclarative() *Error {
	e.Covered = true
	return e
}

func (e *Error) String() string {
	text := e.Type + " " + e.Field
	if e.Origin != "" {
		text += " " + e.Origin
	}
	if e.Covered {
		text += " covered"
	}
	return text
}

type Path struct{ text string }

func NewPath(name string) *Path         { return &Path{name} }
func (p *Path) Child(name string) *Path { return &Path{p.text + "." + name} }
func (p *Path) Index(i int) *Path       { return &Path{fmt.Sprintf("%s[%d]", p.text, i)} }
