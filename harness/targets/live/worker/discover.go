package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// entry is a resource or subresource that the server tells clients of.
type entry struct {
	info   kindInfo
	prefix string // of its path: /apis/apps/v1
	folder string // in storage, of the objects that it changes
}

// discovery is everything that is served.
type discovery struct {
	cluster  *cluster
	entries  map[string]*entry
	excluded []excluded
}

func discover(c *cluster) *discovery {
	d := &discovery{cluster: c, entries: map[string]*entry{}, excluded: []excluded{}}
	d.add(schema.GroupVersion{Version: "v1"}, "/api/v1")
	var groups metav1.APIGroupList
	d.get("/apis", &groups)
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			d.add(schema.GroupVersion{Group: group.Name, Version: version.Version}, "/apis/"+version.GroupVersion)
		}
	}
	return d
}

func (d *discovery) get(path string, into any) {
	said := d.cluster.do(d.cluster.director, "GET", path, nil, nil)
	if err := json.Unmarshal(said.body.Bytes(), into); err != nil {
		fmt.Fprintf(os.Stderr, "discovery: %s answers %d: %.300s\n", path, said.code, said.body.String())
		leave(d.cluster.dir, 2)
	}
}

func (d *discovery) add(gv schema.GroupVersion, prefix string) {
	var list metav1.APIResourceList
	d.get(prefix, &list)
	for _, one := range list.APIResources {
		resource, subresource, _ := strings.Cut(one.Name, "/")
		operations := []string{}
		for _, operation := range []string{"create", "update"} {
			if slices.Contains(one.Verbs, operation) {
				operations = append(operations, operation)
			}
		}
		object := schema.GroupVersion{Group: one.Group, Version: one.Version}
		if object.Version == "" {
			object = gv
		}
		switch {
		case len(operations) == 0:
			continue
		case strings.HasSuffix(one.Kind, "Options"):
			d.excluded = append(d.excluded, excluded{gv.Group, gv.Version, one.Name, "it opens a connection and takes no object"})
			continue
		}
		d.entries[key(gv.Group, gv.Version, one.Name)] = &entry{prefix: prefix, folder: folderOf(gv.Group, resource), info: kindInfo{
			Group: gv.Group, Version: gv.Version, Kind: one.Kind, Resource: resource, APIVersion: object.String(),
			Subresource: subresource, Operations: operations, Namespaced: one.Namespaced, Composition: defaultComposition,
			Normalization: [][2]string{}, Options: map[string]bool{},
		}}
	}
}

func key(group, version, path string) string { return group + "/" + version + "/" + path }

func (d *discovery) find(line *caseLine) *entry {
	path := line.Resource
	if line.Subresource != "" {
		path += "/" + line.Subresource
	}
	e := d.entries[key(line.Group, line.Version, path)]
	if e == nil || !slices.Contains(e.info.Operations, line.Operation) {
		return nil
	}
	return e
}

func (d *discovery) infos() []kindInfo {
	kinds := make([]kindInfo, 0, len(d.entries))
	for _, e := range d.entries {
		kinds = append(kinds, e.info)
	}
	slices.SortFunc(kinds, func(a, b kindInfo) int {
		return strings.Compare(key(a.Group, a.Version, a.Resource+"/"+a.Subresource), key(b.Group, b.Version, b.Resource+"/"+b.Subresource))
	})
	return kinds
}
