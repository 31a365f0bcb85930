package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
)

// double is the library's double of the keyring of the system, which is ready at once.
type double struct{ credentials.Keyring }

// Ready implements [credentials.Keyring].
func (double) Ready(context.Context, bool) error { return nil }

// typed is exec with a text on standard input, and with the library's double for the
// keyring of the system.
func (w *world) typed(stdin string, args ...string) result {
	w.t.Helper()
	w.t.Chdir(w.dir)
	in, err := os.CreateTemp(w.t.TempDir(), "stdin")
	if err != nil {
		w.t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.WriteString(stdin); err != nil {
		w.t.Fatal(err)
	}
	if _, err := in.Seek(0, 0); err != nil {
		w.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	p := process{args: args, env: lookup(w.env), environ: w.env, stdin: in, stdout: &out, stderr: &errs, keyring: credentials.NewGuard(double{credentials.System(lookup(w.env))}, 0)}
	code := p.run(w.t.Context())
	return result{code, out.String(), errs.String()}
}

// compatible starts a server that speaks OpenAI's language, of which the user has the key.
func (w *world) compatible(replies ...openaitest.Reply) *openaitest.Server {
	w.t.Helper()
	s := openAI(w.t, openaitest.Options{Compatible: true, Key: "sk-the-right-key-123"}, replies...)
	w.only("OPENAI_BASE_URL=" + s.URL)
	return s
}

// secrets fails if a text is in what emendo printed or wrote outside of its logins.
func (w *world) secrets(r result, secrets ...string) {
	w.t.Helper()
	check := func(where, text string) {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				w.t.Errorf("%s has %s:\n%s", where, s, text)
			}
		}
	}
	check("standard output", r.stdout)
	check("standard error", r.stderr)
	err := filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Base(path) != "logins.secret" {
			check(path, w.readFrom(path))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Error(err)
	}
}

func TestSigningInWithAKey(t *testing.T) {
	w := newWorld(t)
	s := w.compatible(openaitest.Say("Hello."))
	r := w.typed(s.Key+"\n", "auth", "login", "openai")
	r.wantCode(t, exitOK)
	file := filepath.Join(w.home, "state", "auth", "logins.secret")
	if want := "Stored the key of openai in " + file + ", which only you can read.\n"; r.stdout != want || r.stderr != "" {
		t.Errorf("it says %q, %q", r.stdout, r.stderr)
	}
	w.secrets(r, s.Key)
	r = w.run("-p", "hi", "-m", "openai/local-model", "--output-format", "json", "--debug")
	r.wantCode(t, exitOK)
	w.secrets(r, s.Key)
	r = w.exec("auth", "status")
	if want := "* openai     stored in " + file + ", since "; !strings.Contains(r.stdout, want) {
		t.Errorf("the status is\n%s", r.stdout)
	}
	w.secrets(r, s.Key)
	w.set("OPENAI_API_KEY=sk-another-key-123")
	r = w.exec("auth", "status")
	if want := "* openai     from OPENAI_API_KEY in the environment\n"; !strings.Contains(r.stdout, want) {
		t.Errorf("with a variable the status is\n%s", r.stdout)
	}
	w.run("-p", "hi", "-m", "openai/local-model").wantCode(t, exitAuth)
	r = w.exec("auth", "logout")
	if want := "Deleted the stored key of openai; OPENAI_API_KEY in the environment is used.\n"; r.stdout != want {
		t.Errorf("it says %q, %q", r.stdout, r.stderr)
	}
	w.exec("auth", "logout", "openai").wantCode(t, exitInput)
}

// What the commands return chooses the exit status.
func TestExitStatusesOfSigningIn(t *testing.T) {
	w := newWorld(t)
	w.compatible()
	w.typed("sk-a-wrong-key-123", "auth", "login", "openai").wantCode(t, exitAuth)
	w.typed("", "auth", "login", "openai").wantCode(t, exitInput)
	w.set("OPENAI_BASE_URL=http://127.0.0.1:1")
	w.typed("sk-the-right-key-123", "auth", "login", "openai").wantCode(t, exitFailure)
}

