package main

import utilfeature "k8s.io/apiserver/pkg/util/feature"

func setGates(list string) error {
	if list == "" {
		return nil
	}
	return utilfeature.DefaultMutableFeatureGate.Set(list)
}

func knownGates() map[string]bool {
	known := map[string]bool{}
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		known[string(name)] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return known
}
