package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CertificateRequest asks a signer for a certificate. What is asked for never changes; people approve or deny it, and
// the signer answers in the status.
//
// +k8s:supportsSubresource="/status"
// +k8s:supportsSubresource="/approval"
type CertificateRequest struct {
	metav1.TypeMeta `json:",inline"`

	// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:subfield(name)=+k8s:format=k8s-long-name
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +k8s:beta(since: "1.37")=+k8s:immutable
	Spec CertificateRequestSpec `json:"spec"`

	Status CertificateRequestStatus `json:"status,omitempty"`
}

// KeyUsage is what a key may be used for.
//
// +k8s:enum
type KeyUsage string

const (
	// UsageSigning is for signatures.
	UsageSigning KeyUsage = "signing"
	// UsageServer is for servers.
	UsageServer KeyUsage = "server auth"
	// UsageClient is for clients.
	UsageClient KeyUsage = "client auth"
)

// CertificateRequestSpec is what is asked for.
type CertificateRequestSpec struct {
	// Request is the text of the request, in a form that the signer knows.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:minLength=8
	// +k8s:beta(since: "1.37")=+k8s:maxBytes=200
	Request string `json:"request"`

	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-prefixed-label-key
	SignerName string `json:"signerName"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:minimum=600
	ExpirationSeconds *int32 `json:"expirationSeconds,omitempty"`

	// The words of Usages are standard rules: no code checks them any more.
	//
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:listType=set
	Usages []KeyUsage `json:"usages"`

	// +k8s:optional
	// +k8s:listType=atomic
	// +k8s:beta(since: "1.37")=+k8s:unique=set
	// +k8s:beta(since: "1.37")=+k8s:maxItems=5
	// +k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:format=k8s-long-name-caseless
	Hosts []string `json:"hosts,omitempty"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:format=k8s-uuid
	RequesterUID string `json:"requesterUID,omitempty"`

	// Extra is what is known of the requester besides.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:eachKey=+k8s:format=k8s-label-key
	// +k8s:alpha(since: "1.37")=+k8s:eachVal=+k8s:maxBytes=40
	Extra map[string]string `json:"extra,omitempty"`
}

// CertificateRequestStatus is what became of it.
type CertificateRequestStatus struct {
	// Certificate is written once.
	//
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:update=NoModify
	// +k8s:beta(since: "1.37")=+k8s:update=NoUnset
	// +k8s:beta(since: "1.37")=+k8s:maxBytes=400
	Certificate string `json:"certificate,omitempty"`

	// Conditions say whether the request was approved, denied or failed. It cannot be approved and denied.
	//
	// +k8s:optional
	// +k8s:listType=map
	// +k8s:listMapKey=type
	// +k8s:beta(since: "1.37")=+k8s:maxItems=6
	// +k8s:beta(since: "1.37")=+k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember
	// +k8s:beta(since: "1.37")=+k8s:item(type: "Denied")=+k8s:zeroOrOneOfMember
	Conditions []Condition `json:"conditions,omitempty"`
}

// Condition is one observation.
type Condition struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	// +k8s:beta(since: "1.37")=+k8s:maxLength=40
	Type string `json:"type"`

	// +k8s:beta(since: "1.37")=+k8s:required
	Status ConditionStatus `json:"status"`

	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=30
	Reason string `json:"reason,omitempty"`

	// +k8s:optional
	LastUpdateTime *metav1.Time `json:"lastUpdateTime,omitempty"`
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
