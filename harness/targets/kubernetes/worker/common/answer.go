package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

const betaGate = "DeclarativeValidationBeta"

// What the server fills in on create, with values that do not change from run to run.
const (
	filledUID  = types.UID("00000000-0000-4000-8000-000000000001")
	filledName = "x7kq2"
)

var filledTime = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

var requestUser = &user.DefaultInfo{Name: "harness", UID: "harness", Groups: []string{"system:authenticated"}}

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
}

func (e *entry) context(operation, name, version, namespace string) context.Context {
	ctx := genericapirequest.WithRequestInfo(context.Background(), &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: operation, APIPrefix: "apis", APIGroup: e.gv.Group, APIVersion: version,
		Resource: e.info.Resource, Subresource: e.info.Subresource, Namespace: namespace, Name: name,
	})
	ctx = genericapirequest.WithUser(ctx, requestUser)
	return genericapirequest.WithNamespace(ctx, namespace)
}

// validate is what the server does between preparing and storing.
func (e *entry) validate(ctx context.Context, operation string, obj, old runtime.Object) field.ErrorList {
	switch {
	case e.function != nil:
		return e.function(ctx, obj, old)
	case operation == "create":
		return rest.HarnessValidateCreate(ctx, obj, e.store.CreateStrategy)
	default:
		return rest.HarnessValidateUpdate(ctx, obj, old, e.store.UpdateStrategy)
	}
}

// answer never panics: a panic becomes a failure with the stage at which it happened.
func (s *server) answer(line *caseLine) (out answer) {
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
	defer func() {
		if r := recover(); r != nil {
			out.Failure = q.failure(r)
		}
	}()
	if line.Served {
		gates.Lock()
		defer gates.Unlock()
	} else {
		gates.RLock()
		defer gates.RUnlock()
	}
	q.run(&out)
	out.Nanoseconds = q.spent
	return out
}

