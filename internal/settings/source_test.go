package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Effective settings and reports while files, trust and configuration change.
func TestSource(t *testing.T) {
	h := newHome(t)
	initial := Defaults().Model.Name
	trusted := true
	var configured json.RawMessage
	source := NewSource(h.opts)
	user, project := filepath.Join(h.opts.Paths.Config, "settings.json"), filepath.Join(h.opts.ProjectDir, ".emendo", "settings.json")
	const before = "; the previous settings apply until it is fixed"
	badUser := user + `:1:29: "general.maxAttempts" must be a whole number from 1 to 100, not 0`
	for _, step := range []struct {
		name         string
		do           func()
		wantModel    string
		wantAttempts int
		wantNews     []string
	}{
		{name: "nothing is configured", do: func() {}, wantModel: initial, wantAttempts: 5},
		{name: "a file comes", do: func() { h.write("user", `{"model.name": "user", "general": {"maxAttempts": 2}}`) }, wantModel: "user", wantAttempts: 2},
		{name: "a project's file comes", do: func() { h.write("project", `{"model.name": "project"}`) }, wantModel: "project", wantAttempts: 2},
		{name: "the folder is no longer trusted", do: func() { trusted = false }, wantModel: "user", wantAttempts: 2},
		{name: "it is trusted again", do: func() { trusted = true }, wantModel: "project", wantAttempts: 2},
		{name: "the editor is configured", do: func() { configured = json.RawMessage(`{"model": {"name": "editor"}}`) }, wantModel: "editor", wantAttempts: 2},
		{name: "a file breaks", do: func() { h.write("user", `{"general": {"maxAttempts": 0}, "model.name": "x"}`) }, wantModel: "editor", wantAttempts: 2, wantNews: []string{badUser + before}},
		{name: "nothing changes", do: func() {}, wantModel: "editor", wantAttempts: 2},
		{name: "the configuration goes", do: func() { configured = nil }, wantModel: "project", wantAttempts: 2},
		{name: "the project's file breaks too", do: func() { h.write("project", `{`) }, wantModel: "project", wantAttempts: 2, wantNews: []string{project + ":1:2: not valid JSON: parsing value: unexpected EOF" + before}},
		{name: "it goes", do: func() { remove(t, project) }, wantModel: "user", wantAttempts: 2},
		{name: "it comes back as it was", do: func() { h.write("project", `{`) }, wantModel: "user", wantAttempts: 2, wantNews: []string{project + ":1:2: not valid JSON: parsing value: unexpected EOF"}},
		{name: "the user's is mended", do: func() { h.write("user", `{"general": {"maxAttempts": 7}}`) }, wantModel: initial, wantAttempts: 7},
		{name: "the same mistake again", do: func() { h.write("user", `{"general": {"maxAttempts": 0}}`) }, wantModel: initial, wantAttempts: 7, wantNews: []string{badUser + before}},
		{name: "a warning beside it", do: func() { h.write("system", `{"modell": 1}`) }, wantModel: initial, wantAttempts: 7, wantNews: []string{filepath.Join(h.opts.Paths.System, "settings.json") + `:1:2: unknown setting "modell" is ignored: did you mean "model"?`}},
		{name: "the folder's trust goes, and its mistakes", do: func() { trusted = false }, wantModel: initial, wantAttempts: 7},
		{name: "the files go", do: func() { remove(t, user) }, wantModel: initial, wantAttempts: 5},
	} {
		step.do()
		s, news := source.Read(trusted, nil, configured)
		if s.Model.Name != step.wantModel || s.General.MaxAttempts != step.wantAttempts {
			t.Errorf("%s: model %s, attempts %d, want %s, %d", step.name, s.Model.Name, s.General.MaxAttempts, step.wantModel, step.wantAttempts)
		}
		if !slices.Equal(news, step.wantNews) {
			t.Errorf("%s: reported\n%s\nwant\n%s", step.name, strings.Join(news, "\n"), strings.Join(step.wantNews, "\n"))
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// Files that cannot be read hide no other.
func TestUnreadableFilesHideNoOthers(t *testing.T) {
	for _, layers := range [][]string{{"gemini"}, {"project"}, {"gemini", "project"}, {"system defaults", "system"}, {"user"}} {
		h := newHome(t)
		for _, l := range []string{"system defaults", "user", "gemini", "project", "system"} {
			path := h.write(l, `{"tools": {"exclude": ["`+l+`"]}}`)
			if slices.Contains(layers, l) {
				remove(t, path)
				if err := os.Mkdir(path, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
		s, news := NewSource(h.opts).Read(true, nil, nil)
		if len(s.Tools.Exclude)+len(layers) != 5 || len(news) != len(layers) || !strings.Contains(news[0], "it is no regular file") {
			t.Errorf("without %q: excluded %q, reported %q", layers, s.Tools.Exclude, news)
		}
	}
}

// What an editor has configured has a project's rank, and is as little ours as
// its files: what we do not know may be the plugin's.
func TestEditorsConfiguration(t *testing.T) {
	h := newHome(t)
	h.opts.Trusted = true
	h.opts.Configuration = json.RawMessage(`{"trace": {"server": "off"}, "general": {"defaultApprovalMode": "auto_edit", "maxAttempts": 0}, "model": {"name": "x"}}`)
	s, warnings, err := Load(h.opts)
	var said []string
	for _, w := range warnings {
		said = append(said, w.String())
	}
	want := []string{
		`the editor's configuration: "general.maxAttempts" must be a whole number from 1 to 100, not 0`,
		`the editor's configuration: "general.defaultApprovalMode" is ignored: a project does not decide it; set it in your own settings`,
	}
	if err != nil || !slices.Equal(said, want) || s.Model.Name != "x" || s.General.DefaultApprovalMode != "default" {
		t.Errorf("got %+v, %v, said %q", s.Model.Name, err, said)
	}
}

// A home's .gemini is the user's own of another program, and no project's.
func TestHomeIsNotAProject(t *testing.T) {
	h := newHome(t)
	h.opts.Env = func(name string) string { return map[string]string{"HOME": h.opts.ProjectDir + "/"}[name] }
	h.write("gemini", `{"model": {"name": "x"}}`)
	h.write("project", `{"general": {"maxAttempts": 2}}`)
	if s, _, err := Load(h.opts); err != nil || s.Model.Name != Defaults().Model.Name || s.General.MaxAttempts != 2 {
		t.Errorf("got %s and %d, %v", s.Model.Name, s.General.MaxAttempts, err)
	}
}

func TestIncludedFolders(t *testing.T) {
	h := newHome(t)
	real, err := filepath.EvalSymlinks(filepath.Dir(h.opts.ProjectDir))
	if err != nil {
		t.Fatal(err)
	}
	h.opts.ProjectDir = filepath.Join(real, "project")
	for _, d := range []string{"project/sub", "outside"} {
		if err := os.MkdirAll(filepath.Join(real, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": "../outside", "in": "sub"} {
		if err := os.Symlink(to, filepath.Join(h.opts.ProjectDir, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.write("user", `{"context": {"includeDirectories": ["../outside", "`+filepath.ToSlash(filepath.Join(real, "outside"))+`"]}}`)
	h.write("project", `{"context": {"includeDirectories": ["sub", "in", "out", "..", "/etc", "none", "sub/../../outside"]}}`)
	s, warnings, err := Load(h.opts)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"../outside", filepath.ToSlash(filepath.Join(real, "outside")), filepath.Join(h.opts.ProjectDir, "sub")}
	if !slices.Equal(s.Context.IncludeDirectories, want) {
		t.Errorf("got %q, want %q", s.Context.IncludeDirectories, want)
	}
	var refused []string
	for _, w := range warnings {
		folder, _, _ := strings.Cut(w.What, " in ")
		refused = append(refused, folder)
	}
	if !slices.Equal(refused, []string{`"out"`, `".."`, `"/etc"`, `"none"`, `"sub/../../outside"`}) {
		t.Errorf("refused %q", refused)
	}
}

func TestOldNames(t *testing.T) {
	for _, c := range []struct{ name, text, want, said string }{
		{"an old name", `{"contextFileName": "a.md"}`, "a.md", `1:2: "contextFileName" is the old name of "context.fileName": rename it`},
		{"beside the new one", `{"contextFileName": "a.md", "context": {"fileName": "b.md"}}`, "b.md", `1:2: "contextFileName" is ignored: it is the old name of "context.fileName", which is set too`},
		{"with a wrong value", `{"contextFileName": 7}`, "", `1:21: "context.fileName" must be a list of strings, not a number`},
	} {
		h := newHome(t)
		path := h.write("user", c.text)
		s, warnings, err := Load(h.opts)
		said := ""
		if err != nil {
			said = err.Error()
		} else if len(warnings) == 1 {
			said = warnings[0].String()
		}
		if got := strings.Join(s.Context.FileNames, " "); got != c.want || said != path+":"+c.said {
			t.Errorf("%s: %q, said %s", c.name, got, said)
		}
	}
	h := newHome(t)
	h.write("gemini", `{"fileFiltering": {"respectGitIgnore": false, "enableRecursiveFileSearch": true}, "maxSessionTurns": 3, "tools": {"approvalMode": "auto_edit"}}`)
	s, warnings, err := Load(h.opts)
	if err != nil || s.Context.FileFiltering.RespectGitIgnore || s.Model.MaxSessionTurns != 3 || s.General.DefaultApprovalMode != "default" {
		t.Errorf("Gemini CLI's own file: %+v, %v", s, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].What, `"general.defaultApprovalMode" is ignored: a project does not decide it`) {
		t.Errorf("said %v", warnings)
	}
	for old, now := range renamed {
		if _, ok := lookup(now); !ok {
			t.Errorf("%s is renamed to %s, which is no setting", old, now)
		}
	}
}
