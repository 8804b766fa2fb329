package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

const (
	storagePrefix = "/registry"
	readyWithin   = 100 * time.Second
	caseWithin    = 8 * time.Second
	userAgent     = "harness" // and so the name of the manager of what a request sets
)

// cluster is a kube-apiserver with its etcd, in this process.
type cluster struct {
	director http.Handler // what handles a request once it is known who asks
	chain    http.Handler
	storage  clientv3.KV
	address  string
	token    string
	dir      string
	resolver *genericapirequest.RequestInfoFactory
}

// start starts both and waits until the server is ready.
func start(dir, gateList, listen string) (*cluster, error) {
	socket, storage, err := startStorage(dir)
	if err != nil {
		return nil, fmt.Errorf("etcd: %w", err)
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	c := &cluster{
		storage: storage, address: "https://" + listener.Addr().String(), token: secret(), dir: dir,
		resolver: &genericapirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")},
	}
	s, err := c.options(socket, gateList)
	if err != nil {
		return nil, err
	}
	s.SecureServing.Listener, s.SecureServing.BindPort = listener, listener.Addr().(*net.TCPAddr).Port
	if err := c.run(s); err != nil {
		return nil, err
	}
	return c, c.wait()
}

// secret is what a client must know, because other users of the machine can connect as well.
func secret() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// startStorage starts etcd on a socket. Nothing is flushed to disk: what is stored is thrown away at the end. Its settings
// are given as its file of them has them, because releases of etcd name them differently in Go.
func startStorage(dir string) (string, clientv3.KV, error) {
	socket, file := filepath.Join(dir, "etcd.sock"), filepath.Join(dir, "etcd.json")
	const nobody = "http://127.0.0.1:1" // which nobody asks
	settings, err := json.Marshal(map[string]any{
		"name": "live", "data-dir": filepath.Join(dir, "etcd"), "unsafe-no-fsync": true, "log-level": "fatal",
		"listen-client-urls": "unix://" + socket, "listen-peer-urls": "unix://" + filepath.Join(dir, "peer.sock"),
		"advertise-client-urls": nobody, "initial-advertise-peer-urls": nobody, "initial-cluster": "live=" + nobody,
	})
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(file, settings, 0o600); err != nil {
		return "", nil, err
	}
	config, err := embed.ConfigFromFile(file)
	if err != nil {
		return "", nil, err
	}
	server, err := embed.StartEtcd(config)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
	case err := <-server.Err():
		return "", nil, err
	}
	return socket, v3client.New(server.Server), nil
}

// options are the flags of a server that admits everything and everybody who knows the token: what admission plugins and
// authorizers say depends on what else a cluster has.
func (c *cluster) options(socket, gateList string) (*options.ServerRunOptions, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	keyFile, tokens := filepath.Join(c.dir, "sa.key"), filepath.Join(c.dir, "tokens.csv")
	encoded := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(keyFile, encoded, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(tokens, []byte(c.token+",harness,harness,\"system:masters\"\n"), 0o600); err != nil {
		return nil, err
	}
	s := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("live", pflag.ContinueOnError)
	for _, set := range s.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	arguments := []string{
		"--etcd-servers=unix://" + socket, "--etcd-prefix=" + storagePrefix, "--watch-cache=false",
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none", "--cert-dir=" + c.dir,
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-signing-key-file=" + keyFile,
		"--service-account-key-file=" + keyFile, "--service-cluster-ip-range=10.0.0.0/16",
		"--token-auth-file=" + tokens, "--anonymous-auth=false", "--authorization-mode=AlwaysAllow",
		"--enable-priority-and-fairness=false", "--max-requests-inflight=0", "--max-mutating-requests-inflight=0",
		"--disable-admission-plugins=" + strings.Join(s.Admission.GenericAdmission.RecommendedPluginOrder, ","),
		"--runtime-config=api/all=true",
	}
	if gateList != "" {
		arguments = append(arguments, "--feature-gates="+gateList)
	}
	return s, flags.Parse(arguments)
}

// run does what the server's main function does with its flags.
func (c *cluster) run(s *options.ServerRunOptions) error {
	if err := s.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return err
	}
	ctx := context.Background()
	completed, err := s.Complete(ctx)
	if err != nil {
		return err
	}
	for _, err := range completed.Validate() {
		return err
	}
	config, err := app.NewConfig(completed)
	if err != nil {
		return err
	}
	full, err := config.Complete()
	if err != nil {
		return err
	}
	chain, err := app.CreateServerChain(full)
	if err != nil {
		return err
	}
	prepared, err := chain.PrepareRun()
	if err != nil {
		return err
	}
	c.chain, c.director = chain.GenericAPIServer.Handler.FullHandlerChain, chain.GenericAPIServer.Handler.Director
	go func() {
		fmt.Fprintln(os.Stderr, "the server stopped:", prepared.Run(ctx))
		leave(c.dir, 2)
	}()
	return nil
}

