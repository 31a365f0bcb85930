// The program modeltest is the model that the tests in VS Code talk to: the fake
// Gemini API, which a test scripts over HTTP while it runs. It prints one line of
// JSON with the addresses of the API and of its control, and the key,
// and ends when its standard input does.
//
// The control takes:
//
//	POST /replies      an array of replies, played one for each request
//	POST /gates/NAME   opens a gate, for everything that waits for it
//	GET  /requests     what was asked so far, and why it was refused if it was
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "modeltest:", err)
		os.Exit(1)
	}
}

// run serves until in ends.
func run(in io.Reader, out io.Writer) error {
	model := geminitest.Start(geminitest.Options{})
	defer model.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the control: %w", err)
	}
	c := &control{model: model, gates: map[string]chan struct{}{}}
	server := &http.Server{Handler: c.routes()} //nolint:gosec // its only client is the test
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	defer func() {
		server.Close()
		<-done
	}()
	if err := json.NewEncoder(out).Encode(map[string]string{
		"url": model.URL, "key": model.Key, "control": "http://" + listener.Addr().String(),
	}); err != nil {
		return fmt.Errorf("print the addresses: %w", err)
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// A control scripts a model.
type control struct {
	model *geminitest.Server

	mu    sync.Mutex
	gates map[string]chan struct{} // closed when open
}

func (c *control) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /replies", c.addReplies)
	mux.HandleFunc("POST /gates/{name}", c.openGate)
	mux.HandleFunc("GET /requests", c.listRequests)
	return mux
}

func (c *control) addReplies(w http.ResponseWriter, r *http.Request) {
	var in []reply
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		http.Error(w, "read the replies: "+err.Error(), http.StatusBadRequest)
		return
	}
	for _, each := range in {
		c.model.Add(each.scripted(c.gate))
	}
}

func (c *control) openGate(_ http.ResponseWriter, r *http.Request) {
	gate := c.gate(r.PathValue("name"))
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-gate:
	default:
		close(gate)
	}
}

// gate returns what is closed when the gate of that name is open.
func (c *control) gate(name string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gates[name] == nil {
		c.gates[name] = make(chan struct{})
	}
	return c.gates[name]
}

func (c *control) listRequests(w http.ResponseWriter, _ *http.Request) {
	type request struct {
		Model   string          `json:"model"`
		Body    json.RawMessage `json:"body"`
		Said    string          `json:"said"`              // the text of the last content
		Refused string          `json:"refused,omitempty"` // why it was refused
	}
	all := []request{}
	for _, r := range c.model.Requests() {
		body := r.Body
		if !json.Valid(body) {
			body = json.RawMessage("null")
		}
		all = append(all, request{r.Model, body, r.Said(), r.Refused})
	}
	if err := json.NewEncoder(w).Encode(all); err != nil {
		panic(http.ErrAbortHandler) // the test has gone
	}
}
