package main

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/apis/networking"
)

// Each update that a server answers before it validates is told with its status, and no other.
func TestUpdatesThatReachNoValidatorAreTold(t *testing.T) {
	stored := metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "c", ResourceVersion: "5"}
	slash := stored
	slash.Name = "a/b"
	dots, percent, space := stored, stored, stored
	dots.Name, percent.Name, space.Namespace = "..", "a%b", "a/b"
	for _, one := range []struct {
		status   string
		new, old metav1.ObjectMeta
	}{
		{"", stored, stored},
		{"", metav1.ObjectMeta{Name: "a", Namespace: "b", ResourceVersion: "5"}, stored},
		{"405", metav1.ObjectMeta{}, metav1.ObjectMeta{}},
		{"404", slash, slash},
		{"404", stored, space},
		{"400", dots, dots},
		{"400", percent, percent},
		{"400", metav1.ObjectMeta{Name: "é", Namespace: "b", ResourceVersion: "5"}, stored},
		{"400", metav1.ObjectMeta{Name: "a", Namespace: "c", ResourceVersion: "5"}, stored},
		{"409", metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "d", ResourceVersion: "5"}, stored},
		{"409", metav1.ObjectMeta{Name: "a", Namespace: "b", ResourceVersion: "6"}, stored},
		{"500", metav1.ObjectMeta{Name: "a", Namespace: "b", ResourceVersion: "x"}, stored},
		{"500", metav1.ObjectMeta{Name: "a", Namespace: "b", ResourceVersion: "-1"}, stored},
	} {
		e := &entry{store: &genericregistry.Store{}}
		if got := e.refusal(&one.new, &one.old); !strings.HasPrefix(got, one.status) || (got == "") != (one.status == "") {
			t.Errorf("%v of %v: %q, wanted %s", one.new, one.old, got, one.status)
		}
	}
	if got := (&entry{}).refusal(&metav1.ObjectMeta{Name: "a", Namespace: "b", ResourceVersion: "x"}, &stored); got != "" {
		t.Errorf("a scale is validated before its revision is looked at: %q", got)
	}
}

// The name and the revision that a client leaves out are those of the address and of storage, whichever object has them.
func TestWhatMayBeLeftOutIsFilled(t *testing.T) {
	for _, pair := range [][2]metav1.ObjectMeta{
		{{Name: "a"}, {}}, {{}, {Name: "a"}}, {{Name: "a", ResourceVersion: "0"}, {ResourceVersion: "7"}},
	} {
		new, old := &pair[0], &pair[1]
		fillOld(old, new, true)
		fillNew(new, old, true)
		if got := (&entry{store: &genericregistry.Store{}}).refusal(new, old); got != "" || new.Name != "a" || old.Name != "a" {
			t.Errorf("%q: %v of %v", got, new, old)
		}
	}
}

// Managed fields reach validation if they decode; else those of storage do, if they decode.
func TestManagedFieldsThatDecodeArrive(t *testing.T) {
	entry := func(operation, manager string) []metav1.ManagedFieldsEntry {
		return []metav1.ManagedFieldsEntry{{
			Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation), APIVersion: "v1", FieldsType: "FieldsV1",
		}}
	}
	broken, long := entry("x", "a"), entry("Update", strings.Repeat("é", 200))
	for name, one := range map[string]struct {
		sent, stored  []metav1.ManagedFieldsEntry
		isSubresource bool
		manager       string
	}{
		"what decodes arrives, however wrong":            {sent: long, stored: entry("Apply", "b"), manager: long[0].Manager},
		"what does not decode is dropped from a create":  {sent: broken},
		"an update takes what is stored instead":         {sent: broken, stored: entry("Apply", "b"), manager: "b"},
		"nothing sent is what is stored":                 {stored: entry("Apply", "b"), manager: "b"},
		"nor does what is stored arrive undecoded":       {sent: broken, stored: broken},
		"one empty entry resets":                         {sent: []metav1.ManagedFieldsEntry{{}}, stored: entry("Apply", "b")},
		"an empty list resets":                           {sent: []metav1.ManagedFieldsEntry{}, stored: entry("Apply", "b")},
		"a subresource keeps what is stored":             {sent: long, stored: entry("Apply", "b"), isSubresource: true, manager: "b"},
		"a subresource that is created has nothing":      {sent: long, isSubresource: true},
		"a subresource keeps nothing that is undecoded":  {sent: long, stored: broken, isSubresource: true},
		"a subresource cannot reset, nor can null entry": {sent: []metav1.ManagedFieldsEntry{{}}, stored: entry("Apply", "b"), isSubresource: true, manager: "b"},
	} {
		meta := &metav1.ObjectMeta{ManagedFields: one.sent}
		keepManaged(meta, one.stored, one.isSubresource)
		manager := ""
		if len(meta.ManagedFields) > 0 {
			manager = meta.ManagedFields[0].Manager
		}
		if manager != one.manager {
			t.Errorf("%s: %v", name, meta.ManagedFields)
		}
	}
}

