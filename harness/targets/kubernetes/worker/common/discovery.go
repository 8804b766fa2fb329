package main

import (
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// provider is what every group's rest package has.
type provider interface {
	NewRESTStorage(serverstorage.APIResourceConfigSource, generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error)
}

// everything is a resource config that enables every version and resource; what a gate turns off stays off.
type everything struct{}

func (everything) ResourceEnabled(schema.GroupVersionResource) bool           { return true }
func (everything) AnyResourceForGroupEnabled(string) bool                     { return true }
func (everything) ResourceExplicitlyEnabled(schema.GroupVersionResource) bool { return true }
func (everything) VersionExplicitlyEnabled(schema.GroupVersion) bool          { return true }

// optionsGetter gives options whose decorator returns no storage at all: only strategies are wanted.
type optionsGetter struct{}

func (optionsGetter) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	return generic.RESTOptions{
		StorageConfig: &storagebackend.ConfigForResource{GroupResource: resource},
		Decorator: func(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error), func() runtime.Object, func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs, *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
			return nil, func() {}, nil
		},
		ResourcePrefix: resource.Resource,
	}, nil
}

// entry is one thing that can be asked.
type entry struct {
	info     kindInfo
	gv       schema.GroupVersion
	gvk      schema.GroupVersionKind // of the object, which differs from gv for scale and token requests
	hub      schema.GroupVersion
	storage  rest.Storage
	store    *genericregistry.Store // nil for kinds that are answered and not kept
	function validateFunc
	parent   *entry // of a scale: the object that has the replicas
	create   bool
	update   bool
	preserve bool // system metadata of the request is kept on create
	newFunc  func() runtime.Object
}

func (e *entry) key() string { return e.info.Group + "/" + e.info.Version + "/" + e.path() }

func (e *entry) path() string {
	if e.info.Subresource == "" {
		return e.info.Resource
	}
	return e.info.Resource + "/" + e.info.Subresource
}

type discovery struct {
	entries  map[string]*entry
	excluded []excluded
	scopes   map[string]bool // group/resource to namespaced
}

// discover builds every storage the server would serve, with no storage behind it, and keeps the strategies.
func discover() *discovery {
	d := &discovery{entries: map[string]*entry{}, scopes: map[string]bool{}}
	client := fake.NewSimpleClientset(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	authorizer := authorizerfactory.NewAlwaysAllowAuthorizer()
	parts := []any{authorizer, client.Discovery(), client.CoreV1().Namespaces(), client}
	for _, p := range providers {
		fill(p, parts)
		group := strings.TrimSuffix(reflect.TypeOf(p).Elem().PkgPath(), "/rest")
		d.try(group[strings.LastIndex(group, "/")+1:], "", "", func() error {
			info, err := p.NewRESTStorage(everything{}, optionsGetter{})
			if err == nil {
				err = dropRemoved(info)
			}
			d.addGroup(info)
			return err
		})
	}
	d.coreStorage(client)
	d.excludeOthers()
	d.finish()
	return d
}

// excludeOthers names what a server serves with two further API servers, which have modules and validators of their own.
func (d *discovery) excludeOthers() {
	for _, path := range []string{"customresourcedefinitions", "customresourcedefinitions/status"} {
		d.exclude("apiextensions.k8s.io", "v1", path, "the server for extensions serves it, which is not linked")
	}
	for _, path := range []string{"apiservices", "apiservices/status"} {
		d.exclude("apiregistration.k8s.io", "v1", path, "the aggregator serves it, which is not linked")
	}
}

// fill sets the interface fields of a provider to the first part that fits. The fields are exported, and are set by
// type because their names differ from group to group and from release to release.
func fill(target any, parts []any) {
	value := reflect.ValueOf(target).Elem()
	for i := range value.NumField() {
		f := value.Field(i)
		if f.Kind() != reflect.Interface || !f.CanSet() {
			continue
		}
		for _, part := range parts {
			if reflect.TypeOf(part).Implements(f.Type()) {
				f.Set(reflect.ValueOf(part))
				break
			}
		}
	}
}

// try notes what a part of the release says when it cannot be built, and goes on with the rest.
func (d *discovery) try(group, version, resource string, build func() error) {
	defer func() {
		if r := recover(); r != nil {
			d.exclude(group, version, resource, fmt.Sprintf("cannot be built: panic: %v", r))
		}
	}()
	if err := build(); err != nil {
		d.exclude(group, version, resource, fmt.Sprintf("cannot be built: %v", err))
	}
}

func (d *discovery) exclude(group, version, resource, reason string) {
	d.excluded = append(d.excluded, excluded{group, version, resource, reason})
}

// dropRemoved leaves out what the release builds and serves no more, with the server's own code: each type says in which
// release its version ends.
func dropRemoved(info genericapiserver.APIGroupInfo) error {
	if len(info.PrioritizedVersions) == 0 {
		return nil
	}
	release := compatibility.DefaultBuildEffectiveVersion()
	evaluator, err := genericapiserver.NewResourceExpirationEvaluatorFromOptions(genericapiserver.ResourceExpirationEvaluatorOptions{
		CurrentVersion: release.EmulationVersion(), Prerelease: release.BinaryVersion().PreRelease(),
	})
	if err != nil {
		return err
	}
	group := info.PrioritizedVersions[0].Group
	return evaluator.RemoveUnavailableKinds(group, info.Scheme, info.VersionedResourcesStorageMap, nil)
}

func (d *discovery) addGroup(info genericapiserver.APIGroupInfo) {
	group := ""
	if len(info.PrioritizedVersions) > 0 {
		group = info.PrioritizedVersions[0].Group
	}
	for version, storages := range info.VersionedResourcesStorageMap {
		for path, storage := range storages {
			d.add(schema.GroupVersion{Group: group, Version: version}, path, storage)
		}
	}
}

func (d *discovery) addCore(path string, storage rest.Storage) {
	d.add(schema.GroupVersion{Version: "v1"}, path, storage)
}

func (d *discovery) add(gv schema.GroupVersion, path string, storage rest.Storage) {
	if v := reflect.ValueOf(storage); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	d.try(gv.Group, gv.Version, path, func() error {
		d.addStorage(gv, path, storage)
		return nil
	})
}

func (d *discovery) addStorage(gv schema.GroupVersion, path string, storage rest.Storage) {
	resource, subresource, _ := strings.Cut(path, "/")
	_, creates := storage.(rest.Creater)
	_, namedCreates := storage.(rest.NamedCreater)
	_, updates := storage.(rest.Updater)
	e := &entry{gv: gv, storage: storage, newFunc: storage.New, create: creates || namedCreates, update: updates}
	if scoper, ok := storage.(rest.Scoper); ok && subresource == "" {
		d.scopes[gv.Group+"/"+resource] = scoper.NamespaceScoped()
	}
	if _, connects := storage.(rest.Connecter); connects {
		d.exclude(gv.Group, gv.Version, path, "a connection, no object to validate")
		return
	}
	if !e.create && !e.update {
		d.exclude(gv.Group, gv.Version, path, "read-only")
		return
	}
	if store := findStore(storage); store != nil && reflect.TypeOf(store.NewFunc()) == reflect.TypeOf(storage.New()) {
		e.store = store
		e.create = e.create && store.CreateStrategy != nil
		e.update = e.update && store.UpdateStrategy != nil
	} else if e.function = function(storage, resource); e.function == nil {
		d.exclude(gv.Group, gv.Version, path, "the server calls no validator for it, its handler looks at single fields")
		return
	}
	if preserver, ok := storage.(rest.SubresourceObjectMetaPreserver); ok && subresource != "" {
		e.preserve = preserver.PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate()
	}
	e.gvk = objectKind(gv, storage)
	e.hub = schema.GroupVersion{Group: e.gvk.Group, Version: runtime.APIVersionInternal}
	e.info = kindInfo{
		Group: gv.Group, Version: gv.Version, Kind: e.gvk.Kind, Resource: resource, Subresource: subresource,
		APIVersion: e.gvk.GroupVersion().String(), Storage: e.store != nil, Type: goType(e.gvk),
	}
	d.entries[e.key()] = e
}

// objectKind says what the object of a request calls itself.
func objectKind(gv schema.GroupVersion, storage rest.Storage) schema.GroupVersionKind {
	if provider, ok := storage.(rest.GroupVersionKindProvider); ok {
		return provider.GroupVersionKind(gv)
	}
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(storage.New())
	if err != nil {
		panic(err)
	}
	for _, kind := range kinds {
		if kind.Group == gv.Group {
			return gv.WithKind(kind.Kind)
		}
	}
	return gv.WithKind(kinds[0].Kind)
}

func goType(gvk schema.GroupVersionKind) string {
	obj, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		panic(err)
	}
	t := reflect.TypeOf(obj).Elem()
	return t.PkgPath() + "." + t.Name()
}

