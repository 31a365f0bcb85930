package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wire is an editor's end of a connection. It reads one message at a time.
type wire struct {
	t *testing.T
	w io.Writer
	r *bufio.Reader
}

func (w wire) send(body string) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.w, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		w.t.Fatal(err)
	}
}

// answer returns the next message with this ID.
func (w wire) answer(id string) string {
	w.t.Helper()
	return w.until(`"id":` + id)
}

// until returns the next message that contains words.
func (w wire) until(words string) string {
	w.t.Helper()
	for {
		header, err := textproto.NewReader(w.r).ReadMIMEHeader()
		if err != nil {
			w.t.Fatal(err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			w.t.Fatal(err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(w.r, body); err != nil {
			w.t.Fatal(err)
		}
		if strings.Contains(string(body), words) {
			return string(body)
		}
	}
}

// visit initializes, shuts down and exits.
func (w wire) visit() {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{}}}`)
	if got := w.answer("1"); !strings.Contains(got, `"name":"emendo"`) || !strings.Contains(got, `"models":[{"id":"auto","name":"Auto","description":`) {
		w.t.Errorf("initialize is answered %s", got)
	}
	w.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	w.answer("2")
	w.send(`{"jsonrpc":"2.0","method":"exit"}`)
}

func TestServerSpeaksOnStandardInputAndOutput(t *testing.T) {
	w := newWorld(t)
	c := w.start(t.Context(), "lsp", "--stdio", "--clientProcessId="+strconv.Itoa(os.Getpid()), "--debug")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	wire{t, in, bufio.NewReader(out)}.visit()
	if rest, err := io.ReadAll(out); err != nil || len(rest) > 0 {
		t.Errorf("standard output ends with %q, %v", rest, err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(filepath.Join(w.home, "state", "logs", "lsp.log"))
	if err != nil || !strings.Contains(string(log), "serving") || strings.Contains(string(log), w.model.Key) {
		t.Errorf("the log says %s, %v", log, err)
	}
}

func TestServerConnectsToTheEditor(t *testing.T) {
	for name, listen := range map[string]func(t *testing.T) (net.Listener, string){
		"by a port": func(t *testing.T) (net.Listener, string) {
			l := listening(t, "tcp", "127.0.0.1:0")
			return l, "--socket=" + strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		},
		"by a pipe": func(t *testing.T) (net.Listener, string) {
			l := listening(t, "unix", filepath.Join(t.TempDir(), "s"))
			return l, "--pipe=" + l.Addr().String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			l, flag := listen(t)
			c := w.start(t.Context(), "lsp", flag)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			wire{t, conn, bufio.NewReader(conn)}.visit()
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func listening(t *testing.T, network, address string) net.Listener {
	t.Helper()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestExitStatusWithoutShutdown(t *testing.T) {
	w := newWorld(t)
	c := w.start(t.Context(), "lsp")
	body := `{"jsonrpc":"2.0","method":"exit"}`
	c.Stdin = strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
	if out, err := c.Output(); err == nil || c.ProcessState.ExitCode() != 1 || len(out) > 0 {
		t.Errorf("the server ended with %v, printing %q", err, out)
	}
}
