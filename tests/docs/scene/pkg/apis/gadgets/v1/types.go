package v1

// Gadget is one of the things that the pages speak of.
type Gadget struct {
	// Name of the gadget.
	//
	// +k8s:required
	// +k8s:maxLength=63
	Name string `json:"name"`
}
