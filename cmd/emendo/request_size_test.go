package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/ide"
)

// maxFirstRequest limits the first request of a session, in bytes: system prompt, tools
// and context.
const maxFirstRequest = 34 << 10

// The first request in the demo's project, from a full-featured editor in a trusted
// folder with default settings.
func TestSizeOfTheFirstRequest(t *testing.T) {
	w := newWorld(t, geminitest.Say("Done."))
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("demo", "testdata", "parking"))); err != nil {
		t.Fatal(err)
	}
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	programs := filepath.Join(w.home, "bin") // an installed language server
	w.put(filepath.Join(programs, "gopls"), "#!/bin/false\n")
	if err := os.Chmod(filepath.Join(programs, "gopls"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.env[0] += string(os.PathListSeparator) + programs
	c := w.start(t.Context(), "lsp")
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
	e := wire{t, in, bufio.NewReader(out)}
	folder, file := ide.FileURI(w.dir), ide.FileURI(filepath.Join(w.dir, "fee.go"))
	text, err := json.Marshal(w.read("fee.go"))
	if err != nil {
		t.Fatal(err)
	}
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"workspaceFolders":[{"uri":%q,"name":"parking"}],"initializationOptions":{"trust":"trusted"},
		"capabilities":{"workspace":{"applyEdit":true},"experimental":{"emendo":{"version":1,"session":true,"permission":true,"elicit":true,"changes":true}}}}}`, folder))
	e.answer("1")
	e.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"languageId":"go","version":1,"text":%s}}}`, file, text))
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"emendo/editor/didChangeContext","params":{"activeEditor":{"uri":%q,"selections":[]},"openEditors":[{"uri":%q}]}}`, file, file))
	e.send(`{"jsonrpc":"2.0","id":2,"method":"emendo/session/new","params":{}}`)
	var made struct {
		Result struct {
			Session struct{ SessionID string }
		}
	}
	if err := json.Unmarshal([]byte(e.answer("2")), &made); err != nil {
		t.Fatal(err)
	}
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"emendo/session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"Why is the first hour charged twice?"}]}}`, made.Result.Session.SessionID))
	e.answer("3")
	e.send(`{"jsonrpc":"2.0","id":4,"method":"shutdown"}`)
	e.answer("4")
	e.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	rs := w.model.Requests()
	if len(rs) == 0 {
		t.Fatal("the model was not asked")
	}
	body := rs[0].Body
	for _, part := range []string{"run_shell_command", "rename_symbol", "fee.go", "Git branch: main", "# Git"} {
		if !bytes.Contains(body, []byte(part)) {
			t.Errorf("the request lacks %q", part)
		}
	}
	t.Logf("the first request has %d bytes", len(body))
	if len(body) > maxFirstRequest {
		t.Errorf("the first request has %d bytes, at most %d are wanted: %s", len(body), maxFirstRequest, sizes(body))
	}
}

// sizes breaks down the size of a request.
func sizes(body []byte) []string {
	var r struct {
		System   json.RawMessage `json:"systemInstruction"`
		Contents json.RawMessage `json:"contents"`
		Tools    []struct {
			Functions []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Schema      json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return []string{err.Error()}
	}
	l := []string{fmt.Sprintf("system %d", len(r.System)), fmt.Sprintf("contents %d", len(r.Contents))}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			l = append(l, fmt.Sprintf("%s %d+%d", f.Name, len(f.Description), len(f.Schema)))
		}
	}
	return slices.Clip(l)
}
