package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// requestUser may do anything: what a user may do is asked of other objects (policies, say), which are not here.
var requestUser = &user.DefaultInfo{
	Name: "harness", UID: "harness", Groups: []string{user.SystemPrivilegedGroup, "system:authenticated"},
}

// gates is held for writing while global gates are flipped, and for reading by everybody else.
var gates sync.RWMutex

// stage is where an answer failed.
type stageError struct {
	stage   string
	message string
	panic   bool
}

// question is one case on its way.
type question struct {
	entry    *entry
	line     *caseLine
	stage    string
	clock    time.Time
	obj, old runtime.Object
	name     string
	space    string
	spent    map[string]int64

	unreachable string // why no request gets to the validators with these objects
}

func (e *entry) context(operation, name, version, namespace string) context.Context {
	ctx := genericapirequest.WithRequestInfo(context.Background(), &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: operation, APIPrefix: "apis", APIGroup: e.gv.Group, APIVersion: version,
		Resource: e.info.Resource, Subresource: e.info.Subresource, Namespace: namespace, Name: name,
	})
	ctx = genericapirequest.WithUser(ctx, requestUser)
	return genericapirequest.WithNamespace(ctx, namespace)
}

// whole is what the server does between preparing and storing, both lists composed.
func (e *entry) whole(ctx context.Context, operation string, obj, old runtime.Object) field.ErrorList {
	switch {
	case e.function != nil:
		return e.function(ctx, obj, old)
	case operation == "create":
		return wholeCreate(ctx, obj, e.store.CreateStrategy)
	default:
		return wholeUpdate(ctx, obj, old, e.store.UpdateStrategy)
	}
}

// judge asks both sides by the server's own path; the declarative list is left in call.
func (e *entry) judge(ctx context.Context, operation string, obj, old runtime.Object, c *call) field.ErrorList {
	ctx = withCall(ctx, c)
	switch {
	case e.function != nil:
		return c.split(e.function(ctx, obj, old))
	case operation == "create":
		return judgeCreate(ctx, obj, e.store.CreateStrategy, c)
	default:
		return judgeUpdate(ctx, obj, old, e.store.UpdateStrategy, c)
	}
}

// alone runs the handwritten side by itself, where the release has a way to; nil where it has none.
func (q *question) alone(ctx context.Context) func() {
	switch store := q.entry.store; {
	case q.entry.function != nil:
		return nil
	case q.old == nil:
		return aloneCreate(ctx, q.obj, store.CreateStrategy)
	default:
		return aloneUpdate(ctx, q.obj, q.old, store.UpdateStrategy)
	}
}

// answer asks again what began in one second and ended in the next, unless it takes long: defaults and strategies fill in
// the present second, and whether both objects got the same one is no matter of the case.
func (s *server) answer(line *caseLine) answer {
	for {
		begin := time.Now()
		out := s.answerOnce(line)
		if end := time.Now(); end.Unix() == begin.Unix() || end.Sub(begin) > longCase {
			return out
		}
	}
}

// longCase is how long a case may take that is asked again because a second ended meanwhile.
const longCase = 200 * time.Millisecond

// answerOnce never panics: a panic becomes a failure with the stage at which it happened.
func (s *server) answerOnce(line *caseLine) (out answer) {
	out.ID = line.ID
	e := s.find(line)
	if e == nil {
		out.Failure = &failure{Stage: "decode", Message: fmt.Sprintf("not served: %s/%s %s %s/%s", line.Group, line.Version, line.Kind, line.Resource, line.Subresource)}
		return out
	}
	if !slices.Contains(e.info.Operations, line.Operation) {
		out.Failure = &failure{Stage: "decode", Message: fmt.Sprintf("%s is not served for %s", line.Operation, e.path())}
		return out
	}
	q := &question{entry: e, line: line}
	if s.measure {
		q.spent = map[string]int64{}
	}
	if line.Served || line.Measure != nil || line.Trace {
		gates.Lock()
		defer gates.Unlock()
	} else {
		gates.RLock()
		defer gates.RUnlock()
	}
	defer func() {
		if r := recover(); r != nil {
			out.Failure = q.failure(r)
			if out.Failure.Panic && q.stage == "prepare" && q.unreachable == "" {
				q.unreachable = s.unstorable(q)
			}
		}
		out.Unreachable = q.unreachable
	}()
	c := q.run(&out)
	if line.Measure != nil && out.Failure == nil {
		out.Cost = q.cost(c, s.gates[servingGate])
	}
	out.Nanoseconds = q.spent
	return out
}

func (q *question) failure(recovered any) *failure {
	if known, ok := recovered.(stageError); ok {
		return &failure{Stage: known.stage, Message: known.message, Panic: known.panic}
	}
	return &failure{Stage: q.stage, Message: fmt.Sprintf("panic: %v", recovered), Panic: true, At: panicPlace()}
}

