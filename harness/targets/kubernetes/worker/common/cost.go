package main

import (
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What one case may take to be measured, whatever was asked for: nobody waits longer for an answer.
const (
	mostRounds   = 1000
	mostSample   = 100 * time.Millisecond
	mostTime     = 4 * time.Second
	mostCounted  = 100      // runs of which allocations are counted
	mostGarbage  = 64 << 20 // bytes that may wait for the collector, which rests while something is measured
	firstSamples = 3        // rounds that are made even when time is over
)

// part is something to be measured.
type part struct {
	name  string
	run   func()
	spent *spent
}

// stripped is the whole path without what the generated functions do.
const stripped = "stripped"

// collected is how large the heap was after the collector ran last. The caller of cost holds the lock of the gates.
var collected uint64

// cost measures the parts of one case, which was answered before. The parts take turns, a sample each, so that whatever
// slows the machine down meets all of them. The collector rests: what it takes depends on everything else in memory,
// so allocations are counted and not timed. The caller holds the lock of the gates: nobody else is answered.
func (q *question) cost(c *call, serving bool) *cost {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	setServing(serving)
	defer setServing(false)
	restCollector := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetMemoryLimit(limit)
	defer debug.SetGCPercent(restCollector)
	tidy()
	sample := min(max(time.Duration(q.line.Measure.Nanoseconds), time.Microsecond), mostSample)
	parts, end := q.parts(c), time.Now().Add(mostTime)
	for _, p := range parts {
		p.spent.Loops = p.calibrate(sample)
	}
	for round := range min(max(q.line.Measure.Rounds, 1), mostRounds) {
		if round >= firstSamples && time.Now().After(end) {
			break
		}
		for i := range parts {
			p := parts[(i+round)%len(parts)]
			p.spent.Nanoseconds = append(p.spent.Nanoseconds, perRun(p.time(p.spent.Loops), p.spent.Loops))
		}
	}
	out := &cost{Clock: clockName, Parts: map[string]*spent{}}
	for _, p := range parts {
		p.count()
		out.Parts[p.name] = p.spent
	}
	out.derive()
	return out
}

// tidy collects garbage when there is much of it.
func tidy() {
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapAlloc > collected+mostGarbage || collected == 0 {
		runtime.GC()
		runtime.ReadMemStats(&memory)
		collected = memory.HeapAlloc
	}
}

// parts are reading the object (decode, default, convert to internal), and what the server does between preparing and
// storing: all of it, the handwritten side, conversion to the requested version, and the generated function.
func (q *question) parts(c *call) []*part {
	ctx, operation := q.context(), q.line.Operation
	parts := []*part{
		{name: "read", run: func() { q.read(q.line.Object, "") }},
		{name: "both", run: func() { q.entry.whole(ctx, operation, q.obj, q.old) }},
	}
	if alone := q.alone(ctx); alone != nil {
		parts = append(parts, &part{name: "handwritten", run: alone})
	} else {
		without := withCall(ctx, &call{idle: true})
		parts = append(parts, &part{name: stripped, run: func() { q.entry.whole(without, operation, q.obj, q.old) }})
	}
	if c.calls > 0 {
		gv := schema.GroupVersion{Group: q.entry.gvk.Group, Version: q.entry.gvk.Version}
		obj, old := q.converted(gv)
		validate := generatedValidators[reflect.TypeOf(obj)]
		parts = append(parts,
			&part{name: "convert", run: func() { q.converted(gv) }},
			&part{name: "declarative", run: func() { validate(ctx, c.operation, obj, old) }})
	}
	for _, p := range parts {
		p.spent = &spent{}
	}
	return parts
}

// time runs the part so many times.
func (p *part) time(loops int) time.Duration {
	start := clock()
	for range loops {
		p.run()
	}
	return clock() - start
}

// calibrate finds how often a part has to run for one sample, and warms it up.
func (p *part) calibrate(sample time.Duration) int {
	loops := 1
	for {
		took := p.time(loops)
		if took >= sample || loops >= 1<<20 {
			return loops
		}
		wanted := float64(loops) * 1.1 * float64(sample) / float64(max(took, time.Microsecond))
		loops = min(int(wanted)+1, loops*100)
	}
}

// count counts what one run allocates; what others allocate meanwhile is rounded away.
func (p *part) count() {
	loops := uint64(min(p.spent.Loops, mostCounted))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range loops {
		p.run()
	}
	runtime.ReadMemStats(&after)
	p.spent.Objects = (after.Mallocs - before.Mallocs) / loops
	p.spent.Bytes = (after.TotalAlloc - before.TotalAlloc) / loops
}

// derive tells the handwritten side where it cannot be asked alone: the whole path with idle generated functions, less
// the conversion, round by round.
func (c *cost) derive() {
	whole := c.Parts[stripped]
	if whole == nil {
		return
	}
	delete(c.Parts, stripped)
	c.Parts["handwritten"] = whole
	if convert := c.Parts["convert"]; convert != nil {
		for i := range whole.Nanoseconds {
			whole.Nanoseconds[i] = max(0, whole.Nanoseconds[i]-convert.Nanoseconds[i])
		}
		whole.Objects -= min(whole.Objects, convert.Objects)
		whole.Bytes -= min(whole.Bytes, convert.Bytes)
	}
}

func perRun(took time.Duration, loops int) float64 {
	return math.Round(10*float64(took.Nanoseconds())/float64(loops)) / 10
}
