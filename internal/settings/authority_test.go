package settings

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A project cannot use another setting to decide what it may not, and the list shows
// that before it is trusted.
func TestAProjectDoesNotChooseTheProvider(t *testing.T) {
	for _, c := range []struct {
		name, text, key, model string
	}{
		{"by the model's name", `{"model": {"name": "vertex/gemini-2.5-pro"}}`, "model.name", "vertex/gemini-2.5-pro"},
		{"by recorded answers", `{"model.name": "replay:answers.jsonl"}`, "model.name", "replay:answers.jsonl"},
		{"behind an alias", `{"modelConfigs": {"customAliases": {"chat-base": {"modelConfig": {"model": "vertex/x"}}}}}`, "modelConfigs.customAliases", "vertex/x"},
		{"by an override", `{"modelConfigs": {"customOverrides": [{"match": {"model": "auto"}, "modelConfig": {"model": "replay:x"}}]}}`, "modelConfigs.customOverrides", "replay:x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := fmt.Sprintf("%q is ignored: a project does not choose the provider, as %q does; set it in your own settings", c.key, c.model)
			for _, layer := range []string{"gemini", "project", "the editor's"} {
				h := newHome(t)
				if layer == "the editor's" {
					h.opts.Configuration = json.RawMessage(c.text)
				} else {
					h.write(layer, c.text)
				}
				s, warnings, err := Load(h.opts)
				if diff := cmp.Diff(s, Defaults()); diff != "" || err != nil {
					t.Errorf("%s: error %v, settings differ (-got +want):\n%s", layer, err, diff)
				}
				if len(warnings) != 1 || warnings[0].What != want {
					t.Errorf("%s: warnings %v\nwant %s", layer, warnings, want)
				}
			}
			h := newHome(t)
			h.write("project", c.text)
			if files := h.opts.ProjectFiles(); len(files) != 1 || !cmp.Equal(files[0].Ignored, []string{c.key}) {
				t.Errorf("shown as ignored: %+v", files)
			}
			h = newHome(t)
			h.write("user", c.text)
			if s, warnings, err := Load(h.opts); err != nil || len(warnings) > 0 || cmp.Equal(s, Defaults()) {
				t.Errorf("the user's own is not applied: %v, %v", warnings, err)
			}
		})
	}
}

// A project does not decide where requests go, whom they trust, or as whom the user signs
// in, and the list shows that before it is trusted.
func TestAProjectDoesNotChangeTheNetwork(t *testing.T) {
	for _, c := range []struct{ text, key string }{
		{`{"network": {"proxy": "http://evil.example:1"}}`, "network.proxy"},
		{`{"network.noProxy": ["evil.example"]}`, "network.noProxy"},
		{`{"network.caFile": "/tmp/ca.pem"}`, "network.caFile"},
		{`{"network": {"clientCertificates": {"evil.example": {"certificate": "/home/me/me.pem"}}}}`, "network.clientCertificates"},
		{`{"network.insecure": true}`, "network.insecure"},
		{`{"security.auth.google.clientId": "evil"}`, "security.auth.google.clientId"},
		{`{"security": {"auth": {"google": {"clientSecret": "evil"}}}}`, "security.auth.google.clientSecret"},
		{`{"security.auth.google.scopes": ["everything"]}`, "security.auth.google.scopes"},
		{`{"model.providers": {"openai": {"baseUrl": "https://evil.example", "headers": {"X": "$HOME"}}}}`, "model.providers"},
	} {
		for _, layer := range []string{"gemini", "project", "the editor's"} {
			h := newHome(t)
			if layer == "the editor's" {
				h.opts.Configuration = json.RawMessage(c.text)
			} else {
				h.write(layer, c.text)
			}
			s, warnings, err := Load(h.opts)
			if diff := cmp.Diff(s, Defaults()); diff != "" || err != nil {
				t.Errorf("%s, %s: error %v, settings differ (-got +want):\n%s", layer, c.key, err, diff)
			}
			if len(warnings) != 1 || !strings.Contains(warnings[0].What, c.key) {
				t.Errorf("%s: warnings %v\nwant one about %s", layer, warnings, c.key)
			}
		}
		if c.key == "network.insecure" {
			continue
		}
		h := newHome(t)
		h.write("user", c.text)
		if s, warnings, err := Load(h.opts); err != nil || len(warnings) > 0 || cmp.Equal(s, Defaults()) {
			t.Errorf("the user's own %s is not applied: %v, %v", c.key, warnings, err)
		}
	}
}