// enter starts a stage, and says where the time of the one before went.
func (q *question) enter(stage string) {
	if q.spent != nil {
		now := time.Now()
		if q.stage != "" {
			q.spent[q.stage] += now.Sub(q.clock).Nanoseconds()
		}
		q.clock = now
	}
	q.stage = stage
}

func (q *question) fail(err error) {
	if err != nil {
		panic(stageError{stage: q.stage, message: err.Error()})
	}
}

func (q *question) run(out *answer) *call {
	q.obj = q.internal(q.line.Object)
	if q.line.Operation == "update" {
		if len(q.line.Old) == 0 || string(q.line.Old) == "null" {
			q.stage = "decode"
			q.fail(fmt.Errorf("an update wants an old object"))
		}
		q.old = q.internal(q.line.Old)
		q.nameBoth()
	}
	q.enter("prepare")
	finish := q.prepare()
	defer finish()
	handwritten, c := q.judge()
	out.Handwritten, out.Declarative = wireErrors(handwritten), wireErrors(c.declarative())
	if c.panicked != nil {
		out.Failure = &failure{Stage: "declarative", Message: panicText(c.panicked), Panic: true, At: c.panickedAt}
	}
	if out.Failure == nil && !slices.ContainsFunc(out.Handwritten, func(one wireError) bool { return !one.Covered }) {
		out.Parent = wireErrors(q.parentErrors())
	}
	if q.line.Repeat && out.Failure == nil {
		out.Failure = q.repeat(out)
	}
	if q.line.Versions && c.calls > 0 {
		q.enter("declarative")
		out.Versions = q.versions(c)
	}
	if q.line.Validated && !(q.line.Brief && out.refused()) {
		q.enter("convert")
		out.Validated = q.validated(c)
	}
	if q.line.Served {
		q.enter("compose")
		out.Served = q.served()
	}
	if q.line.Trace {
		q.trace(out)
	}
	if q.line.RoundTrip && out.Failure == nil && !(q.line.Brief && out.refused()) {
		q.enter("convert")
		out.RoundTrips = q.roundTrips()
	}
	q.enter("")
	return c
}

// trace asks once more, and adds to each error the calls that made it, to a handwritten one its source too.
func (q *question) trace(out *answer) {
	seen, stop := traceErrors()
	defer stop()
	handwritten, c := q.judge()
	seen.addTo(out.Handwritten, handwritten, true)
	seen.addTo(out.Declarative, c.declarative(), false)
}

// prepare does what happens to an object between decoding and validation: metadata that the server fills in, defaults
// that a storage adds, and the strategy's own preparation. In mode `given` only the request's name is read.
func (q *question) prepare() (finish func()) {
	finish = func() {}
	objectMeta, err := meta.Accessor(q.obj)
	q.fail(err)
	served := q.line.Mode != "given"
	q.space = objectMeta.GetNamespace()
	if served {
		dropRepeatedOwners(objectMeta)
	}
	if q.old != nil {
		oldMeta, err := meta.Accessor(q.old)
		q.fail(err)
		if served {
			fillOld(oldMeta, objectMeta, q.entry.info.Namespaced)
			fillNew(objectMeta, oldMeta, q.entry.info.Namespaced)
			q.space = objectMeta.GetNamespace()
			q.unreachable = q.entry.refusal(objectMeta, oldMeta)
			keepManaged(objectMeta, oldMeta.GetManagedFields(), q.entry.info.Subresource != "")
			q.scaled()
		}
		if q.space == "" {
			q.space = oldMeta.GetNamespace()
		}
	}
	if !q.entry.info.Namespaced {
		q.space = ""
	} else if q.space == "" && served {
		q.space = metav1.NamespaceDefault
	}
	q.name = objectMeta.GetName()
	if !served {
		return finish
	}
	if q.old == nil {
		return q.prepareCreate(objectMeta)
	}
	return q.prepareUpdate(objectMeta)
}

var dryRun = []string{metav1.DryRunAll} // allocators hand out nothing, and the same every time

func (q *question) prepareCreate(objectMeta metav1.Object) (finish func()) {
	finish = func() {}
	e := q.entry
	q.fail(rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(q.space, e.info.Namespaced), objectMeta))
	if !e.preserve {
		rest.WipeObjectMetaSystemFields(objectMeta)
	}
	keepManaged(objectMeta, nil, e.info.Subresource != "")
	if e.store == nil {
		return finish
	}
	fillCreated(objectMeta, e.store.CreateStrategy)
	q.name = objectMeta.GetName()
	ctx := e.context("create", q.name, e.gv.Version, q.space)
	if e.store.BeginCreate != nil {
		done, err := e.store.BeginCreate(ctx, q.obj, &metav1.CreateOptions{DryRun: dryRun})
		q.fail(err)
		if done != nil {
			finish = func() { done(ctx, false) }
		}
	}
	e.store.CreateStrategy.PrepareForCreate(ctx, q.obj)
	return finish
}

