package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Claim asks for devices, and says in its status which ones were given.
//
// +k8s:supportsSubresource="/status"
type Claim struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ClaimSpec   `json:"spec"`
	Status ClaimStatus `json:"status,omitempty"`
}

// ClaimSpec is what is asked for.
type ClaimSpec struct {
	// Requests are served together or not at all. The request named default cannot change later.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxItems=6
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:unique=map
	// +k8s:beta(since: "1.37")=+k8s:listMapKey=name
	// +k8s:beta(since: "1.37")=+k8s:item(name: "default")=+k8s:immutable
	Requests []Request `json:"requests"`

	// Source is where the devices come from.
	//
	// +k8s:beta(since: "1.37")=+k8s:subfield(pool)=+k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:subfield(pool)=+k8s:format=k8s-long-name
	Source Source `json:"source"`

	// Retention says what happens afterwards.
	//
	// +k8s:optional
	Retention *Retention `json:"retention,omitempty"`

	// Class may be filled in once.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:update=NoUnset
	// +k8s:beta(since: "1.37")=+k8s:update=NoModify
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
	Class string `json:"class,omitempty"`

	// Priority decides who is served first. Needs the feature ClaimPriority.
	//
	// +k8s:beta(since: "1.37")=+k8s:ifDisabled(ClaimPriority)=+k8s:forbidden
	// +k8s:ifEnabled(ClaimPriority)=+k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:ifEnabled(ClaimPriority)=+k8s:minimum=-10
	// +k8s:beta(since: "1.37")=+k8s:ifEnabled(ClaimPriority)=+k8s:maximum=10
	Priority *int32 `json:"priority,omitempty"`

	// Zones are where the devices may be: at least two, so that one may fail.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:listType=set
	// +k8s:beta(since: "1.37")=+k8s:minItems=2
	// +k8s:beta(since: "1.37")=+k8s:maxItems=4
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:format=k8s-label-value
	Zones []string `json:"zones,omitempty"`

	// Parameters are read by the driver alone.
	//
	// +k8s:optional
	// +k8s:alpha(since: "1.37")=+k8s:maxBytes=48
	Parameters string `json:"parameters,omitempty"`
}

// Source is exactly one place.
type Source struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:unionMember
	Pool string `json:"pool,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:unionMember
	Node *NodeSource `json:"node,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:unionMember
	// +k8s:listType=set
	Fabrics []string `json:"fabrics,omitempty"`
}

// NodeSource is one machine.
type NodeSource struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
	Name string `json:"name"`
}

// RetentionPolicy is what happens to what was on a device.
//
// +k8s:beta(since: "1.37")=+k8s:enum
type RetentionPolicy string

const (
	// RetentionErase erases.
	RetentionErase RetentionPolicy = "Erase"
	// RetentionKeep keeps.
	RetentionKeep RetentionPolicy = "Keep"
	// RetentionNone does nothing.
	RetentionNone RetentionPolicy = "None"
)

// Retention says what happens to what was on a device. The member named by the policy is given, no other.
type Retention struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:unionDiscriminator
	Policy RetentionPolicy `json:"policy"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:unionMember
	Erase *EraseOptions `json:"erase,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:unionMember(memberName: "Keep")
	Days *int32 `json:"days,omitempty"`
}

// EraseOptions say how well.
type EraseOptions struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	// +k8s:beta(since: "1.37")=+k8s:maximum=7
	Passes *int32 `json:"passes,omitempty"`
}

// Request asks for devices of one class.
type Request struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-short-name
	Name string `json:"name"`

	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-long-name
	DeviceClass string `json:"deviceClass"`

	// Count and All exclude each other; without them one device is meant.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:zeroOrOneOfMember
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	Count *int64 `json:"count,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:zeroOrOneOfMember
	All bool `json:"all,omitempty"`

	// Selectors are tried in turn.
	//
	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:maxItems=4
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:maxBytes=32
	Selectors []string `json:"selectors,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:maxLength=16
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:minimum=1
	Capacity map[string]int64 `json:"capacity,omitempty"`
}

// ClaimStatus says which devices were given, and to whom.
type ClaimStatus struct {
	// Allocation may be taken back, not exchanged.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:update=NoModify
	Allocation *Allocation `json:"allocation,omitempty"`

	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=uid
	// +k8s:beta(since: "1.37")=+k8s:maxItems=4
	ReservedFor []Consumer `json:"reservedFor,omitempty"`
}

// Allocation is what was given.
type Allocation struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:maxItems=6
	Devices []string `json:"devices"`
}

// Consumer uses the devices.
type Consumer struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-uuid
	UID string `json:"uid"`

	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-path-segment-name
	Name string `json:"name"`
}
