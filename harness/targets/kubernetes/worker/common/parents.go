package main

import "encoding/json"

const (
	podSpec  = `{"containers":[{"name":"c","image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","dnsPolicy":"ClusterFirst"}`
	template = `{"metadata":{"labels":{"a":"b"}},"spec":` + podSpec + `}`
)

var scaledKinds = map[string]string{
	"deployments": "Deployment", "replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "replicationcontrollers": "ReplicationController",
}

// parentOf is an object that a scale is part of, and in which validation has nothing against anything but its replicas. It
// may have any metadata, without which a scale has none.
func parentOf(group, version, resource string, metadata, replicas any) []byte {
	spec := map[string]any{"replicas": replicas, "template": json.RawMessage(template), "selector": json.RawMessage(`{"matchLabels":{"a":"b"}}`)}
	switch {
	case group == "":
		spec["selector"] = json.RawMessage(`{"a":"b"}`)
	case resource == "statefulsets":
		spec["serviceName"] = "s"
	}
	if group != "" {
		version = group + "/" + version
	}
	whole, err := json.Marshal(map[string]any{"apiVersion": version, "kind": scaledKinds[resource], "metadata": metadata, "spec": spec})
	if err != nil {
		panic(err)
	}
	return whole
}
