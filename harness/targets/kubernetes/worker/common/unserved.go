package main

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// addUnserved offers what is registered and not served, such as apps/v1beta1: each resource, with its subresources, is
// asked with the strategy of a served version, which learns from the request which version it is asked for.
func (d *discovery) addUnserved() {
	for _, e := range slices.Collect(maps.Values(d.entries)) {
		main := d.entries[e.mainKey(e.gv.Version)]
		if main == nil || d.leading(e) != e.gv.Version {
			continue
		}
		for _, version := range otherVersions(main.gvk) {
			if served := d.entries[e.mainKey(version)]; served != nil && served.info.Through == "" {
				continue
			}
			if other := e.in(version); other != nil {
				d.entries[other.key()] = other
			}
		}
	}
}

// mainKey is the key of the resource itself in a version.
func (e *entry) mainKey(version string) string {
	return e.info.Group + "/" + version + "/" + e.info.Resource
}

// leading is the version, among those that serve it, that the release puts first.
func (d *discovery) leading(e *entry) string {
	for _, gv := range legacyscheme.Scheme.PrioritizedVersionsForGroup(e.gv.Group) {
		if served := d.entries[e.gv.Group+"/"+gv.Version+"/"+e.path()]; served != nil && served.info.Through == "" {
			return gv.Version
		}
	}
	return e.gv.Version
}

// in is the same storage asked through another version, nil when that version has no such object.
func (e *entry) in(version string) *entry {
	other := *e
	other.gv = schema.GroupVersion{Group: e.gv.Group, Version: version}
	other.gvk = objectKind(other.gv, e.storage)
	if !legacyscheme.Scheme.Recognizes(other.gvk) {
		return nil
	}
	other.hub = schema.GroupVersion{Group: other.gvk.Group, Version: runtime.APIVersionInternal}
	other.info.Version, other.info.Through = version, e.gv.Version
	other.info.Kind, other.info.APIVersion, other.info.Type = other.gvk.Kind, other.gvk.GroupVersion().String(), goType(other.gvk)
	return &other
}
