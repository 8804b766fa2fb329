package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// wordsOf is the text of an error without its path, and without a value that nobody could read.
func wordsOf(err *field.Error) string {
	switch err.BadValue.(type) {
	case string, bool, int, int32, int64, float64:
		return err.ErrorBody()
	}
	if err.Detail == "" {
		return err.Type.String()
	}
	return err.Type.String() + ": " + err.Detail
}

// strictReason takes the path out of what the strict decoder says: `unknown field "spec.x"`.
func strictReason(text string) (path, why string) {
	if before, quoted, found := strings.Cut(text, ` "`); found {
		return strings.TrimSuffix(quoted, `"`), before
	}
	return "", text
}