// prepareUpdate follows Store.Update and BeforeUpdate, step by step.
func (q *question) prepareUpdate(objectMeta metav1.Object) (finish func()) {
	finish = func() {}
	e := q.entry
	if e.store == nil {
		return finish
	}
	ctx := e.context("update", q.name, e.gv.Version, q.space)
	if e.store.BeginUpdate != nil {
		done, err := e.store.BeginUpdate(ctx, q.obj, q.old, &metav1.UpdateOptions{DryRun: dryRun})
		q.fail(err)
		if done != nil {
			finish = func() { done(ctx, false) }
		}
	}
	oldMeta, err := meta.Accessor(q.old)
	q.fail(err)
	objectMeta.SetGeneration(oldMeta.GetGeneration())
	e.store.UpdateStrategy.PrepareForUpdate(ctx, q.obj, q.old)
	keepOld(objectMeta, oldMeta)
	return finish
}

// judge asks both sides once.
func (q *question) judge() (field.ErrorList, *call) {
	q.enter("handwritten")
	c := &call{overrides: q.line.Options, enter: q.enter, keep: q.line.Validated}
	handwritten := q.entry.judge(q.context(), q.line.Operation, q.obj, q.old, c)
	return handwritten, c
}

func (q *question) context() context.Context {
	return q.entry.context(q.line.Operation, q.name, q.entry.gv.Version, q.space)
}

// versions asks the declarative side of every other version of the kind, with the options of this one.
func (q *question) versions(c *call) map[string][]wireError {
	lists := map[string][]wireError{}
	for _, version := range q.entry.info.Versions {
		ctx := q.entry.context(q.line.Operation, q.name, version, q.space)
		lists[version] = list(q.another(ctx, c, schema.GroupVersion{Group: q.entry.gvk.Group, Version: version}))
	}
	return lists
}

func (q *question) another(ctx context.Context, c *call, gv schema.GroupVersion) (errs field.ErrorList) {
	defer func() {
		if r := recover(); r != nil {
			errs = panicErrors(r)
		}
	}()
	obj, old := q.converted(gv)
	if validate := generatedValidators[reflect.TypeOf(obj)]; validate != nil {
		return validate(ctx, c.operation, obj, old)
	}
	return nil
}

// converted is both objects in another version; old is nil for a create.
func (q *question) converted(gv schema.GroupVersion) (obj, old any) {
	obj, err := legacyscheme.Scheme.ConvertToVersion(q.obj, gv)
	q.fail(err)
	if q.old != nil {
		old, err = legacyscheme.Scheme.ConvertToVersion(q.old, gv)
		q.fail(err)
	}
	return obj, old
}

// list renders a list that is never left out.
func list(errs field.ErrorList) []wireError {
	if len(errs) == 0 {
		return []wireError{}
	}
	return wireErrors(errs)
}

// served asks the server's own path under each setting. The caller holds the lock: gates are global.
func (q *question) served() (lists []servedList) {
	defer setServing(false) // also after a panic
	for _, one := range settings() {
		if !setServing(one.serving) {
			continue
		}
		ctx := q.context()
		if one.mark != nil {
			ctx = one.mark(ctx)
		}
		lists = append(lists, servedList{one.name, one.gates, q.whole(ctx)})
	}
	return lists
}

func (q *question) whole(ctx context.Context) []wireError {
	if len(q.line.Options) > 0 {
		ctx = withCall(ctx, &call{overrides: q.line.Options})
	}
	return list(q.entry.whole(ctx, q.line.Operation, q.obj, q.old))
}

// repeat asks again, and looks whether asking changed the object.
func (q *question) repeat(first *answer) *failure {
	obj, old := q.obj.DeepCopyObject(), q.old
	if old != nil {
		old = old.DeepCopyObject()
	}
	handwritten, c := q.judge()
	q.enter("self")
	switch {
	case !sameErrors(first.Handwritten, wireErrors(handwritten)):
		return &failure{Stage: "self", Message: "handwritten validation gave two answers to one case"}
	case !sameErrors(first.Declarative, wireErrors(c.declarative())):
		return &failure{Stage: "self", Message: "declarative validation gave two answers to one case"}
	case !equality.Semantic.DeepEqual(obj, q.obj):
		return &failure{Stage: "self", Message: "validation changed the object"}
	case old != nil && !equality.Semantic.DeepEqual(old, q.old):
		return &failure{Stage: "self", Message: "validation changed the old object"}
	}
	return nil
}

// sameErrors compares without order: validators that walk maps report in any order.
func sameErrors(a, b []wireError) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortFunc(a, compareErrors)
	slices.SortFunc(b, compareErrors)
	return slices.Equal(a, b)
}

func compareErrors(a, b wireError) int { return strings.Compare(a.order(), b.order()) }

func (s *server) find(line *caseLine) *entry {
	if line.Resource != "" {
		path := line.Resource
		if line.Subresource != "" {
			path += "/" + line.Subresource
		}
		return s.found.entries[line.Group+"/"+line.Version+"/"+path]
	}
	gv := schema.GroupVersion{Group: line.Group, Version: line.Version}
	return s.byKind[gv.WithKind(line.Kind).String()+"/"+line.Subresource]
}
