// Added by overlay to package rest: how the worker asks for a capture.

package rest

import "context"

type harnessKey struct{}

// WithHarnessCapture returns a context under which strategies stop before declarative validation and leave what they
// would have handed to it.
func WithHarnessCapture(ctx context.Context) (context.Context, *HarnessCall) {
	call := &HarnessCall{}
	return context.WithValue(ctx, harnessKey{}, call), call
}