var storeType = reflect.TypeOf((*genericregistry.Store)(nil))

// findStore looks for the registry store of a storage: itself, embedded, or behind unexported fields and interfaces.
func findStore(storage any) *genericregistry.Store {
	level := []reflect.Value{reflect.ValueOf(storage)}
	for range 4 {
		var next []reflect.Value
		for _, v := range level {
			for v.IsValid() && v.Type() != storeType && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
				v = v.Elem()
			}
			if v.IsValid() && v.Type() == storeType {
				if !v.IsNil() {
					return (*genericregistry.Store)(v.UnsafePointer())
				}
				continue
			}
			if v.IsValid() && v.Kind() == reflect.Struct && v.CanAddr() {
				next = append(next, fields(v)...)
			}
		}
		level = next
	}
	return nil
}

// fields lists the fields of a struct, unexported ones readable too. It is private state of the storages of
// k8s.io/kubernetes/pkg/registry, touched because many, those of status above all, keep their store in an unexported
// field and the strategies are in the store. A method of rest.Storage that names its strategies would replace it.
func fields(v reflect.Value) []reflect.Value {
	var out []reflect.Value
	for i := range v.NumField() {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer || f.Kind() == reflect.Interface || f.Kind() == reflect.Struct {
			out = append(out, reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem())
		}
	}
	return out
}

// finish fills what is known only when everything is there: scopes, versions, and what strategies say of themselves.
func (d *discovery) finish() {
	d.addUnserved()
	for _, e := range d.entries {
		e.info.Namespaced = d.scopes[e.info.Group+"/"+e.info.Resource]
		if e.store != nil {
			e.info.Versions = otherVersions(e.gvk)
		} else if e.info.Subresource == "scale" && e.info.Through == "" {
			e.parent = d.entries[e.mainKey(e.gv.Version)]
		}
		e.describe()
	}
	d.excluded = sortedExclusions(d.excluded)
}

// otherVersions are the versions of the group that also have the kind, served or only registered.
func otherVersions(gvk schema.GroupVersionKind) []string {
	var versions []string
	for _, gv := range legacyscheme.Scheme.VersionsForGroupKind(gvk.GroupKind()) {
		if gv.Version != gvk.Version && gv.Version != runtime.APIVersionInternal {
			versions = append(versions, gv.Version)
		}
	}
	slices.Sort(versions)
	return versions
}

func sortedExclusions(all []excluded) []excluded {
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return a.Group+" "+a.Version+" "+a.Resource+a.Reason < b.Group+" "+b.Version+" "+b.Resource+b.Reason
	})
	return slices.Compact(all)
}
