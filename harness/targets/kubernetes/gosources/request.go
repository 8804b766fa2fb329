package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// readRequest decodes what is asked from standard input. The program ends if it cannot.
func readRequest(request any) {
	if err := json.NewDecoder(os.Stdin).Decode(request); err != nil {
		fail(err)
	}
}

// listRelease lists the packages of a release in which kinds are validated, and all that they import. The program ends
// if it cannot.
func listRelease(command, folder string, isRead func(*Package) bool) *Sources {
	sources, err := list(command, folder, []string{
		"k8s.io/kubernetes/pkg/registry/...", "k8s.io/kubernetes/pkg/apis/...",
	}, isRead)
	if err != nil {
		fail(err)
	}
	return sources
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
