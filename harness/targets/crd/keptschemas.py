"""Spares a worker of CRDs the server's most frequent repetition: CEL asks a schema for its members again and again.

`Structural.Properties` builds a map of all members whenever a rule reads one: a quarter of the time that the server
takes for an object with many rules. Schemas do not change once they are served, so in the copy of its file each is
asked once, when its definition is loaded, and the answer is kept. It is found by the map in the schema itself, which
all shallow copies of a schema share. What the server makes of a schema later, such as one with the metadata of a whole
object, is unknown to it and takes the time that it did.
"""

from __future__ import annotations

from pathlib import Path

from harness.limits import read_checkout_text
from harness.targets.kubernetes.hooks import Hook

FILE = "pkg/apiserver/schema/cel/model/adaptor.go"
_IMPORTS = "\nimport (\n"
_METHOD = """
func (s *Structural) Properties() map[string]common.Schema {
	if s.Structural.Properties == nil {
		return nil
	}
	res := make(map[string]common.Schema, len(s.Structural.Properties))
	for n, prop := range s.Structural.Properties {
		s := prop
		res[n] = &Structural{Structural: &s}
	}
	return res
}
"""
_KEPT = """
func (s *Structural) Properties() map[string]common.Schema {
	if kept, ok := harnessKept[harnessKey(s.Structural)]; ok {
		return kept
	}
	return s.harnessMake()
}

func (s *Structural) harnessMake() map[string]common.Schema {
"""
_TABLE = """
var harnessKept = map[unsafe.Pointer]map[string]common.Schema{}

func harnessKey(s *schema.Structural) unsafe.Pointer { return reflect.ValueOf(s.Properties).UnsafePointer() }

// HarnessKeep keeps the members of a schema and of all that it contains. The schema may not change afterwards, and
// nothing may be asked meanwhile.
func HarnessKeep(s *schema.Structural) {
	if s == nil {
		return
	}
	HarnessKeep(s.Items)
	if s.AdditionalProperties != nil {
		HarnessKeep(s.AdditionalProperties.Structural)
	}
	for _, member := range s.Properties {
		HarnessKeep(&member)
	}
	if s.Properties != nil {
		harnessKept[harnessKey(s)] = (&Structural{Structural: s}).harnessMake()
	}
}
"""
_CONNECTION = """package main

import "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"

func init() { keepMembers = model.HarnessKeep }
"""


def keep_members(apiextensions: Path) -> bytes:
    """Return the file whose schemas keep their members; empty if its method has another form."""
    file = apiextensions / FILE
    source = read_checkout_text(file) if file.is_file() else ""
    if source.count(_METHOD) != 1 or source.count(_IMPORTS) != 1 or "harness" in source:
        return b""
    body = _METHOD.partition("{\n")[2]
    source = source.replace(_METHOD, _KEPT + body).replace(_IMPORTS, f'{_IMPORTS}\t"reflect"\n\t"unsafe"\n\n')
    return (source + _TABLE).encode()


KEPT_SCHEMAS = Hook("k8s.io/apiextensions-apiserver", FILE, keep_members, _CONNECTION)
