// Package note holds the types of the objects that node_worker.mjs validates: structure only, no tags.
package note

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Note is something to remember.
type Note struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec NoteSpec `json:"spec"`
}

// NoteSpec is what is to be remembered.
type NoteSpec struct {
	// Title says it in a few words.
	Title string `json:"title"`
}