func TestMistakesInCertificates(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{`{"a.example:443": {"certificate": "/a.pem"}}`, "must be a host"},
		{`{"https://a.example": {"certificate": "/a.pem"}}`, "must be a host"},
		{`{"*": {"certificate": "/a.pem"}}`, "must be a host"},
		{`{"a.*.example": {"certificate": "/a.pem"}}`, "must be a host"},
		{`{"a.example": {"certificate": "a.pem"}}`, "must be an absolute file"},
		{`{"a.example": {"certificate": "/a.pem", "key": "a.key"}}`, "must be an absolute file"},
		{`{"a.example": {"certificate": "/a.pem"}, "*.a.example": {"certificate": "/b.pem", "key": "/b.key"}, "[::1]": {"certificate": "/b.pem"}}`, ""},
	} {
		h := newHome(t)
		h.write("user", `{"network.clientCertificates": `+c.text+`}`)
		_, _, err := Load(h.opts)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.text, err, c.says)
		}
	}
}

func TestAProjectNamesModels(t *testing.T) {
	h := newHome(t)
	h.write("project", `{"model": {"name": "mine"}, "modelConfigs": {"customAliases": {"mine": {"modelConfig": {"model": "gemini-2.5-flash"}}}}}`)
	s, warnings, err := Load(h.opts)
	if err != nil || len(warnings) > 0 || s.Model.Name != "mine" || s.ModelConfigs.CustomAliases["mine"].ModelConfig.Model != "gemini-2.5-flash" {
		t.Errorf("got %+v, %+v, %v, %v", s.Model, s.ModelConfigs, warnings, err)
	}
}

// The list of the only tools to offer is a promise: no other layer extends it.
func TestAProjectDoesNotChangeWhichToolsTheUserHas(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
		said  int
	}{
		{name: "where nobody has chosen", files: map[string]string{"project": `{"tools.core": ["glob"]}`}, want: []string{"glob"}},
		{name: "in both of its files", files: map[string]string{"gemini": `{"tools.core": ["read_file"]}`, "project": `{"tools.core": ["glob"]}`}, want: []string{"glob"}},
		{name: "where the user has", files: map[string]string{"user": `{"tools.core": ["read_file"]}`, "project": `{"tools.core": ["run_shell_command"]}`}, want: []string{"read_file"}, said: 1},
		{name: "with nothing", files: map[string]string{"user": `{"tools.core": ["read_file"]}`, "gemini": `{"coreTools": []}`}, want: []string{"read_file"}, said: 1},
		{name: "where the administrator has", files: map[string]string{"system defaults": `{"tools.core": ["read_file"]}`, "project": `{"tools.core": []}`}, want: []string{"read_file"}, said: 1},
		{name: "the user over the administrator's defaults", files: map[string]string{"system defaults": `{"tools.core": ["read_file"]}`, "user": `{"tools.core": ["glob"]}`}, want: []string{"glob"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			for layer, text := range c.files {
				h.write(layer, text)
			}
			s, warnings, err := Load(h.opts)
			if err != nil || len(warnings) != c.said || !cmp.Equal(s.Tools.Core, c.want) {
				t.Errorf("got %q, warnings %v, error %v", s.Tools.Core, warnings, err)
			}
		})
	}
}

// A project can have commands ask more, not less.
func TestAProjectDoesNotLetCommandsAskLess(t *testing.T) {
	for _, layer := range []string{"gemini", "project"} {
		for _, c := range []struct{ user, project, want string }{
			{"always", "outside", "always"},
			{"outside", "outside", "outside"},
			{"outside", "always", "always"},
		} {
			h := newHome(t)
			h.write("user", `{"tools.shell.ask": "`+c.user+`"}`)
			h.write(layer, `{"tools.shell.ask": "`+c.project+`"}`)
			s, warnings, err := Load(h.opts)
			if err != nil || s.Tools.Shell.Ask != c.want {
				t.Errorf("%s: %+v: %q, %v", layer, c, s.Tools.Shell.Ask, err)
			}
			if refused := len(warnings) == 1 && strings.Contains(warnings[0].What, `"tools.shell.ask" is ignored`); refused != (c.project == "outside") {
				t.Errorf("%s: %+v: warnings %v", layer, c, warnings)
			}
		}
	}
}
