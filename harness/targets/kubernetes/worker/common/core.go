package main

import (
	"net"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/apis/core"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	persistentvolumestore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	persistentvolumeclaimstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podtemplatestore "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	replicationcontrollerstore "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
	"k8s.io/kubernetes/pkg/serviceaccount"
)

// noTokens stands where the server has something that signs tokens; with none there, token requests are not served.
type noTokens struct{ serviceaccount.TokenGenerator }

// coreStorage builds the core group by hand: its own provider wants a running server.
func (d *discovery) coreStorage(client kubernetes.Interface) {
	d.try("", "v1", "serviceaccounts", func() error {
		info, err := (&corerest.GenericConfig{ServiceAccountIssuer: noTokens{}}).NewRESTStorage(everything{}, optionsGetter{})
		d.addGroup(info)
		return err
	})
	d.try("", "v1", "replicationcontrollers", func() error {
		storage, err := replicationcontrollerstore.NewStorage(optionsGetter{})
		d.addCore("replicationcontrollers", storage.Controller)
		d.addCore("replicationcontrollers/status", storage.Status)
		d.addCore("replicationcontrollers/scale", storage.Scale)
		return err
	})
	d.try("", "v1", "podtemplates", func() error {
		storage, err := podtemplatestore.NewREST(optionsGetter{})
		d.addCore("podtemplates", storage)
		return err
	})
	d.try("", "v1", "limitranges", func() error {
		storage, err := limitrangestore.NewREST(optionsGetter{})
		d.addCore("limitranges", storage)
		return err
	})
	d.try("", "v1", "persistentvolumes", func() error {
		storage, status, err := persistentvolumestore.NewREST(optionsGetter{})
		d.addCore("persistentvolumes", storage)
		d.addCore("persistentvolumes/status", status)
		return err
	})
	d.try("", "v1", "persistentvolumeclaims", func() error {
		storage, status, err := persistentvolumeclaimstore.NewREST(optionsGetter{})
		d.addCore("persistentvolumeclaims", storage)
		d.addCore("persistentvolumeclaims/status", status)
		return err
	})
	d.try("", "v1", "endpoints", func() error {
		storage, err := endpointsstore.NewREST(optionsGetter{})
		d.addCore("endpoints", storage)
		return err
	})
	d.try("", "v1", "nodes", func() error { return d.nodesPodsServices(client) })
}

func (d *discovery) nodesPodsServices(client kubernetes.Interface) error {
	nodes, err := nodestore.NewStorage(optionsGetter{}, kubeletclient.KubeletClientConfig{}, nil)
	if err != nil {
		return err
	}
	d.addCore("nodes", nodes.Node)
	d.addCore("nodes/status", nodes.Status)
	d.addCore("nodes/proxy", nodes.Proxy)
	pods, err := podStorage(nodes, client)
	if err != nil {
		return err
	}
	for name, storage := range map[string]rest.Storage{
		"": pods.Pod, "/status": pods.Status, "/ephemeralcontainers": pods.EphemeralContainers, "/resize": pods.Resize,
		"/binding": pods.Binding, "/eviction": pods.Eviction, "/log": pods.Log, "/proxy": pods.Proxy, "/exec": pods.Exec,
		"/attach": pods.Attach, "/portforward": pods.PortForward,
	} {
		d.addCore("pods"+name, storage)
	}
	d.addCore("bindings", pods.LegacyBinding)
	_, cidr, err := net.ParseCIDR("10.0.0.0/16")
	if err != nil {
		return err
	}
	addresses, err := ipallocator.NewInMemory(cidr)
	if err != nil {
		return err
	}
	ports, err := portallocator.NewInMemory(utilnet.PortRange{Base: 30000, Size: 2768})
	if err != nil {
		return err
	}
	families := map[core.IPFamily]ipallocator.Interface{core.IPv4Protocol: addresses}
	services, status, proxy, err := servicestore.NewREST(optionsGetter{}, core.IPv4Protocol, families, ports, nil, pods.Pod, nil)
	if err != nil {
		return err
	}
	d.addCore("services", services)
	d.addCore("services/status", status)
	d.addCore("services/proxy", proxy)
	return nil
}
