package main

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What the server fills in on create, with values that do not change from run to run.
const (
	filledUID  = types.UID("00000000-0000-4000-8000-000000000001")
	filledName = "x7kq2"
)

var filledTime = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

// fillCreated gives a new object what the server fills in before its strategy prepares it. A name is made as the strategy
// makes it, but of what it draws by chance. Some strategies take the beginning as the whole name.
func fillCreated(objectMeta metav1.Object, strategy interface{ GenerateName(base string) string }) {
	objectMeta.SetCreationTimestamp(filledTime)
	objectMeta.SetUID(filledUID)
	if base := objectMeta.GetGenerateName(); base != "" && objectMeta.GetName() == "" {
		name := strategy.GenerateName(base)
		if name != base {
			name = base[:min(len(base), 58)] + filledName
		}
		objectMeta.SetName(name)
	}
}

// fillOld gives the old object what everything in storage has; its name is that in the address of the request.
func fillOld(oldMeta, objectMeta metav1.Object, namespaced bool) {
	if oldMeta.GetName() == "" {
		oldMeta.SetName(objectMeta.GetName())
	}
	switch {
	case !namespaced:
		oldMeta.SetNamespace("")
	case oldMeta.GetNamespace() == "":
		oldMeta.SetNamespace(metav1.NamespaceDefault)
	}
	if oldMeta.GetUID() == "" {
		oldMeta.SetUID(filledUID)
	}
	if creation := oldMeta.GetCreationTimestamp(); creation.IsZero() {
		oldMeta.SetCreationTimestamp(filledTime)
	}
	if oldMeta.GetResourceVersion() == "" {
		oldMeta.SetResourceVersion("1")
	}
}

// fillNew takes from the request's address and from storage what a client may leave out; revision 0 is none.
func fillNew(objectMeta, oldMeta metav1.Object, namespaced bool) {
	if objectMeta.GetName() == "" {
		objectMeta.SetName(oldMeta.GetName())
	}
	if objectMeta.GetNamespace() == "" || !namespaced {
		objectMeta.SetNamespace(oldMeta.GetNamespace())
	}
	if revision := objectMeta.GetResourceVersion(); revision == "" || revision == "0" {
		objectMeta.SetResourceVersion(oldMeta.GetResourceVersion())
	}
}

// keepOld keeps what no update may change, as BeforeUpdate does once the strategy has prepared the object.
func keepOld(objectMeta, oldMeta metav1.Object) {
	if objectMeta.GetUID() == "" {
		objectMeta.SetUID(oldMeta.GetUID())
	}
	if creation := oldMeta.GetCreationTimestamp(); !creation.IsZero() {
		objectMeta.SetCreationTimestamp(creation)
	}
	if !oldMeta.GetDeletionTimestamp().IsZero() {
		objectMeta.SetDeletionTimestamp(oldMeta.GetDeletionTimestamp())
	}
	if oldMeta.GetDeletionGracePeriodSeconds() != nil && objectMeta.GetDeletionGracePeriodSeconds() == nil {
		objectMeta.SetDeletionGracePeriodSeconds(oldMeta.GetDeletionGracePeriodSeconds())
	}
}
