// Releases whose storage of pods asks an authorizer (1.35 and later).

package main

import (
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/client-go/kubernetes"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
)

func podStorage(nodes *nodestore.NodeStorage, client kubernetes.Interface) (podstore.PodStorage, error) {
	return podstore.NewStorage(optionsGetter{}, nodes.KubeletConnectionInfo, nil, client.PolicyV1(), authorizerfactory.NewAlwaysAllowAuthorizer())
}
