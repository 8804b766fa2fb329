// Package medium holds a type of the size that users write every day: thirty fields, two lists of structs.
package medium

// Queue names where a task waits.
//
// +k8s:enum
type Queue string

const (
	Fast Queue = "Fast"
	Slow Queue = "Slow"
	Bulk Queue = "Bulk"
)

// Protocol is a way to talk.
//
// +k8s:enum
type Protocol string

const (
	TCP Protocol = "TCP"
	UDP Protocol = "UDP"
)

// Task is run once.
type Task struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string `json:"name"`
	// +k8s:required
	// +k8s:format=k8s-short-name
	Namespace string `json:"namespace"`
	// +k8s:required
	// +k8s:maxLength=63
	Owner string `json:"owner"`
	// +k8s:optional
	// +k8s:maxLength=200
	Description string `json:"description,omitempty"`
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=1000
	Priority *int32 `json:"priority,omitempty"`
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=5000
	Replicas *int32 `json:"replicas,omitempty"`
	// +k8s:optional
	// +k8s:minimum=0
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=10
	Retries *int32 `json:"retries,omitempty"`
	// +k8s:required
	Queue Queue `json:"queue"`
	// +k8s:optional
	Suspended bool `json:"suspended,omitempty"`
	// +k8s:required
	// +k8s:maxLength=120
	Image string `json:"image"`
	// +k8s:optional
	// +k8s:maxItems=6
	// +k8s:eachVal=+k8s:minLength=1
	// +k8s:listType=atomic
	Command []string `json:"command,omitempty"`
	// +k8s:optional
	// +k8s:maxLength=100
	WorkingDir string `json:"workingDir,omitempty"`
	// +k8s:optional
	// +k8s:maxItems=4
	// +k8s:listType=set
	// +k8s:eachVal=+k8s:minimum=1
	Groups []int64 `json:"groups,omitempty"`
	// +k8s:optional
	// +k8s:eachVal=+k8s:maxLength=63
	Labels map[string]string `json:"labels,omitempty"`
	// +k8s:required
	Resources *Resources `json:"resources"`
	// +k8s:required
	Schedule *Schedule `json:"schedule"`
	// +k8s:optional
	// +k8s:maxItems=8
	// +k8s:listType=atomic
	Ports []Port `json:"ports,omitempty"`
	// +k8s:optional
	// +k8s:maxItems=16
	// +k8s:listType=atomic
	Env []Variable `json:"env,omitempty"`
}

// Resources are what a task needs.
type Resources struct {
	// +k8s:minimum=1
	// +k8s:maximum=64000
	CPU int32 `json:"cpu"`
	// +k8s:minimum=1
	Memory int64 `json:"memory"`
	// +k8s:minimum=0
	Disk int64 `json:"disk"`
	// +k8s:minimum=0
	// +k8s:maximum=8
	GPU int32 `json:"gpu"`
}

// Schedule says when a task is run.
type Schedule struct {
	// +k8s:minimum=0
	// +k8s:maximum=59
	Minute int32 `json:"minute"`
	// +k8s:minimum=0
	// +k8s:maximum=23
	Hour int32 `json:"hour"`
}

// Port is where a task listens.
type Port struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string `json:"name"`
	// +k8s:required
	// +k8s:minimum=1
	// +k8s:maximum=65535
	Port int32 `json:"port"`
	// +k8s:required
	Protocol Protocol `json:"protocol"`
}

// Variable is given to the program.
type Variable struct {
	// +k8s:required
	// +k8s:maxLength=63
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:maxLength=200
	Value string `json:"value,omitempty"`
}
