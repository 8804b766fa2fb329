package main

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
)

// What a server looks at around validation: handlers compare the body of an update with the address of the request, the
// storage compares it with what is stored, and the field manager decodes managed fields.

// refusal says with which status, and why, a server answers an update before it validates; empty where it validates. It
// follows the handler of updates, the preconditions of storage, and Store.Update. A scale is validated before its
// revision is looked at.
func (e *entry) refusal(objectMeta, oldMeta metav1.Object) string {
	name, revision := oldMeta.GetName(), objectMeta.GetResourceVersion()
	switch {
	case name == "":
		return "405, because no object without a name is stored"
	case strings.Contains(name, "/") || strings.Contains(oldMeta.GetNamespace(), "/"):
		return "404, because no address of an object has a name or a namespace with a slash"
	case path.ValidatePathSegmentName(name, false) != nil:
		return "400, because no object is stored whose name " + strings.Join(path.ValidatePathSegmentName(name, false), " and ")
	case objectMeta.GetName() != name:
		return "400, because metadata.name is not the name in the address of the request"
	case objectMeta.GetNamespace() != oldMeta.GetNamespace():
		return "400, because metadata.namespace is not the namespace in the address of the request"
	case objectMeta.GetUID() != "" && objectMeta.GetUID() != oldMeta.GetUID():
		return "409, because metadata.uid is not that of the stored object"
	case e.store == nil || revision == oldMeta.GetResourceVersion():
		return ""
	}
	if _, err := strconv.ParseUint(revision, 10, 64); err != nil {
		return "500, because metadata.resourceVersion is not a number"
	}
	return "409, because metadata.resourceVersion is not that of the stored object"
}

// keepManaged leaves the managed fields that validation sees: those of the request, if they decode, and else what is
// stored. A subresource cannot write them, and one empty entry resets them.
func keepManaged(objectMeta metav1.Object, stored []metav1.ManagedFieldsEntry, isSubresource bool) {
	managed := objectMeta.GetManagedFields()
	isReset := managed != nil && len(managed) == 0 || len(managed) == 1 && managed[0] == metav1.ManagedFieldsEntry{}
	switch {
	case isSubresource:
	case isReset:
		objectMeta.SetManagedFields(nil)
		return
	case len(managed) > 0 && managedfields.ValidateManagedFields(managed) == nil:
		return
	}
	if managedfields.ValidateManagedFields(stored) != nil {
		stored = nil
	}
	objectMeta.SetManagedFields(stored)
}

// dropRepeatedOwners leaves each owner reference once, as the handlers of creates and updates do.
func dropRepeatedOwners(objectMeta metav1.Object) {
	owners := objectMeta.GetOwnerReferences()
	var kept []metav1.OwnerReference
	for _, one := range owners {
		if !slices.ContainsFunc(kept, func(other metav1.OwnerReference) bool { return equality.Semantic.DeepEqual(one, other) }) {
			kept = append(kept, one)
		}
	}
	if len(kept) < len(owners) {
		objectMeta.SetOwnerReferences(kept)
	}
}

// scaled leaves of the old scale's metadata what a server makes it of: an object with replicas has no other part in it.
func (q *question) scaled() {
	old, ok := q.old.(*autoscaling.Scale)
	if !ok || q.entry.store != nil {
		return
	}
	old.ObjectMeta = metav1.ObjectMeta{
		Name: old.Name, Namespace: old.Namespace, UID: old.UID, ResourceVersion: old.ResourceVersion,
		CreationTimestamp: old.CreationTimestamp, ManagedFields: old.ManagedFields,
	}
}

// parentErrors are those with which a server rejects a scale that validation accepts, under every setting: it puts the
// replicas into the object that has them, and validates all of it, as an update through the same subresource. What else is
// in that object is valid. Its covered errors are left out, because its rules may take their place.
func (q *question) parentErrors() field.ErrorList {
	parent := q.entry.parent
	if parent == nil || q.old == nil || q.line.Mode == "given" || q.unreachable != "" {
		return nil
	}
	obj, old := parent.withScale(q.obj.(*autoscaling.Scale)), parent.withScale(q.old.(*autoscaling.Scale))
	parent.store.UpdateStrategy.PrepareForUpdate(q.context(), obj, old)
	errs := parent.judge(q.context(), "update", obj, old, &call{enter: func(string) {}})
	return slices.DeleteFunc(errs, func(err *field.Error) bool { return err.CoveredByDeclarative })
}

// withScale is an object of which this is the scale.
func (e *entry) withScale(scale *autoscaling.Scale) runtime.Object {
	metadata := metav1.ObjectMeta{
		Name: scale.Name, Namespace: scale.Namespace, UID: filledUID, ResourceVersion: "1", CreationTimestamp: filledTime,
	}
	whole := parentOf(e.gv.Group, e.gv.Version, e.info.Resource, metadata, scale.Spec.Replicas)
	return (&question{entry: e, line: &caseLine{}}).read(whole, "")
}

// unstorable says why the old object of an update is in no storage, as far as this release knows: it is refused as a new
// object, and by an update that leaves it as it is. Ratcheting lets the latter pass for what older releases have stored.
func (s *server) unstorable(q *question) string {
	main := s.found.entries[q.entry.mainKey(q.entry.gv.Version)]
	if q.old == nil || main == nil || main.store == nil || !main.create || !main.update || main.gvk != q.entry.gvk {
		return ""
	}
	created := s.refusalOf(main, &caseLine{Operation: "create", Object: q.line.Old})
	if created == "" || s.refusalOf(main, &caseLine{Operation: "update", Object: q.line.Old, Old: q.line.Old}) == "" {
		return ""
	}
	return "422 to whoever stores the old object, because " + created
}

// refusalOf is the first of what validators have against an object, or what else keeps it from being stored.
func (s *server) refusalOf(e *entry, line *caseLine) (why string) {
	q := &question{entry: e, line: line}
	defer func() {
		if r := recover(); r != nil {
			why = q.failure(r).Message
		}
	}()
	out := answer{}
	if q.run(&out); len(out.Handwritten) > 0 {
		why = strings.TrimSuffix(out.Handwritten[0].Field+": "+out.Handwritten[0].Detail, ": ")
	}
	return why
}