// An object that names no kind is of the kind in the address of its request, and of none without one.
func TestTheAddressNamesTheKind(t *testing.T) {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	for _, raw := range []string{"{}", `{"kind":"ConfigMap"}`, `{"apiVersion":"v1"}`} {
		if _, found, err := decode([]byte(raw), gvk, &gvk); err != nil || found != gvk {
			t.Errorf("%s: %v, %v", raw, found, err)
		}
	}
	if _, found, err := decode([]byte(`{"apiVersion":"v1","kind":"Secret"}`), gvk, &gvk); err != nil || found.Kind != "Secret" {
		t.Errorf("%v, %v: an object that names another kind is of that kind", err, found)
	}
}

// Of equal owner references the first is left; others that differ anywhere stay, in order.
func TestRepeatedOwnersAreDropped(t *testing.T) {
	yes, no := true, false
	a, b := metav1.OwnerReference{Name: "a", UID: "é"}, metav1.OwnerReference{Name: "b", UID: "é", Controller: &yes}
	same, other := b, b
	same.Controller, other.Controller = new(bool), &no
	*same.Controller = true
	for _, one := range []struct{ sent, kept []metav1.OwnerReference }{
		{nil, nil},
		{[]metav1.OwnerReference{}, []metav1.OwnerReference{}},
		{[]metav1.OwnerReference{b, a, same, a}, []metav1.OwnerReference{b, a}},
		{[]metav1.OwnerReference{a, b, other}, []metav1.OwnerReference{a, b, other}},
	} {
		meta := &metav1.ObjectMeta{OwnerReferences: one.sent}
		if dropRepeatedOwners(meta); !reflect.DeepEqual(meta.OwnerReferences, one.kept) {
			t.Errorf("%v: %v", one.sent, meta.OwnerReferences)
		}
	}
}

// The object that a scale is part of is read as one of its kind, with these replicas and this name.
func TestAScaleHasAParent(t *testing.T) {
	scale := &autoscaling.Scale{ObjectMeta: metav1.ObjectMeta{Name: "é", Namespace: "b"}, Spec: autoscaling.ScaleSpec{Replicas: -1}}
	for resource, kind := range scaledKinds {
		gv := schema.GroupVersion{Group: "apps", Version: "v1"}
		if kind == "ReplicationController" {
			gv.Group = ""
		}
		parent := &entry{
			gv: gv, gvk: gv.WithKind(kind), info: kindInfo{Resource: resource},
			hub: schema.GroupVersion{Group: gv.Group, Version: runtime.APIVersionInternal},
		}
		obj := reflect.ValueOf(parent.withScale(scale)).Elem()
		replicas := reflect.Indirect(obj.FieldByName("Spec").FieldByName("Replicas"))
		if obj.Type().Name() != kind || replicas.Int() != -1 || obj.FieldByName("Name").String() != "é" {
			t.Errorf("%s: %v", resource, obj)
		}
	}
}

type ingresses struct{ rest.Storage }

func (ingresses) New() runtime.Object { return &networking.Ingress{} }
func (ingresses) Destroy()            {}

// A version that ended is not served, nor are its subresources; the others stay.
func TestVersionsThatEndedAreNotServed(t *testing.T) {
	served := map[string]map[string]rest.Storage{}
	for _, version := range []string{"v1", "v1beta1"} {
		served[version] = map[string]rest.Storage{"ingresses": ingresses{}, "ingresses/status": ingresses{}}
	}
	group := schema.GroupVersion{Group: "networking.k8s.io", Version: "v1"}
	err := dropRemoved(genericapiserver.APIGroupInfo{
		PrioritizedVersions: []schema.GroupVersion{group}, VersionedResourcesStorageMap: served, Scheme: legacyscheme.Scheme,
	})
	if err != nil || len(served) != 1 || len(served["v1"]) != 2 {
		t.Errorf("%v, %v", served, err)
	}
	if err := dropRemoved(genericapiserver.APIGroupInfo{}); err != nil {
		t.Errorf("a group that a gate left empty: %v", err)
	}
}

type namesBy func(string) string

func (n namesBy) GenerateName(base string) string { return n(base) }

// A name is the beginning with an ending that is always the same, or what the strategy makes of it.
func TestNamesAreMadeAsTheStrategyMakesThem(t *testing.T) {
	random := namesBy(func(base string) string { return base + "4b2zz" })
	whole := namesBy(func(base string) string { return base })
	for _, one := range []struct {
		given    metav1.ObjectMeta
		strategy namesBy
		name     string
	}{
		{metav1.ObjectMeta{GenerateName: "a-"}, random, "a-" + filledName},
		{metav1.ObjectMeta{GenerateName: strings.Repeat("a", 70)}, random, strings.Repeat("a", 58) + filledName},
		{metav1.ObjectMeta{GenerateName: "10.0.0.1"}, whole, "10.0.0.1"},
		{metav1.ObjectMeta{GenerateName: "a-", Name: "b"}, random, "b"},
		{metav1.ObjectMeta{}, random, ""},
	} {
		meta := one.given
		if fillCreated(&meta, one.strategy); meta.Name != one.name {
			t.Errorf("%v: %q", one.given, meta.Name)
		}
	}
}
