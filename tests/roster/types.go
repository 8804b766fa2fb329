package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Roster says who works when on one ward of a hospital.
type Roster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec RosterSpec `json:"spec"`
}

// RosterSpec is the plan of one ward.
type RosterSpec struct {
	// Ward is the mark of the ward. What it looks like is said by hand alone.
	Ward string `json:"ward"`

	// Weeks is how long the plan holds.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	// +k8s:beta(since: "1.37")=+k8s:maximum=14
	Weeks int32 `json:"weeks"`

	// Lead answers for the plan, from its beginning to its end.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:immutable
	Lead string `json:"lead,omitempty"`

	// Shifts are the turns of one week.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:listType=map
	// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
	// +k8s:beta(since: "1.37")=+k8s:maxItems=6
	Shifts []Shift `json:"shifts,omitempty"`

	// Call is who is called when somebody is ill.
	//
	// +k8s:optional
	Call *Call `json:"call,omitempty"`
}

// Shift is one turn.
type Shift struct {
	// Name tells it from the others.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Name string `json:"name"`

	// Hours is how long it takes.
	//
	// +k8s:beta(since: "1.37")=+k8s:minimum=2
	// +k8s:beta(since: "1.37")=+k8s:maximum=12
	Hours int32 `json:"hours"`

	// Floor is where it is.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=20
	Floor string `json:"floor,omitempty"`
}

// Call is a person and a pager.
type Call struct {
	// Pager is the pager's number; an empty one is a pager without a number.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	Pager *string `json:"pager,omitempty"`

	// Note is for who calls.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=40
	Note string `json:"note,omitempty"`
}
