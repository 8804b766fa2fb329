package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workload keeps a number of copies of a template running.
//
// +k8s:supportsSubresource="/status"
// +k8s:supportsSubresource="/pause"
type Workload struct {
	metav1.TypeMeta `json:",inline"`

	// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:format=k8s-short-name
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec WorkloadSpec `json:"spec"`

	Status WorkloadStatus `json:"status,omitempty"`
}

// WorkloadSpec is what a user wants.
type WorkloadSpec struct {
	// Replicas is how many copies should run. Defaults to 1.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	// +k8s:alpha(since: "1.37")=+k8s:maximum=5000
	Replicas *int32 `json:"replicas,omitempty"`

	// MinReadySeconds is how long a copy must be ready before it counts.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	MinReadySeconds int32 `json:"minReadySeconds,omitempty"`

	// Selector finds the copies. It must match the labels of the template, and never changes.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:immutable
	// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-label-key
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:format=k8s-label-value
	Selector map[string]string `json:"selector"`

	// Strategy says how copies are replaced.
	//
	// +k8s:optional
	Strategy *Strategy `json:"strategy,omitempty"`

	// Paused stops all replacing. Only the subresource pause sets it.
	//
	// +k8s:optional
	Paused *Pause `json:"paused,omitempty"`

	Template Template `json:"template"`
}

// Pause says why and by whom a workload was paused.
type Pause struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=64
	Reason string `json:"reason"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
	By string `json:"by,omitempty"`
}

// StrategyType names a way to replace copies.
//
// +k8s:beta(since: "1.37")=+k8s:enum
type StrategyType string

const (
	// RollingStrategy replaces copies one after the other.
	RollingStrategy StrategyType = "Rolling"
	// RecreateStrategy stops all copies first.
	RecreateStrategy StrategyType = "Recreate"
)

// Strategy says how copies are replaced.
type Strategy struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	Type StrategyType `json:"type"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	// +k8s:beta(since: "1.37")=+k8s:maximum=100
	MaxUnavailable *int32 `json:"maxUnavailable,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	// +k8s:beta(since: "1.37")=+k8s:maximum=100
	MaxSurge *int32 `json:"maxSurge,omitempty"`
}

// Template is what each copy looks like.
type Template struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-label-key
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:format=k8s-label-value
	Labels map[string]string `json:"labels,omitempty"`

	// Containers all run in each copy.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxItems=8
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:unique=map
	// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
	Containers []Container `json:"containers"`

	// Groups are numbers of groups that the processes belong to.
	//
	// +k8s:optional
	// +k8s:listType=set
	// +k8s:maxItems=4
	// +k8s:eachVal=+k8s:minimum=1
	Groups []int64 `json:"groups,omitempty"`
}

// Container is one program of a copy.
type Container struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Name string `json:"name"`

	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=120
	Image string `json:"image"`

	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:maxItems=6
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:minLength=1
	Command []string `json:"command,omitempty"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=port
	// +k8s:listMapKey=protocol
	Ports []Port `json:"ports,omitempty"`
}

// Protocol is a way to talk.
//
// +k8s:beta(since: "1.37")=+k8s:enum
type Protocol string

const (
	// TCP is a stream.
	TCP Protocol = "TCP"
	// UDP is single messages.
	UDP Protocol = "UDP"
)

// Port is where a container listens.
type Port struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Name string `json:"name,omitempty"`

	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	// +k8s:beta(since: "1.37")=+k8s:maximum=65535
	Port int32 `json:"port"`

	// Protocol defaults to TCP.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	Protocol Protocol `json:"protocol,omitempty"`
}

// WorkloadStatus is what was seen last.
type WorkloadStatus struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	Replicas int32 `json:"replicas,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=type
	// +k8s:beta(since: "1.37")=+k8s:maxItems=8
	Conditions []Condition `json:"conditions,omitempty"`
}

// ConditionStatus is whether a condition holds.
//
// +k8s:beta(since: "1.37")=+k8s:enum
type ConditionStatus string

const (
	// ConditionTrue holds.
	ConditionTrue ConditionStatus = "True"
	// ConditionFalse does not hold.
	ConditionFalse ConditionStatus = "False"
	// ConditionUnknown may hold or not.
	ConditionUnknown ConditionStatus = "Unknown"
)

// Condition is one observation.
type Condition struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	Type string `json:"type"`

	// +k8s:beta(since: "1.37")=+k8s:required
	Status ConditionStatus `json:"status"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=256
	Message string `json:"message,omitempty"`
}

// Scale is how many copies a workload should have, and nothing else.
//
// +k8s:isSubresource="/scale"
type Scale struct {
	metav1.TypeMeta `json:",inline"`

	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ScaleSpec `json:"spec,omitempty"`
}

// ScaleSpec is the wanted number of copies.
type ScaleSpec struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	// +k8s:alpha(since: "1.37")=+k8s:maximum=5000
	Replicas int32 `json:"replicas,omitempty"`
}
