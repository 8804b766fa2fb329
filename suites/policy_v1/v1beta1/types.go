package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Policy says which traffic a target takes.
type Policy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PolicySpec `json:"spec"`
}

// Mode is what a policy does.
//
// +k8s:beta(since: "1.37")=+k8s:enum
type Mode string

const (
	// ModeEnforce refuses.
	ModeEnforce Mode = "Enforce"
	// ModeWarn only warns.
	ModeWarn Mode = "Warn"
)

// PolicySpec says which traffic a target takes.
type PolicySpec struct {
	// Mode defaults to Enforce.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	Mode Mode `json:"mode,omitempty"`

	// TargetKind is what kind of thing takes the traffic. It never changes.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:immutable
	// +k8s:beta(since: "1.37")=+k8s:maxLength=24
	TargetKind string `json:"targetKind"`

	// TargetName is which one it is. It never changes.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:immutable
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
	TargetName string `json:"targetName"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	// +k8s:beta(since: "1.37")=+k8s:maximum=1000
	MaxConnections *int32 `json:"maxConnections,omitempty"`

	// +k8s:optional
	// +k8s:alpha(since: "1.37")=+k8s:minimum=1
	MaxRequestsPerSecond *int32 `json:"maxRequestsPerSecond,omitempty"`

	// Rules are tried in order.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxItems=5
	// +k8s:beta(since: "1.37")=+k8s:listType=map
	// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
	Rules []Rule `json:"rules"`
}

// Action is what happens to traffic that a rule matches.
//
// +k8s:beta(since: "1.37")=+k8s:enum
type Action string

const (
	// ActionAllow lets it in.
	ActionAllow Action = "Allow"
	// ActionDeny does not.
	ActionDeny Action = "Deny"
	// ActionLog lets it in and remembers it.
	ActionLog Action = "Log"
)

// Rule matches traffic.
type Rule struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Name string `json:"name"`

	// +k8s:beta(since: "1.37")=+k8s:required
	Verb Action `json:"verb"`

	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:maxItems=4
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:minimum=1
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:maximum=65535
	Ports []int32 `json:"ports,omitempty"`

	// Note is for people.
	//
	// +k8s:optional
	// +k8s:maxLength=60
	Note string `json:"note,omitempty"`
}
