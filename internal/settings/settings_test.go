package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A home is a machine's settings: folders in a temporary one.
type home struct {
	t    *testing.T
	opts Options
}

func newHome(t *testing.T) home {
	t.Helper()
	dir := t.TempDir()
	return home{t, Options{
		Paths: Paths{
			Config: filepath.Join(dir, "config"),
			State:  filepath.Join(dir, "state"),
			Cache:  filepath.Join(dir, "cache"),
			System: filepath.Join(dir, "etc"),
		},
		ProjectDir: filepath.Join(dir, "project"),
		Trusted:    true,
	}}
}

// write puts text into the file of one layer and returns its path.
func (h home) write(layer, text string) string {
	h.t.Helper()
	path := map[string]string{
		"system defaults": filepath.Join(h.opts.Paths.System, "system-defaults.json"),
		"user":            filepath.Join(h.opts.Paths.Config, "settings.json"),
		"gemini":          filepath.Join(h.opts.ProjectDir, ".gemini", "settings.json"),
		"project":         filepath.Join(h.opts.ProjectDir, ".emendo", "settings.json"),
		"system":          filepath.Join(h.opts.Paths.System, "settings.json"),
	}[layer]
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	want := Settings{
		Model: Model{
			Name: "auto", CompressionThreshold: 0.5, SkipNextSpeakerCheck: true, Fallback: "ask",
			Stream: Stream{FirstByte: 300 * time.Second, Idle: 120 * time.Second},
		},
		General: General{
			MaxAttempts: 5, DefaultApprovalMode: "default",
			SessionRetention: SessionRetention{Enabled: true, MaxAge: Period(30 * 24 * time.Hour), MinRetention: Period(24 * time.Hour)},
			Plan:             Planning{ModelRouting: true},
		},
		Tools:   Tools{LongOutput: 40_000, Shell: Shell{Timeout: 10 * time.Minute, Inactivity: 5 * time.Minute, Ask: map[bool]string{false: "outside", true: "always"}[runtime.GOOS == "darwin"], JobsEnd: "silent"}, Sandbox: Sandbox{Use: "auto"}},
		Context: Context{IncludeDirectoryTree: true, FileFiltering: FileFiltering{RespectGitIgnore: true, RespectGeminiIgnore: true}},

		Skills: Skills{Enabled: true}, Agents: Agents{Enabled: true}, Chat: Chat{Folder: "workspace"},
		UseWriteTodos: true, HooksConfig: HooksConfig{Enabled: true, Notifications: true},
		LanguageServers: LanguageServers{Enabled: true}, Edits: Edits{Wait: "turn", Verify: true, VerifyTimeout: 1500}, Review: Review{KeepOnCommit: true}, Telemetry: Telemetry{Traces: true, Protocol: "grpc", Target: "local"},
	}
	want.ContextManagement.Tools.OutputMasking = OutputMasking{Protected: 50_000, Prunable: 30_000, ProtectLatest: true}
	if diff := cmp.Diff(Defaults(), want); diff != "" {
		t.Errorf("defaults differ (-got +want):\n%s", diff)
	}
	got, warnings, err := Load(Options{})
	if diff := cmp.Diff(got, want); diff != "" || len(warnings) > 0 || err != nil {
		t.Errorf("nothing configured: %s, warnings %v, error %v", diff, warnings, err)
	}
}

func TestStrongerLayersWin(t *testing.T) {
	named := func(name string) string { return `{"model": {"name": "` + name + `"}}` }
	layers := []struct {
		name string
		put  func(h *home)
	}{
		{"system defaults", func(h *home) { h.write("system defaults", named("system defaults")) }},
		{"user", func(h *home) { h.write("user", named("user")) }},
		{"gemini", func(h *home) { h.write("gemini", named("gemini")) }},
		{"project", func(h *home) { h.write("project", named("project")) }},
		{"editor", func(h *home) { h.opts.Editor = json.RawMessage(named("editor")) }},
		{"system", func(h *home) { h.write("system", named("system")) }},
		{"GEMINI_MODEL", func(h *home) { h.opts.Env = environment("GEMINI_MODEL") }},
		{"EMENDO_MODEL", func(h *home) { h.opts.Env = environment("GEMINI_MODEL", "EMENDO_MODEL") }},
		{"flag", func(h *home) { h.opts.Flags = map[string]any{"model.name": "flag"} }},
	}
	h := newHome(t)
	for _, l := range layers {
		l.put(&h)
		s, warnings, err := Load(h.opts)
		if err != nil || len(warnings) > 0 || s.Model.Name != l.name {
			t.Errorf("with layer %q added: model %q, warnings %v, error %v", l.name, s.Model.Name, warnings, err)
		}
	}
}