func (q *question) failure(recovered any) *failure {
	if known, ok := recovered.(stageError); ok {
		return &failure{Stage: known.stage, Message: known.message, Panic: known.panic}
	}
	return &failure{Stage: q.stage, Message: fmt.Sprintf("panic: %v", recovered), Panic: true}
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

func (q *question) run(out *answer) {
	q.obj = q.internal(q.line.Object)
	if q.line.Operation == "update" {
		if len(q.line.Old) == 0 || string(q.line.Old) == "null" {
			q.stage = "decode"
			q.fail(fmt.Errorf("an update wants an old object"))
		}
		q.old = q.internal(q.line.Old)
	}
	q.enter("prepare")
	finish := q.prepare()
	defer finish()
	handwritten, declarative, call := q.judge()
	out.Handwritten, out.Declarative = wireErrors(handwritten), wireErrors(declarative.errs)
	if declarative.panic != "" {
		out.Failure = &failure{Stage: "declarative", Message: declarative.panic, Panic: true}
	}
	if q.line.Repeat && out.Failure == nil {
		out.Failure = q.repeat(out)
	}
	if q.line.Versions && call.Calls > 0 {
		q.enter("declarative")
		out.Versions = q.versions(call)
	}
	if q.line.Served {
		q.enter("compose")
		out.Served = q.served()
	}
	q.enter("")
}

func (q *question) internal(raw []byte) runtime.Object {
	e := q.entry
	q.enter("decode")
	obj, gvk, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	q.fail(err)
	if *gvk != e.gvk {
		q.fail(fmt.Errorf("the object is a %s of %s, wanted a %s of %s", gvk.Kind, gvk.GroupVersion(), e.gvk.Kind, e.gvk.GroupVersion()))
	}
	if q.line.Mode != "given" {
		q.enter("default")
		legacyscheme.Scheme.Default(obj)
	}
	q.enter("convert")
	internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(obj, e.hub)
	q.fail(err)
	return internal
}

// prepare does what happens to an object between decoding and validation: metadata that the server fills in, defaults
// that a storage adds, and the strategy's own preparation. In mode `given` only the request's name is read.
func (q *question) prepare() (finish func()) {
	finish = func() {}
	objectMeta, err := meta.Accessor(q.obj)
	q.fail(err)
	served := q.line.Mode != "given"
	q.space = objectMeta.GetNamespace()
	if q.old != nil {
		oldMeta, err := meta.Accessor(q.old)
		q.fail(err)
		if served {
			q.fillOld(oldMeta)
			q.fillNew(objectMeta, oldMeta)
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

// fillOld gives the old object what everything in storage has.
func (q *question) fillOld(oldMeta metav1.Object) {
	if q.entry.function != nil && q.entry.store == nil && q.line.Operation != "update" {
		return
	}
	if q.entry.info.Namespaced && oldMeta.GetNamespace() == "" {
		oldMeta.SetNamespace(metav1.NamespaceDefault)
	}
	if oldMeta.GetUID() == "" {
		oldMeta.SetUID(filledUID)
	}
	if creation := oldMeta.GetCreationTimestamp(); creation.IsZero() {
		oldMeta.SetCreationTimestamp(filledTime)
	}
	if oldMeta.GetResourceVersion() == "" {
		oldMeta.SetResourceVersion("1")
	}
}

// fillNew takes from the request's address and from storage what a client may leave out.
func (q *question) fillNew(objectMeta, oldMeta metav1.Object) {
	if objectMeta.GetName() == "" {
		objectMeta.SetName(oldMeta.GetName())
	}
	if objectMeta.GetNamespace() == "" || !q.entry.info.Namespaced {
		objectMeta.SetNamespace(oldMeta.GetNamespace())
	}
	if objectMeta.GetResourceVersion() == "" {
		objectMeta.SetResourceVersion(oldMeta.GetResourceVersion())
	}
	q.space = objectMeta.GetNamespace()
}

var dryRun = []string{metav1.DryRunAll} // allocators hand out nothing, and the same every time

func (q *question) prepareCreate(objectMeta metav1.Object) (finish func()) {
	finish = func() {}
	e := q.entry
	q.fail(rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(q.space, e.info.Namespaced), objectMeta))
	if !e.preserve {
		rest.WipeObjectMetaSystemFields(objectMeta)
	}
	if e.store == nil {
		return finish
	}
	objectMeta.SetCreationTimestamp(filledTime)
	objectMeta.SetUID(filledUID)
	if generate := objectMeta.GetGenerateName(); generate != "" && objectMeta.GetName() == "" {
		objectMeta.SetName(generate[:min(len(generate), 58)] + filledName)
	}
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
	if objectMeta.GetUID() == "" {
		objectMeta.SetUID(oldMeta.GetUID())
	}
	if creation := oldMeta.GetCreationTimestamp(); !creation.IsZero() {
		objectMeta.SetCreationTimestamp(creation)
	}
	if !oldMeta.GetDeletionTimestamp().IsZero() {
		objectMeta.SetDeletionTimestamp(oldMeta.GetDeletionTimestamp())
	}
	if oldMeta.GetDeletionGracePeriodSeconds() != nil && objectMeta.GetDeletionGracePeriodSeconds() == nil {
		objectMeta.SetDeletionGracePeriodSeconds(oldMeta.GetDeletionGracePeriodSeconds())
	}
	return finish
}

// declared is a declarative list, and the panic that cut it short.
type declared struct {
	errs  field.ErrorList
	panic string
}

// judge asks both sides: the strategy stops before declarative validation and leaves what it would have handed over.
func (q *question) judge() (field.ErrorList, declared, *rest.HarnessCall) {
	q.enter("handwritten")
	version := q.entry.gv.Version
	ctx, call := rest.WithHarnessCapture(q.context(version))
	handwritten := q.entry.validate(ctx, q.line.Operation, q.obj, q.old)
	q.enter("declarative")
	var declarative declared
	if call.Calls > 0 {
		declarative = q.declare(call, version)
	}
	if call.Composition() == "explicit" && q.line.Operation == "create" && hidesMetadata(declarative.errs) {
		handwritten = strategyErrors(handwritten)
	}
	return handwritten, declarative, call
}

func (q *question) context(version string) context.Context {
	return q.entry.context(q.line.Operation, q.name, version, q.space)
}

func (q *question) declare(call *rest.HarnessCall, version string) (out declared) {
	defer func() {
		if r := recover(); r != nil {
			out.panic = fmt.Sprintf("panic during declarative validation: %v", r)
			out.errs = field.ErrorList{field.InternalError(nil, fmt.Errorf("panic during declarative validation: %v", r))}
		}
	}()
	return declared{errs: call.Declarative(q.context(version), q.line.Options)}
}

// versions asks the declarative side of every other version of the kind.
func (q *question) versions(call *rest.HarnessCall) map[string][]wireError {
	lists := map[string][]wireError{}
	for _, version := range q.entry.info.Versions {
		lists[version] = wireErrors(q.declare(call, version).errs)
		if lists[version] == nil {
			lists[version] = []wireError{}
		}
	}
	return lists
}

// served asks the server's own path under each setting. The caller holds the lock: gates are global.
func (q *question) served() []servedList {
	was := utilfeature.DefaultFeatureGate.Enabled(betaGate)
	defer setBeta(was)
	var lists []servedList
	for _, beta := range []bool{true, false} {
		setBeta(beta)
		name := "beta-off"
		if beta {
			name = "beta-on"
		}
		lists = append(lists, servedList{name, map[string]bool{betaGate: beta}, q.whole(q.context(q.entry.gv.Version))})
	}
	setBeta(was)
	ctx := rest.WithAllDeclarativeEnforcedForTest(q.context(q.entry.gv.Version))
	return append(lists, servedList{"graduated", map[string]bool{}, q.whole(ctx)})
}

func (q *question) whole(ctx context.Context) []wireError {
	errs := wireErrors(q.entry.validate(ctx, q.line.Operation, q.obj, q.old))
	if errs == nil {
		return []wireError{}
	}
	return errs
}

func setBeta(enabled bool) {
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{betaGate: enabled}); err != nil {
		panic(stageError{stage: "compose", message: err.Error()})
	}
}

// repeat asks again, and looks whether asking changed the object.
func (q *question) repeat(first *answer) *failure {
	obj, old := q.obj.DeepCopyObject(), q.old
	if old != nil {
		old = old.DeepCopyObject()
	}
	handwritten, declarative, _ := q.judge()
	q.enter("self")
	switch {
	case !sameErrors(first.Handwritten, wireErrors(handwritten)):
		return &failure{Stage: "self", Message: "handwritten validation gave two answers to one case"}
	case !sameErrors(first.Declarative, wireErrors(declarative.errs)):
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

// hidesMetadata says whether a strategy that opted in would have complained, so that metadata was not looked at.
func hidesMetadata(declarative field.ErrorList) bool {
	for _, err := range declarative {
		if !err.IsAlpha() {
			return true
		}
	}
	return false
}

// strategyErrors drops the metadata errors that follow an empty list of the strategy.
func strategyErrors(handwritten field.ErrorList) field.ErrorList {
	for _, err := range handwritten {
		if err.FromImperative {
			return handwritten
		}
	}
	return nil
}

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
