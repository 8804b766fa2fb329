package v1

// Widget is one of the things that the pages speak of.
type Widget struct {
	// Name of the widget.
	//
	// +k8s:required
	// +k8s:maxLength=63
	Name string `json:"name"`
}
