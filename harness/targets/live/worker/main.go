// The running server: a release's kube-apiserver and its etcd in one process, which is asked by cases on standard input,
// one JSON document per line. It answers with the lists of errors that a client gets.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"k8s.io/klog/v2"
)

// answered is the answer to a case, with what only a server has to say.
type answered struct {
	ID      int64      `json:"id"`
	Served  []response `json:"served,omitempty"`
	Failure *failure   `json:"failure,omitempty"`
}

type worker struct {
	lock  sync.Mutex // gates are global, and two cases may be about one stored object
	found *discovery
}

func main() {
	release := flag.String("release", "", "what the answers are said to come from")
	gateList := flag.String("gates", "", "feature gates, as in A=true,B=false")
	checkGates := flag.Bool("check-gates", false, "print the gates that are known and what is wrong with --gates, then stop")
	folder := flag.String("folder", "", "an existing folder for what the server stores; one of its own in it is taken away at the end")
	config := flag.String("kubeconfig", "", "where to write how clients reach the server")
	hold := flag.Bool("hold", false, "answer no cases, and serve clients until the input ends or the process is told to stop")
	listen := flag.String("listen", "127.0.0.1:0", "the address that clients connect to")
	flag.Parse()
	quieten()
	if *checkGates {
		check(*gateList)
		return
	}
	dir, err := os.MkdirTemp(*folder, "s")
	stop("making a folder", err)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ended
		leave(dir, 0)
	}()
	c, err := start(dir, *gateList, *listen)
	if err != nil {
		fmt.Fprintln(os.Stderr, "the server does not start:", err)
		leave(dir, 2)
	}
	if *config != "" {
		if err := c.writeConfig(*config); err != nil {
			fmt.Fprintln(os.Stderr, "writing the kubeconfig:", err)
			leave(dir, 2)
		}
	}
	if *hold {
		fmt.Println(c.address)
		_, _ = io.Copy(io.Discard, os.Stdin)
		leave(dir, 0)
	}
	w := &worker{found: discover(c)}
	serve(input(), w.info(*release), w.reply)
	leave(dir, 0)
}

// quieten keeps the server's log from whoever reads our words; a panic still says where it was.
func quieten() {
	logs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(logs)
	_ = logs.Set("logtostderr", "false")
	_ = logs.Set("alsologtostderr", "false")
	_ = logs.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
}

func check(gateList string) {
	message := ""
	if err := setGates(gateList); err != nil {
		message = err.Error()
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"error": message, "gates": knownGates()})
}

func stop(doing string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, doing+":", err)
		os.Exit(2)
	}
}

// leave ends the process without ceremony: nothing of what is stored is kept.
func leave(dir string, code int) {
	_ = os.RemoveAll(filepath.Clean(dir))
	os.Exit(code)
}

func (w *worker) info(release string) targetInfo {
	return targetInfo{
		Name: "kube-apiserver " + release, Protocol: protocol, Release: release, Abilities: []string{"served", "update"},
		Kinds: w.found.infos(), Excluded: w.found.excluded, Ruled: []ruledKind{}, Gates: knownGates(),
	}
}

func (w *worker) reply(raw []byte) []byte {
	var out answered
	line, err := readCase(raw)
	if err != nil {
		out = answered{ID: idOf(raw), Failure: &failure{Stage: "decode", Message: "not a case: " + err.Error()}}
	} else {
		out = w.answer(&line)
	}
	encoded, err := json.Marshal(out)
	if err != nil {
		encoded, _ = json.Marshal(answered{ID: line.ID, Failure: &failure{Stage: "compose", Message: err.Error()}})
	}
	return encoded
}

// answer asks a case under every setting of the migration's gate, and as if all rules had graduated.
func (w *worker) answer(line *caseLine) answered {
	e := w.found.find(line)
	if e == nil {
		path := line.Resource
		if line.Subresource != "" {
			path += "/" + line.Subresource
		}
		return answered{ID: line.ID, Served: everywhere(fmt.Sprintf("404 NotFound: the server does not serve %s of %s", path, strings.TrimPrefix(line.Group+"/"+line.Version, "/")))}
	}
	r, err := e.request(line)
	if err != nil {
		return answered{ID: line.ID, Failure: &failure{Stage: "decode", Message: err.Error()}}
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	out := answered{ID: line.ID}
	for _, s := range settings() {
		if !setServing(s.serving) { // other gates forbid it
			continue
		}
		said, err := w.found.cluster.ask(r, s.mark)
		if err != nil {
			out.Failure = &failure{Stage: "prepare", Message: err.Error()}
			return out
		}
		said.Setting, said.Gates = s.name, s.gates
		out.Served = append(out.Served, said)
	}
	return out
}

// everywhere is one status under every setting.
func everywhere(status string) []response {
	var out []response
	for _, s := range settings() {
		out = append(out, response{servedList{s.name, s.gates, []wireError{}}, status})
	}
	return out
}