func TestKeysInTheKeyring(t *testing.T) {
	keyring.MockInit()
	w := newWorld(t)
	s := w.compatible(openaitest.Say("Hello."))
	r := w.typed(s.Key, "auth", "login", "--storage", "keyring", "openai")
	r.wantCode(t, exitOK)
	if want := "Stored the key of openai in the keyring of the system.\n"; r.stdout != want {
		t.Errorf("it says %q", r.stdout)
	}
	if text := w.readFrom(filepath.Join(w.home, "state", "auth", "logins.secret")); strings.Contains(text, s.Key) {
		t.Errorf("the key is in the file: %s", text)
	}
	w.typed("", "run", "-p", "hi", "-m", "openai/local-model").wantCode(t, exitOK)
	r = w.typed("", "auth", "status")
	if want := "* openai     stored in the keyring of the system, since "; !strings.Contains(r.stdout, want) {
		t.Errorf("the status is\n%s", r.stdout)
	}
	r = w.typed("", "doctor")
	if want := "ok    keyring      the keyring of the system answers after "; !strings.Contains(r.stdout, want) {
		t.Errorf("doctor says\n%s", r.stdout)
	}
	// The keyring is emptied by somebody else; the key file is a way out.
	keyring.MockInit()
	r = w.typed("", "run", "-p", "hi", "-m", "openai/local-model")
	r.wantCode(t, exitAuth)
	r.wantLine(t, "the keyring does not have it", "emendo auth login openai")
	r = w.typed("", "auth", "status")
	if want := "it cannot be used: the keyring does not have it"; !strings.Contains(r.stdout, want) {
		t.Errorf("the status is\n%s", r.stdout)
	}
	w.put(filepath.Join(w.home, "config", "keys"), "OPENAI_API_KEY="+s.Key+"\n")
	if err := os.Chmod(filepath.Join(w.home, "config", "keys"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Add(openaitest.Say("Hello."))
	w.typed("", "run", "-p", "hi", "-m", "openai/local-model").wantCode(t, exitOK)
	w.typed("", "auth", "logout", "openai").wantCode(t, exitOK)
}

// A repository has no say in credentials, whatever it contains.
func TestAProjectGivesNoCredentials(t *testing.T) {
	w := newWorld(t)
	s := w.compatible()
	w.write(".env", "OPENAI_API_KEY="+s.Key+"\n")
	w.write("keys", "OPENAI_API_KEY="+s.Key+"\n")
	for _, dir := range []string{"auth", "state/auth", ".emendo/auth", ".emendo/state/auth"} {
		w.write(dir+"/logins.secret", `{"openai": {"place": "file", "secret": "`+s.Key+`"}}`)
	}
	w.write(".emendo/settings.json", `{"network.proxy": "`+s.URL+`", "security.auth.google.clientId": "evil", "model.providers": {"openai": {"headers": {"Authorization": "Bearer `+s.Key+`"}}}}`)
	w.exec("trust", "add").wantCode(t, exitOK)
	w.run("-p", "hi", "-m", "openai/local-model").wantCode(t, exitAuth) // it asks without a key
	w.set("EMENDO_HOME=", "HOME=")
	if r := w.exec("auth", "status"); r.code == exitOK && strings.Contains(r.stdout, "* openai     stored") {
		t.Errorf("without a home the status is\n%s", r.stdout)
	}
}

// Whoever signs in while an editor is open asks again, and starts nothing again.
func TestALoginReachesARunningServer(t *testing.T) {
	w := newWorld(t, geminitest.Say("Hello."))
	w.set("GEMINI_API_KEY=")
	c := w.acp()
	c.Initialize()
	id := w.acpSession(c)
	wantFailure(t, c.Call("session/prompt", promptParams(id, "hi"), nil), -32000, "auth_required")
	w.typed(w.model.Key, "auth", "login", "gemini").wantCode(t, exitOK)
	c.Must("session/prompt", promptParams(id, "hi"), nil)
	w.exec("auth", "logout", "gemini").wantCode(t, exitOK)
	wantFailure(t, c.Call("session/prompt", promptParams(id, "hi"), nil), -32000, "auth_required")
}
