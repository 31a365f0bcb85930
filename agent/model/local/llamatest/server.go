package llamatest

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Program returns llama.cpp's server: the one that EMENDO_LLAMA_SERVER names, or that which
// .tools/llama-server/install.sh has installed. root is the folder of the repository.
func Program(t *testing.T, root string) string {
	t.Helper()
	program := os.Getenv("EMENDO_LLAMA_SERVER")
	if program == "" {
		program = filepath.Join(root, ".editors", "llama-server", "usr", "bin", "llama-server")
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: run .tools/llama-server/install.sh, as make test does", err)
	}
	return program
}

// Server is a llama.cpp server on this machine.
type Server struct {
	URL string // without /v1

	program, model string
	port           int
	process        *exec.Cmd
	ended          chan struct{}
	mu             sync.Mutex
	log            []string
}

// New prepares a server for a model that [Write] wrote. It starts nothing.
func New(t *testing.T, program, model string) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	s := &Server{URL: fmt.Sprintf("http://127.0.0.1:%d", port), program: program, model: model, port: port}
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			for _, line := range s.log[max(0, len(s.log)-20):] {
				t.Log(line)
			}
		}
	})
	return s
}

// Start starts the server with a context of that many tokens. It does not wait until the
// server is ready.
func (s *Server) Start(t *testing.T, context int) {
	t.Helper()
	// One thread is enough, and more wait for each other on a busy machine.
	s.process = exec.CommandContext(t.Context(), s.program, "--model", s.model, "--host", "127.0.0.1", "--port", strconv.Itoa(s.port),
		"--ctx-size", strconv.Itoa(context), "--parallel", "1", "--threads", "1", "--threads-batch", "1", "--threads-http", "4",
		"--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off", "--cache-ram", "0", "--offline")
	out, err := s.process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.process.Start(); err != nil {
		t.Fatal(err)
	}
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.mu.Lock()
			s.log = append(s.log, lines.Text())
			s.mu.Unlock()
		}
	}()
}

// Status waits until the server answers, and returns the status of its health: 503 while
// it loads the model, and 200 when it is ready.
func (s *Server) Status(t *testing.T) int {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		select {
		case <-s.ended:
			t.Fatal("the server ended")
		default:
		}
		resp, err := client.Get(s.URL + "/health")
		if err == nil {
			resp.Body.Close()
			return resp.StatusCode
		}
	}
}

// Ready waits until the server has loaded the model.
func (s *Server) Ready(t *testing.T) {
	t.Helper()
	for s.Status(t) != http.StatusOK {
		if t.Context().Err() != nil {
			t.Fatal("the server did not load the model")
		}
	}
}

// Stop ends the server.
func (s *Server) Stop() {
	if s.process == nil {
		return
	}
	s.process.Process.Kill() //nolint:errcheck // it may have ended
	<-s.ended
	s.process.Wait() //nolint:errcheck // it was killed
	s.process = nil
}
