// A worker that asks generated validators: one JSON line in, one JSON line out, in the same order.
// What it can ask stands in entries, which is written from the packages found in the module.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validate is how a package is asked: new and old are of a root type, old may be a nil interface.
type validate func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList

type entry struct {
	prototype reflect.Type
	validate  validate
}

type question struct {
	Package      string          `json:"package"`
	Type         string          `json:"type"`
	Update       bool            `json:"update"`
	New          json.RawMessage `json:"new"`
	Old          json.RawMessage `json:"old"`
	Options      map[string]bool `json:"options"`
	Subresources []string        `json:"subresources"`
}

type wireError struct {
	Type         string `json:"type"`
	Field        string `json:"field"`
	Detail       string `json:"detail,omitempty"`
	Origin       string `json:"origin,omitempty"`
	Level        string `json:"level,omitempty"`
	ShortCircuit bool   `json:"short_circuit,omitempty"`
	Value        string `json:"value,omitempty"`
}

type answer struct {
	Errors  []wireError `json:"errors,omitempty"`
	Failure string      `json:"failure,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := encoder.Encode(ask(line)); err != nil {
				panic(err)
			}
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}

func ask(line []byte) answer {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Failure: err.Error()}
	}
	known, ok := entries[q.Package+"."+q.Type]
	if !ok {
		return answer{Failure: "no entry"}
	}
	obj, err := known.decode(q.New)
	if err != nil {
		return answer{Failure: err.Error()}
	}
	op := operation.Operation{Type: operation.Create, Options: optionsOf(q.Options)}
	op.Request.Subresources = q.Subresources
	var old any
	if q.Update {
		op.Type = operation.Update
		if len(q.Old) > 0 && string(q.Old) != "null" {
			if old, err = known.decode(q.Old); err != nil {
				return answer{Failure: err.Error()}
			}
		}
	}
	return answer{Errors: render(guarded(known.validate, op, obj, old))}
}

// decode returns a pointer to a value, or the value itself where generated code takes it so: lists and maps.
func (e entry) decode(data []byte) (any, error) {
	made := reflect.New(e.prototype)
	if len(data) > 0 {
		if err := json.Unmarshal(data, made.Interface()); err != nil {
			return nil, err
		}
	}
	if kind := e.prototype.Kind(); kind == reflect.Slice || kind == reflect.Map {
		return made.Elem().Interface(), nil
	}
	return made.Interface(), nil
}

// guarded turns a panic into the error that an API server makes of it.
func guarded(ask validate, op operation.Operation, obj, old any) (errs field.ErrorList) {
	defer func() {
		if r := recover(); r != nil {
			errs = field.ErrorList{field.InternalError(nil, fmt.Errorf("panic during declarative validation: %v", r))}
		}
	}()
	return ask(context.Background(), op, obj, old)
}

func render(errs field.ErrorList) []wireError {
	var out []wireError
	for _, err := range errs {
		out = append(out, wireError{
			Type: string(err.Type), Field: err.Field, Detail: err.Detail, Origin: err.Origin, Level: level(err),
			ShortCircuit: stops(err), Value: shown(err),
		})
	}
	return out
}

// level reads a mark that releases have from 1.36 on.
func level(err *field.Error) string {
	if known, ok := any(err).(interface{ IsAlpha() bool }); ok && known.IsAlpha() {
		return "alpha"
	}
	if known, ok := any(err).(interface{ IsBeta() bool }); ok && known.IsBeta() {
		return "beta"
	}
	return ""
}

// stops reads a mark that not every release has.
func stops(err *field.Error) bool {
	mark := reflect.ValueOf(*err).FieldByName("ShortCircuit")
	return mark.IsValid() && mark.Bool()
}

// shown is what stands between the words of the error's type and its detail.
func shown(err *field.Error) string {
	text := strings.TrimPrefix(err.ErrorBody(), err.Type.String())
	if err.Detail != "" {
		text = strings.TrimSuffix(text, ": "+err.Detail)
	}
	return strings.TrimPrefix(text, ": ")
}
