package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Backup copies a volume somewhere else, on a schedule.
type Backup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BackupSpec `json:"spec"`
}

// BackupSpec says what is copied, when, and where to.
type BackupSpec struct {
	// Schedule names a schedule of the cluster. It never changes.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:immutable
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Schedule string `json:"schedule"`

	// KeepDays is how long a copy is kept. It never changes.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:immutable
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	// +k8s:beta(since: "1.37")=+k8s:maximum=28
	KeepDays int32 `json:"keepDays"`

	// Destination is where the copies go, if not to the place of the cluster.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=32
	Destination string `json:"destination,omitempty"`

	// Paused stops the schedule.
	//
	// +k8s:optional
	Paused bool `json:"paused,omitempty"`
}
