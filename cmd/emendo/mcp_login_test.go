package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/mcp/oauth/oauthtest"
)

// login is a running command that signs in.
type login struct {
	*exec.Cmd

	t      *testing.T
	out    *bufio.Scanner
	in     io.WriteCloser
	stderr bytes.Buffer
	text   strings.Builder // its output so far
}

// login starts `emendo mcp login`.
func (w *world) login(args ...string) *login {
	w.t.Helper()
	return w.signIn(append([]string{"mcp", "login"}, args...)...)
}

// signIn starts a command that signs in.
func (w *world) signIn(args ...string) *login {
	w.t.Helper()
	l := &login{Cmd: w.start(w.t.Context(), args...), t: w.t}
	out, err := l.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if l.in, err = l.StdinPipe(); err != nil {
		w.t.Fatal(err)
	}
	l.Stderr = &l.stderr
	if err := l.Start(); err != nil {
		w.t.Fatal(err)
	}
	l.out = bufio.NewScanner(out)
	return l
}

// until returns the first line that begins with a text.
func (l *login) until(begins string) string {
	l.t.Helper()
	for l.out.Scan() {
		l.text.WriteString(l.out.Text() + "\n")
		if strings.HasPrefix(l.out.Text(), begins) {
			return l.out.Text()
		}
	}
	l.t.Fatalf("no line begins with %q:\n%s%v %s", begins, l.text.String(), l.Wait(), l.stderr.String())
	return ""
}

// ends checks the command's exit status and output.
func (l *login) ends(code int, words string) {
	l.t.Helper()
	for l.out.Scan() {
		l.text.WriteString(l.out.Text() + "\n")
	}
	_ = l.Wait()
	if got := l.ProcessState.ExitCode(); got != code || !strings.Contains(l.text.String()+l.stderr.String(), words) {
		l.t.Errorf("exit %d, want %d\n%s%s\nwant %s", got, code, l.text.String(), l.stderr.String(), words)
	}
}

// far configures a remote server that needs a login, in a trusted folder.
func (w *world) far(o oauthtest.Options) *oauthtest.World {
	w.t.Helper()
	far := oauthtest.New(w.t, o)
	w.put(filepath.Join(w.home, "config", "settings.json"), `{"mcpServers": {"far": {"httpUrl": "`+far.URL+`"}}}`)
	w.exec("trust", "add").wantCode(w.t, exitOK)
	return far
}

func (w *world) wantOutput(words string, args ...string) {
	w.t.Helper()
	if r := w.exec(args...); !strings.Contains(r.stdout+r.stderr, words) {
		w.t.Errorf("%v: exit %d\n%s%s\nwant %s", args, r.code, r.stdout, r.stderr, words)
	}
}

func TestMCPLogin(t *testing.T) {
	w := newWorld(t, geminitest.Say("There is no such tool."),
		geminitest.Do(geminitest.Call("mcp_far_greet", `{}`)), geminitest.Say("Greeted."),
		geminitest.Do(geminitest.Call("mcp_far_greet", `{}`)), geminitest.Say("Greeted again."))
	far := w.far(oauthtest.Options{})
	w.wantOutput("starts, in ", "mcp", "list")

	// A session without a login shows the command, and does not open the browser.
	r := w.run("-p", "greet me")
	r.wantCode(t, exitOK)
	if !strings.Contains(r.stderr, "It needs a login: run `emendo mcp login far`") {
		t.Errorf("it says %s", r.stderr)
	}
	if seen := far.Seen(); len(seen) > 0 {
		t.Errorf("the authorization server saw %q", seen)
	}
	w.wantOutput("starts, needs login: run `emendo mcp login far`, in ", "mcp", "list")
	w.wantOutput("the MCP server far needs login: run `emendo mcp login far`", "doctor")
	w.wantOutput("far: not signed in: it needs a login: run `emendo mcp login far`", "mcp", "test")

	l := w.login("--no-browser", "far")
	address := l.until(far.Issuer + "/authorize?")
	if text, err := oauthtest.Visit(t.Context(), address); err != nil || !strings.Contains(text, "return to the terminal") {
		t.Errorf("the browser ends at %q, %v", text, err)
	}
	l.ends(exitOK, "signed in to far\n")

	w.wantOutput("starts, signed in, in ", "mcp", "list")
	w.wantOutput("1 tool,", "mcp", "test", "far")
	run := func(answer string) {
		t.Helper()
		r := w.run("-p", "greet me", "--allowed-tools", "mcp_far_greet")
		r.wantCode(t, exitOK)
		all := w.model.Requests()
		sent, err := json.Marshal(all[len(all)-1].Contents)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.stdout, answer) || !strings.Contains(string(sent), "Good morning.") {
			t.Errorf("it says %s%s\nand the model was sent %s", r.stdout, r.stderr, sent)
		}
	}
	run("Greeted.")
	far.Expire()
	run("Greeted again.")
	tokens := far.Tokens()

	w.exec("mcp", "logout", "far").wantCode(t, exitOK)
	w.exec("mcp", "logout", "far").wantCode(t, exitInput)
	w.wantOutput("starts, in ", "mcp", "list")
	if left := far.Tokens(); len(left) > 0 {
		t.Errorf("the tokens %q are still valid", left)
	}
	for _, token := range tokens {
		w.wantAbsent(token)
	}
}

// wantAbsent checks that none of emendo's files contains a text.
func (w *world) wantAbsent(text string) {
	w.t.Helper()
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(text)) {
			w.t.Errorf("%s has the token", path)
		}
		return err
	})
	if err != nil {
		w.t.Error(err)
	}
}

func TestMCPLoginWithAPastedAnswer(t *testing.T) {
	w := newWorld(t)
	far := w.far(oauthtest.Options{})
	l := w.login("far")
	address := l.until(far.Issuer + "/authorize?")
	l.until("If the browser is on another machine")
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, line := range []string{"what?", resp.Header.Get("Location")} {
		if _, err := io.WriteString(l.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	l.ends(exitOK, "that is not the address at which the browser ends: it has code= and state= in it\nsigned in to far\n")
}