// wait ends when the server is ready and has the namespace in which most objects are asked. A controller of the server
// makes it, and when it comes too early it tries again after a minute.
func (c *cluster) wait() error {
	var last reply
	for began := time.Now(); time.Since(began) < readyWithin; time.Sleep(20 * time.Millisecond) {
		if last = c.do(c.chain, "GET", "/readyz", nil, nil); last.code != http.StatusOK {
			continue
		}
		last = c.do(c.director, "POST", "/api/v1/namespaces", []byte(`{"metadata":{"name":"default"}}`), nil)
		if last.code == http.StatusCreated || last.code == http.StatusConflict {
			return nil
		}
	}
	return fmt.Errorf("it was not ready after %v; it last answered %d: %.300s", readyWithin, last.code, last.body.String())
}

// reply is as much of a response as handlers write.
type reply struct {
	header http.Header
	code   int
	body   bytes.Buffer
	panic  any // what a handler panicked with; the server closes the connection then
}

func (r *reply) Header() http.Header { return r.header }
func (r *reply) Flush()              {}

func (r *reply) WriteHeader(code int) {
	if r.code == 0 {
		r.code = code
	}
}

func (r *reply) Write(data []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(data)
}

var asking = &user.DefaultInfo{Name: "harness", UID: "harness", Groups: []string{user.SystemPrivilegedGroup, user.AllAuthenticated}}

// marking is what the context of a request bears under a setting.
type marking = func(context.Context) context.Context

// do calls a handler directly.
func (c *cluster) do(handler http.Handler, method, path string, body []byte, mark marking) (out reply) {
	out.header = http.Header{}
	defer func() {
		if out.panic = recover(); out.panic != nil {
			out.code = 0
		}
	}()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	ctx, cancel := context.WithTimeout(context.Background(), caseWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.address+path, reader)
	if err != nil {
		panic(err)
	}
	request.RequestURI, request.RemoteAddr = path, "127.0.0.1:1"
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Authorization", "Bearer "+c.token)
	info, err := c.resolver.NewRequestInfo(request)
	if err != nil {
		panic(err)
	}
	ctx = genericapirequest.WithUser(genericapirequest.WithRequestInfo(ctx, info), asking)
	ctx = genericapirequest.WithReceivedTimestamp(ctx, time.Now())
	if mark != nil {
		ctx = mark(ctx)
	}
	handler.ServeHTTP(&out, request.WithContext(ctx))
	return out
}

// writeConfig writes how clients reach the server. The file has the token, so it is for its owner alone.
func (c *cluster) writeConfig(file string) error {
	authority, err := os.ReadFile(filepath.Join(c.dir, "apiserver.crt"))
	if err != nil {
		return err
	}
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: harness
clusters:
- name: harness
  cluster: {server: %q, certificate-authority-data: %s}
users:
- name: harness
  user: {token: %s}
contexts:
- name: harness
  context: {cluster: harness, user: harness}
`, c.address, base64.StdEncoding.EncodeToString(authority), c.token)
	return os.WriteFile(file, []byte(text), 0o600)
}