// environment has variables that are set to their own names.
func environment(set ...string) func(string) string {
	return func(name string) string {
		for _, s := range set {
			if s == name {
				return name
			}
		}
		return ""
	}
}

func TestProjectFiles(t *testing.T) {
	h := newHome(t)
	h.opts.Trusted = false
	h.write("gemini", `{`)
	h.write("project", `{"model": {"name": 1}}`)
	if s, warnings, err := Load(h.opts); err != nil || len(warnings) > 0 || s.Model.Name != "auto" {
		t.Errorf("an untrusted project's files were read: %+v, %v, %v", s.Model, warnings, err)
	}

	h.opts.Trusted = true
	h.write("gemini", `{"ui": {"theme": "x"}, "model": {"name": 3}, "tools": {"allowed": ["a"]}, "general": {"maxAttempts": 2}}`)
	h.write("project", `{
  "security": {"auth": {"selectedType": "gateway"}, "other": 1},
  "tools": {"sandbox": false, "sandboxNetworkAccess": true, "exclude": ["b"]},
  "general": {"defaultApprovalMode": "auto_edit"},
  "telemetry": {"target": "x"}
}`)
	s, warnings, err := Load(h.opts)
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.General.MaxAttempts = 2
	want.Tools.Exclude = []string{"b"}
	if diff := cmp.Diff(s, want); diff != "" {
		t.Errorf("settings differ (-got +want):\n%s", diff)
	}
	var got []string
	for _, w := range warnings {
		rest, _ := strings.CutPrefix(w.String(), h.opts.ProjectDir)
		got = append(got, filepath.ToSlash(rest))
	}
	ignored := " is ignored: a project does not decide it; set it in your own settings"
	wantWarnings := []string{
		`/.gemini/settings.json:1:42: "model.name" must be a string, not a number`,
		`/.gemini/settings.json:1:56: "tools.allowed"` + ignored,
		`/.emendo/settings.json:2:25: "security.auth.selectedType"` + ignored,
		`/.emendo/settings.json:2:53: "security.other"` + ignored,
		`/.emendo/settings.json:3:13: "tools.sandbox"` + ignored,
		`/.emendo/settings.json:3:31: "tools.sandboxNetworkAccess"` + ignored,
		`/.emendo/settings.json:4:15: "general.defaultApprovalMode"` + ignored,
		`/.emendo/settings.json:5:17: "telemetry.target"` + ignored,
	}
	if diff := cmp.Diff(got, wantWarnings); diff != "" {
		t.Errorf("warnings differ (-got +want):\n%s", diff)
	}
}

func TestListsOfLayers(t *testing.T) {
	h := newHome(t)
	h.write("user", `{"tools": {"exclude": ["a", "b"], "allowed": ["a"]}, "context": {"includeDirectories": ["x"]}}`)
	h.write("system", `{"tools": {"exclude": ["b", "c"], "allowed": ["b"]}, "context": {"includeDirectories": ["y"]}}`)
	s, _, err := Load(h.opts)
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults()
	want.Tools.Exclude = []string{"a", "b", "c"}
	want.Tools.Allowed = []string{"b"}
	want.Context.IncludeDirectories = []string{"x", "y"}
	if diff := cmp.Diff(s, want); diff != "" {
		t.Errorf("settings differ (-got +want):\n%s", diff)
	}
}

