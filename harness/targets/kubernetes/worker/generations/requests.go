// Releases in which an operation says which subresource is asked for (1.34 and later).

package main

import "k8s.io/apimachinery/pkg/api/operation"

type registration = validator

func validatorOf(original registration) validator { return original }

func registrationOf(watching validator) registration { return watching }

func subresourcesOf(op operation.Operation) []string { return op.Request.Subresources }

func withSubresources(op operation.Operation, path []string) operation.Operation {
	op.Request.Subresources = path
	return op
}
