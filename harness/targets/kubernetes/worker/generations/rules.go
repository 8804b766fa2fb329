// Releases in which paths of declarative errors are rewritten before they are compared (1.35 and later).

package main

import "k8s.io/apimachinery/pkg/util/validation/field"

type pathRule = field.NormalizationRule
