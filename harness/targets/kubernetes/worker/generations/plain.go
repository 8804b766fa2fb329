// Releases without rules for paths, whose storage of pods asks no authorizer (1.33 and 1.34).

package main

import (
	"regexp"

	"k8s.io/client-go/kubernetes"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

// pathRule would rewrite paths of declarative errors before they are compared: this release has none.
type pathRule struct {
	Regexp      *regexp.Regexp
	Replacement string
}

func pathRules(string) []pathRule { return nil }

func podStorage(nodes *nodestore.NodeStorage, client kubernetes.Interface) (podstore.PodStorage, error) {
	return podstore.NewStorage(optionsGetter{}, nodes.KubeletConnectionInfo, nil, client.PolicyV1())
}