func TestUserFile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // what Load says, FILE for the path
	}{
		{name: "comments and trailing commas", text: "// mine\n{\"model\": {\"maxSessionTurns\": 3, /* few */},}"},
		{name: "a byte order mark", text: "\xef\xbb\xbf{\"model\": {\"name\": \"x\"}}"},
		{name: "keys with dots", text: `{"model.stream": {"idleSeconds": 5}, "model.name": "x"}`},
		{name: "a null is unset", text: `{"model": {"name": null}, "tools": null}`},
		{name: "a schema's address", text: `{"$schema": "https://example.com/x.json"}`},
		{name: "nothing", text: "\n"},
		{name: "a comma too many", text: "{\n  \"model\": {\n    \"name\": \"x\",,\n  }\n}", want: `FILE:3:17: not valid JSON: invalid character ',' at start of value`},
		{name: "characters outside ASCII before it", text: `{"model": {"name": "äöü" x}}`, want: `FILE:1:26: not valid JSON: invalid character 'x' after object value (expecting ',' or '}')`},
		{name: "a comma too many after a byte order mark", text: "\xef\xbb\xbf{,}", want: `FILE:1:2: not valid JSON: invalid character ',' at start of value`},
		{name: "cut off", text: "{\n", want: `FILE:2:1: not valid JSON: parsing value: unexpected EOF`},
		{name: "deep nesting", text: strings.Repeat("[", maxFile), want: `FILE:1:262145: not valid JSON: parsing value: unexpected EOF`},
		{name: "too large", text: strings.Repeat(" ", maxFile+1), want: `FILE: is larger than 262144 bytes, which no settings file is`},
		{name: "a list at the top", text: " []", want: `FILE:1:2: settings must be an object in braces, not a list`},
		{name: "a group that is no object", text: `{"model": "x"}`, want: `FILE:1:11: "model" must be an object in braces, not a string`},
		{name: "a number for a string", text: `{"model": {"name": 17}}`, want: `FILE:1:20: "model.name" must be a string, not a number`},
		{name: "a string for a number", text: `{"general": {"maxAttempts": "5"}}`, want: `FILE:1:29: "general.maxAttempts" must be a whole number from 1 to 100, not a string`},
		{name: "a fraction", text: `{"general": {"maxAttempts": 1.5}}`, want: `FILE:1:29: "general.maxAttempts" must be a whole number from 1 to 100, not 1.5`},
		{name: "out of range", text: `{"model": {"maxSessionTurns": -2}}`, want: `FILE:1:31: "model.maxSessionTurns" must be a whole number, at least -1, not -2`},
		{name: "a number larger than any", text: `{"model.stream.idleSeconds": 99999999999999999999}`, want: `FILE:1:30: "model.stream.idleSeconds" must be a whole number from 1 to 86400, not 99999999999999999999`},
		{name: "none of the words", text: `{"model": {"fallback": "maybe"}}`, want: `FILE:1:24: "model.fallback" must be one of never, ask, always, not "maybe"`},
		{name: "a mode that no file may choose", text: `{"general": {"defaultApprovalMode": "yolo"}}`, want: `FILE:1:37: "general.defaultApprovalMode" must be one of default, auto_edit, plan, not "yolo"`},
		{name: "a string for a switch", text: `{"context": {"fileFiltering": {"respectGitIgnore": "no"}}}`, want: `FILE:1:52: "context.fileFiltering.respectGitIgnore" must be true or false, not a string`},
		{name: "a string for a list", text: `{"tools": {"exclude": "a"}}`, want: `FILE:1:23: "tools.exclude" must be a list of strings, not a string`},
		{name: "a null in a list", text: `{"tools": {"exclude": ["a", null]}}`, want: `FILE:1:23: "tools.exclude" must be a list of strings, not a list with something else in it`},
		{name: "an object for a value", text: `{"model": {"name": {}}}`, want: `FILE:1:20: "model.name" must be a string, not an object`},
		{name: "set twice", text: "{\"model\": {\"name\": \"a\"},\n \"model.name\": \"b\"}", want: `FILE:2:2: "model.name" is set twice: remove one of the two`},
		{name: "a misspelled key", text: "{\n  \"model\": {\n    \"naem\": \"x\"\n  }\n}\n", want: `FILE:3:5: unknown setting "model.naem" is ignored: did you mean "model.name"?`},
		{name: "a key without end", text: `{"` + strings.Repeat("x", 200_000) + `": 1}`, want: `FILE:1:2: unknown setting "` + strings.Repeat("x", 100) + `" is ignored: did you mean "model.maxSessionTurns"?`},
		{name: "what is no name of a setting anywhere", text: `{"__proto__": {"name": 1}, "constructor": 2}`, want: "FILE:1:2: unknown setting \"__proto__\" is ignored: did you mean \"tools\"?\nFILE:1:28: unknown setting \"constructor\" is ignored: did you mean \"context\"?"},
		{name: "a misspelled group", text: `{"moddel": {"name": "x"}}`, want: `FILE:1:2: unknown setting "moddel" is ignored: did you mean "model"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			path := h.write("user", tt.text)
			_, warnings, err := Load(h.opts)
			var said []string
			for _, w := range warnings {
				said = append(said, w.String())
			}
			if err != nil {
				said = append(said, err.Error())
			}
			if got := strings.ReplaceAll(strings.Join(said, "\n"), path, "FILE"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestBadLayerIsLeftOut(t *testing.T) {
	h := newHome(t)
	user := h.write("user", `{"model": {"name": "a"}, "general": {"maxAttempts": 0}}`)
	system := h.write("system", `}`)
	h.opts.Flags = map[string]any{"tools.exclude": []string{"a"}, "model.name": 7}
	h.opts.Env = environment("EMENDO_MODEL")
	s, _, err := Load(h.opts)
	want := Defaults()
	want.Model.Name = "EMENDO_MODEL"
	if diff := cmp.Diff(s, want); diff != "" {
		t.Errorf("settings differ (-got +want):\n%s", diff)
	}
	wantErr := user + `:1:53: "general.maxAttempts" must be a whole number from 1 to 100, not 0` + "\n" +
		system + ":1:1: not valid JSON: invalid character '}' at start of value\n" +
		`command line: "model.name" must be a string, not a number`
	if err == nil || err.Error() != wantErr {
		t.Errorf("got error\n%v\nwant\n%s", err, wantErr)
	}
	if first, ok := errors.AsType[*FileError](err); !ok || first.File != user || first.Line != 1 || first.Column != 53 {
		t.Errorf("the error has no place: %#v", first)
	}
}

func TestSettingsFileIsNotARegularFile(t *testing.T) {
	h := newHome(t)
	user := filepath.Join(h.opts.Paths.Config, "settings.json")
	if err := os.MkdirAll(user, 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(h.opts)
	if want := user + ": cannot be read: it is no regular file"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestProjectFileIsNotFollowedOut(t *testing.T) {
	h := newHome(t)
	outside := h.write("user", `{}`)
	inside := h.write("project", ``)
	if err := os.Remove(inside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, inside); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(h.opts)
	if err == nil || !strings.HasPrefix(err.Error(), inside+": cannot be read: ") {
		t.Errorf("a link out of the project was followed: %v", err)
	}
}

func TestOneStringForAList(t *testing.T) {
	h := newHome(t)
	h.write("user", `{"context": {"fileName": "RULES.md"}}`)
	h.write("project", `{"context": {"fileName": ["HERE.md", "RULES.md"]}}`)
	h.opts.Trusted = true
	got, warnings, err := Load(h.opts)
	if diff := cmp.Diff(got.Context.FileNames, []string{"RULES.md", "HERE.md"}); diff != "" || len(warnings) > 0 || err != nil {
		t.Errorf("the names: %s, warnings %v, error %v", diff, warnings, err)
	}
}

// A file that was written to have no end of mistakes takes neither the user's
// time nor their attention.
func TestOnlyTheFirstMistakesAreReported(t *testing.T) {
	var many strings.Builder
	for i := 0; many.Len() < maxFile*3/4; i++ {
		fmt.Fprintf(&many, `"k%d": 1, `, i)
	}
	for name, text := range map[string]string{
		"settings that there are not":        "{" + many.String() + "}",
		"settings that are not its affair":   `{"security": {` + many.String() + "}}",
		"names that an object does not have": `{"modelConfigs.customAliases": {"a": {` + many.String() + "}}}",
		"in a list of hooks":                 `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", ` + many.String() + "}]}]}}",
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.write("project", text)
			_, warnings, err := Load(h.opts)
			if err != nil || len(warnings) != mostReported+1 || !strings.Contains(warnings[mostReported].What, "more problems like this") {
				t.Errorf("%d warnings, error %v", len(warnings), err)
			}
		})
	}
}

// A host that no command can reach is named as such: whoever writes localhost means a server.
func TestOwnHostsAreDoubted(t *testing.T) {
	for host, doubted := range map[string]bool{"localhost": true, "LOCALHOST.": true, "127.0.0.1": true, "[::1]": true, "example.com": false, "localhost.example.com": false} {
		h := newHome(t)
		h.write("user", `{"tools": {"sandboxNetworkAccess": ["`+host+`"]}}`)
		_, warnings, err := Load(h.opts)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(warnings) == 1 && strings.Contains(warnings[0].String(), "opens nothing"); got != doubted {
			t.Errorf("%s: warnings %v", host, warnings)
		}
	}
}
