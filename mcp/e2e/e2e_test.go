// Package e2e_test talks to the reference servers of the Model Context Protocol, which
// install.sh installs. make test does that.
package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/mcp"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// asker lets everything start, and keeps what the user is told.
type asker struct{ t *testing.T }

func (asker) MayStart(context.Context, string, trust.Entry) bool { return true }
func (a asker) Notice(n transcript.Notice)                       { a.t.Logf("notice: %s: %s", n.Title, n.Description) }
func (asker) Tell(string, string, tools.Origin)                  {}

func (asker) Elicit(context.Context, string, []tools.Question) (frontend.Elicited, error) {
	return frontend.Elicited{}, frontend.ErrCannotElicit
}

func (asker) Fetch(ctx context.Context, _, _, _ string, _ json.RawMessage, read func(context.Context) tools.Result) tools.Result {
	return read(ctx)
}

func (asker) Sample(context.Context, state.Completion) (state.Answer, error) {
	return state.Answer{}, errors.New("declined")
}

// server starts a reference server in a folder, and returns a function that calls its
// tools.
func server(t *testing.T, name string, c config.Server) (call func(tool, args string) tools.Result, live *[]string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Node and the reference servers")
	}
	script, err := filepath.Abs(filepath.Join("node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("%v: run mcp/e2e/install.sh, as make test does", err)
	}
	c.Name, c.Transport, c.Command, c.Own, c.Args = "ref", config.Stdio, "node", true, append([]string{script}, c.Args...)
	programs := mcp.Programs{Environ: os.Environ(), Log: slog.New(slog.DiscardHandler)}
	running := mcp.New(mcp.Options{
		Configured: func() config.List { return config.List{Servers: []config.Server{c}} }, Dial: programs.Dial,
		Folders: func() []string { return []string{c.Dir} }, Trusted: func() bool { return true },
	})
	t.Cleanup(running.Close)
	var all []tools.Tool
	for len(all) == 0 && t.Context().Err() == nil { // a request waits a second at most
		all = running.Tools(t.Context(), asker{t})
	}
	live = new([]string)
	return func(tool, args string) tools.Result {
		t.Helper()
		found := lookup.Find(all, "mcp_ref_"+tool)
		if found == nil {
			var names []string
			for _, x := range all {
				names = append(names, x.Spec().Name)
			}
			t.Fatalf("there is no tool %s among %v", tool, names)
		}
		a, err := found.Prepare(t.Context(), tools.Env{}, json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		return a.Run(t.Context(), func(p tools.Progress) { *live = append(*live, p.Output) })
	}, live
}

func TestEverything(t *testing.T) {
	call, live := server(t, "everything", config.Server{Dir: t.TempDir()})
	if r := call("echo", `{"message":"good morning"}`); r.Err != nil || !strings.Contains(r.Output, "good morning") {
		t.Errorf("echo returned %+v", r)
	}
	if r := call("echo", `{}`); r.Err == nil {
		t.Errorf("echo without its argument returned %+v", r)
	}
	if r := call("get-tiny-image", `{}`); r.Err != nil || len(r.Blobs) != 1 || r.Blobs[0].MIME != "image/png" {
		t.Errorf("the image is %q, %v", r.Output, r.Err)
	}
	if r := call("get-resource-links", `{"count":2}`); r.Err != nil || !strings.Contains(r.Output, "Resource ") {
		t.Errorf("the links are %q, %v", r.Output, r.Err)
	}
	if r := call("trigger-long-running-operation", `{"duration":1,"steps":4}`); r.Err != nil || !slices.ContainsFunc(*live, func(s string) bool { return strings.Contains(s, " of 4") }) {
		t.Errorf("the long call returned %q, %v; its progress: %q", r.Output, r.Err, *live)
	}
}

func TestFilesystem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	call, _ := server(t, "filesystem", config.Server{Dir: dir, Args: []string{dir}})
	file, _ := json.Marshal(filepath.Join(dir, "a.txt"))
	if r := call("write_file", `{"path":`+string(file)+`,"content":"one\n"}`); r.Err != nil {
		t.Fatalf("writing returned %+v", r)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if r := call("read_text_file", `{"path":"/etc/hostname"}`); r.Err == nil || r.Err.Type != tools.ServerFailure {
		t.Errorf("a file outside returned %+v", r)
	}
}

func TestMemory(t *testing.T) {
	dir := t.TempDir()
	call, _ := server(t, "memory", config.Server{Dir: dir, Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}})
	if r := call("create_entities", `{"entities":[{"name":"emendo","entityType":"program","observations":["is an agent"]}]}`); r.Err != nil {
		t.Fatalf("creating returned %+v", r)
	}
	if r := call("search_nodes", `{"query":"agent"}`); r.Err != nil || !strings.Contains(r.Output, "emendo") {
		t.Errorf("searching returned %+v", r)
	}
}
