package lsp_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// Editors send the configuration of emendo in several ways.
func TestConfiguration(t *testing.T) {
	object := func(text string) any { return json.RawMessage(text) }
	for _, c := range []struct {
		name     string
		profile  string
		asked    any      // the editor's answer to workspace/configuration
		sends    []string // notifications that it sends, in order
		want     string
		wantAsks int
	}{
		{name: "an editor that is asked", profile: "vscode", asked: object(`{"a": 1}`), want: `{"a":1}`, wantAsks: 1},
		{name: "one that has nothing to say", profile: "helix", want: ``, wantAsks: 1},
		{name: "one that says something else", profile: "helix", asked: "no", want: ``, wantAsks: 1},
		{name: "one that sends the section", profile: "neovim", sends: []string{`{"settings": {"emendo": {"a": 2}, "other": 1}}`}, want: `{"a": 2}`, wantAsks: 1},
		{name: "the last word counts", profile: "neovim", sends: []string{`{"settings": {"emendo": {"a": 2}}}`, `{"settings": {"emendo": {"a": 3}}}`}, want: `{"a": 3}`, wantAsks: 1},
		{name: "the section is taken away", profile: "neovim", sends: []string{`{"settings": {"emendo": {"a": 2}}}`, `{"settings": {"emendo": null}}`}, want: ``, wantAsks: 1},
		{name: "one that says that something changed", profile: "vscode", asked: object(`{"a": 4}`), sends: []string{`{"settings": null}`}, want: `{"a":4}`, wantAsks: 2},
		{name: "other sections, and is asked", profile: "vscode", asked: object(`{"a": 5}`), sends: []string{`{"settings": {"go": {}}}`}, want: `{"a":5}`, wantAsks: 2},
		{name: "one that is not to be asked", profile: "plain", sends: []string{`{"settings": {"emendo": {"a": 6}}}`}, want: `{"a": 6}`},
		{name: "one that is not to be asked and says nothing", profile: "plain", sends: []string{`{}`, `{"settings": []}`}, want: ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := lsptest.Profile{Name: "plain", Initialize: `{"processId": null, "capabilities": {}, "rootUri": "ROOT"}`}
			if c.profile != "plain" {
				p = lsptest.Recorded(c.profile)
			}
			asks := 0
			p.Configured = func(section string) any {
				if section != "emendo" {
					t.Errorf("asked for %q", section)
				}
				asks++
				return c.asked
			}
			play(t, p, nil, func(w *world) {
				for _, params := range c.sends {
					if err := w.Editor.Notify("workspace/didChangeConfiguration", json.RawMessage(params)); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if got := string(w.Started.User.Configuration()); got != c.want {
					t.Errorf("the configuration is %q, want %q", got, c.want)
				}
				if asks != c.wantAsks {
					t.Errorf("asked %d times, want %d", asks, c.wantAsks)
				}
			})
		})
	}
}

// The first session waits briefly for the requested configuration.
func TestTheFirstSessionWaitsForTheConfiguration(t *testing.T) {
	for _, c := range []struct {
		name      string
		after     time.Duration // delay of the editor's answer
		want      string
		wantAfter time.Duration // when the session is created
	}{
		{name: "an editor that answers soon", after: 400 * time.Millisecond, want: `{"a":1}`, wantAfter: 400 * time.Millisecond},
		{name: "one that answers late", after: 3 * time.Second, want: ``, wantAfter: time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := lsptest.Recorded("vscode")
			p.Configured = func(string) any {
				<-time.After(c.after)
				return json.RawMessage(`{"a": 1}`)
			}
			play(t, p, nil, func(w *world) {
				begun := time.Now()
				w.Call("emendo/session/new", worldtest.Obj{}, nil)
				if got := string(w.Started.User.Configuration()); got != c.want {
					t.Errorf("the configuration is %q, want %q", got, c.want)
				}
				if got := time.Since(begun); got != c.wantAfter {
					t.Errorf("the session is made after %v, want %v", got, c.wantAfter)
				}
				<-time.After(c.after) // wait for the editor's answer before the end
			})
		})
	}
}
