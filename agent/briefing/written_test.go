package briefing_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	usertools "github.com/emendo-dev/emendo/tools/user"
)

var shop = map[string]string{
	"AGENTS.md": "Whole cents. @docs/money.md", "docs/money.md": "Never floats.", "GEMINI.md": "For Gemini.",
	"billing/AGENTS.md": "Invoices stay.", "billing/tax/GEMINI.md": "Round up.", "billing/tax/rate.go": "package tax\n", "billing/invoice.go": "package billing\n",
	"node_modules/x/AGENTS.md": "Obey.", "node_modules/x/i.js": "1\n",
}

// counts returns how often each word occurs in the nth request.
func counts(w *agenttest.World, n int, words ...string) map[string]int {
	w.T.Helper()
	r := w.Model.Requests()[n]
	text := r.System + agenttest.TextOf(r)
	m := map[string]int{}
	for _, s := range words {
		m[s] = strings.Count(text, s)
	}
	return m
}

func TestNestedContextFiles(t *testing.T) {
	replies := []modeltest.Reply{agenttest.ReadFileCall("billing/tax/rate.go"), agenttest.ReadFileCall("billing/invoice.go"), agenttest.ReadFileCall("node_modules/x/i.js"), agenttest.Done(), agenttest.Done()}
	agenttest.InWorld(t, shop, replies, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		w.Prompt(s, "look")
		words := []string{"Whole cents.", "Never floats.", "For Gemini.", "Invoices stay.", "Round up.", "Obey."}
		if diff := cmp.Diff(counts(w, 0, words...), map[string]int{"Whole cents.": 1, "Never floats.": 1, "For Gemini.": 1, "Invoices stay.": 0, "Round up.": 0, "Obey.": 0}); diff != "" {
			t.Errorf("the first request: %s", diff)
		}
		if diff := cmp.Diff(counts(w, 3, words...), map[string]int{"Whole cents.": 1, "Never floats.": 1, "For Gemini.": 1, "Invoices stay.": 1, "Round up.": 1, "Obey.": 0}); diff != "" {
			t.Errorf("the last request: %s", diff)
		}
		if text := agenttest.TextOf(w.LastRequest()); strings.Index(text, "Invoices stay.") > strings.Index(text, "Round up.") {
			t.Error("the nearest file does not come last")
		}

		w.Stop() // after a restart it is known what was sent
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		w.Model.Replies = append(w.Model.Replies, agenttest.ReadFileCall("billing/invoice.go"), agenttest.Done())
		w.Prompt(s, "again")
		if n := counts(w, len(w.Model.Requests())-1, "Invoices stay.")["Invoices stay."]; n != 1 {
			t.Errorf("after a restart the folder's file is sent %d times", n)
		}
	})
}

// Context files above the folder are read up to the root of its repository, if that is
// trusted too.
func TestContextFilesAboveTheFolder(t *testing.T) {
	files := map[string]string{
		"AGENTS.md": "Outside.", "repo/.git/HEAD": "ref: refs/heads/main\n", "repo/.git/objects/x": "", "repo/.git/refs/x": "", "repo/AGENTS.md": "Of the repository.", "repo/CLAUDE.md": "Of the repository.",
		"repo/pkg/GEMINI.md": "Of the packages.", "repo/pkg/fee/AGENTS.md": "Of fees.", "repo/pkg/tax/AGENTS.md": "Of taxes.",
	}
	for _, tt := range []struct {
		name    string
		trusted bool // the repository
		want    []string
	}{
		{"the repository is trusted", true, []string{"Of the repository.", "Of the packages.", "Of fees."}},
		{"the folder alone is", false, []string{"Of fees."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				dir := filepath.Join(w.Dir, "repo", "pkg", "fee")
				w.Options = func(o *state.Options) {
					o.Trusted = func(f string) bool { return f == dir || tt.trusted && f == filepath.Join(w.Dir, "repo") }
				}
				w.Stop()
				w.Start()
				s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: dir, Roots: []string{dir}})
				if err != nil {
					t.Fatal(err)
				}
				w.Prompt(s, "look")
				system := w.LastRequest().System
				at := 0
				for _, text := range tt.want {
					i := strings.Index(system[at:], text)
					if i < 0 || strings.Count(system, text) != 1 {
						t.Errorf("%q is not there once, in its place: %s", text, system)
					}
					at += max(i, 0)
				}
				if n := strings.Count(system, "Of ") + strings.Count(system, "Outside."); n != len(tt.want) {
					t.Errorf("other files are there: %s", system)
				}
			})
		})
	}
}

// Gemini CLI's file is one of the user's context files.
func TestGeminiCLIsContextFileIsRead(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		own, gemini := t.TempDir(), filepath.Join(t.TempDir(), ".gemini")
		if err := os.Mkdir(gemini, 0o700); err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string]string{filepath.Join(own, "AGENTS.md"): "For emendo.", filepath.Join(gemini, "GEMINI.md"): "For Gemini CLI.", filepath.Join(gemini, "settings.json"): "{}"} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.Options = func(o *state.Options) {
			o.UserDir, o.GeminiDir = own, gemini
			o.Settings.Context.FileNames = []string{"settings.json"}
		}
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Default), "look")
		system := w.LastRequest().System
		if g, e := strings.Index(system, "For Gemini CLI."), strings.Index(system, "For emendo."); g < 0 || e < g || strings.Contains(system, "settings.json") {
			t.Error(system)
		}
	})
}

func TestARestrictedFolderHasNoContextFiles(t *testing.T) {
	agenttest.InWorld(t, shop, []modeltest.Reply{agenttest.ReadFileCall("billing/invoice.go"), {modeltest.Call("save_memory", `{"fact":"x"}`)}, agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		user := t.TempDir()
		if err := os.WriteFile(filepath.Join(user, "AGENTS.md"), []byte("Mine."), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Trusted = false
		w.Options = func(o *state.Options) {
			o.UserDir, o.MemoryDir = user, filepath.Join(w.State, "memory")
			o.Tools = append(o.Tools, usertools.SaveMemory)
		}
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Default), "look")
		got := counts(w, 2, "Mine.", "Whole cents.", "Invoices stay.", "The workspace, at most", "The user has not trusted this folder", "untrusted_workspace: ")
		if diff := cmp.Diff(got, map[string]int{"Mine.": 1, "Whole cents.": 0, "Invoices stay.": 0, "The workspace, at most": 0, "The user has not trusted this folder": 1, "untrusted_workspace: ": 1}); diff != "" {
			t.Error(diff)
		}
		if len(w.Questions) != 0 {
			t.Errorf("the user was asked: %v", w.Questions)
		}
	})
}

func TestSaveMemory(t *testing.T) {
	save := modeltest.Reply{modeltest.Call("save_memory", `{"fact":"Tabs."}`)}
	for _, tt := range []struct {
		name   string
		mode   policy.Mode
		answer string
		asked  int
		saved  bool
	}{
		{name: "asked and allowed", mode: policy.Default, answer: "allow_once", asked: 1, saved: true},
		{name: "asked and refused", mode: policy.Default, answer: "reject_once", asked: 1},
		{name: "it is no edit", mode: policy.AutoEdit, answer: "allow_once", asked: 1, saved: true},
		{name: "nothing is asked", mode: policy.Yolo, saved: true},
		{name: "planning", mode: policy.Plan},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, []modeltest.Reply{save, agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
				w.Options = func(o *state.Options) {
					o.MemoryDir = filepath.Join(w.State, "memory")
					o.Tools = append(o.Tools, usertools.SaveMemory)
				}
				w.Answer = func(context.Context, frontend.Question) (frontend.Answer, error) {
					return frontend.Answer{OptionID: tt.answer}, nil
				}
				w.Stop()
				w.Start()
				s := w.Session(tt.mode)
				w.Prompt(s, "remember tabs")
				if len(w.Questions) != tt.asked {
					t.Errorf("%d questions, want %d", len(w.Questions), tt.asked)
				}
				w.Prompt(w.Session(policy.Default), "another session")
				if got := strings.Contains(w.LastRequest().System, "- Tabs. <!--"); got != tt.saved {
					t.Errorf("the next session reads it: %v, want %v", got, tt.saved)
				}
			})
		})
	}
}

func TestFolders(t *testing.T) {
	files := map[string]string{"b.go": "", "a.go": "", "z/in.go": "", ".gitignore": "made/\n", ".git/HEAD": "ref: refs/heads/main\n", "made/x": "", "node_modules/x.js": "", "dist/out.js": "", "__pycache__/a.pyc": ""}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Settings.Context.FileFiltering.RespectGitIgnore = true }
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Default), "hi")
		sep := string(filepath.Separator)
		want := w.Dir + sep + "\n├───.gitignore\n├───a.go\n├───b.go\n├───__pycache__" + sep + "\n│   └───...\n├───dist" + sep + "\n│   └───...\n├───node_modules" + sep + "\n│   └───...\n└───z" + sep + "\n    └───in.go\n"
		if text := agenttest.TextOf(w.LastRequest()); !strings.Contains(text, want) {
			t.Errorf("the tree is missing in\n%s", text)
		}
	})
}

func TestFoldersAreBounded(t *testing.T) {
	files := map[string]string{"d/deep.go": ""}
	for i := range 150 {
		files["a/"+strings.Repeat("x", i+1)], files[strings.Repeat("y", i+1)] = "", ""
	}
	agenttest.InWorld(t, files, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(policy.Default), "hi")
		text := agenttest.TextOf(w.LastRequest())
		if n := strings.Count(text, "───") - strings.Count(text, "───..."); n != 200 {
			t.Errorf("%d files and folders are shown", n)
		}
		if !strings.Contains(text, "marks a folder with more entries") || strings.Count(text, "───...") != 2 {
			t.Errorf("the note about more entries is missing in\n%s", text)
		}
	})
}

func TestExclusions(t *testing.T) {
	replies := []modeltest.Reply{agenttest.ReadFileCall("billing/invoice.go"), agenttest.Done(), agenttest.Done(), agenttest.Done(), agenttest.Done()}
	agenttest.InWorld(t, shop, replies, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		exclude := func(kind, name string, on bool) {
			t.Helper()
			e := transcript.Exclusion{Kind: kind}
			if name != "" {
				e.Path = filepath.Join(w.Dir, name)
			}
			if err := s.Exclude(e, on); err != nil {
				t.Fatal(err)
			}
		}
		exclude("", "GEMINI.md", true) // before the first prompt
		w.Prompt(s, "look")
		words := []string{"Whole cents.", "For Gemini.", "Invoices stay.", "package billing", "The workspace, at most"}
		if diff := cmp.Diff(counts(w, 1, words...), map[string]int{"Whole cents.": 1, "For Gemini.": 0, "Invoices stay.": 1, "package billing": 1, "The workspace, at most": 1}); diff != "" {
			t.Errorf("one file left out: %s", diff)
		}

		exclude("context_file", "", true)
		exclude("folders", "", true)
		exclude("", "billing/invoice.go", true)
		w.Stop()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "again")
		if diff := cmp.Diff(counts(w, 2, words...), map[string]int{"Whole cents.": 0, "For Gemini.": 0, "Invoices stay.": 0, "package billing": 0, "The workspace, at most": 0}); diff != "" {
			t.Errorf("kinds left out, after a restart: %s", diff)
		}
		for _, i := range s.State.Record.Sent() {
			if i.Kind == "context_file" || i.Kind == "folders" {
				t.Errorf("listed, and left out: %v", i)
			}
		}

		exclude("context_file", "", false)
		exclude("", "billing/invoice.go", false)
		w.Prompt(s, "and back")
		if diff := cmp.Diff(counts(w, 3, words...), map[string]int{"Whole cents.": 1, "For Gemini.": 0, "Invoices stay.": 1, "package billing": 1, "The workspace, at most": 0}); diff != "" {
			t.Errorf("included again: %s", diff)
		}
		for _, e := range []transcript.Exclusion{{}, {Kind: "system"}, {Kind: "nothing"}, {Kind: "tool_result"}} {
			if err := s.Exclude(e, true); err == nil {
				t.Errorf("%v is left out", e)
			}
		}
	})
}

func TestContextIsListed(t *testing.T) {
	agenttest.InWorld(t, shop, []modeltest.Reply{agenttest.ReadFileCall("billing/invoice.go"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		if l := s.State.Record.Sent(); len(l) != 0 {
			t.Errorf("before the first step: %v", l)
		}
		w.Prompt(s, "look")
		var got []string
		for _, i := range s.State.Record.Sent() {
			if i.Size == 0 {
				t.Errorf("of no size: %v", i)
			}
			if i.Kind != "system" {
				source := i.Source
				if rel, err := filepath.Rel(w.Dir, source); err == nil && filepath.IsAbs(source) {
					source = filepath.ToSlash(rel)
				}
				got = append(got, strings.TrimSpace(i.Kind+" "+source)+": "+i.Reason)
			}
		}
		want := []string{
			"context_file AGENTS.md: in a workspace folder, with docs/money.md", "context_file GEMINI.md: in a workspace folder", "tools: tools that the model can call",
			"environment: the session's environment", "folders: files in the workspace", "tool_result billing/invoice.go: result of a tool call",
			"context_file billing/AGENTS.md: a tool accessed its folder", "conversation: messages so far",
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Error(diff)
		}
		if !slices.ContainsFunc(s.State.Record.Sent(), func(i transcript.ContextItem) bool { return i.Kind == "system" && i.Source == "coreMandates" }) {
			t.Error("the modules of the system prompt are missing")
		}
	})
}

// TestItemSizesAddUp sends one item of each kind and compares the listed sizes with the
// request.
func TestItemSizesAddUp(t *testing.T) {
	files := maps.Clone(shop)
	files["main.go"] = "package main\n\nfunc main() {}\n"
	agenttest.InWorld(t, files, []modeltest.Reply{{modeltest.Call("save_memory", `{"fact":"Tabs."}`)}, agenttest.Done(), agenttest.ReadFileCall("billing/invoice.go"), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		user := t.TempDir()
		if err := os.WriteFile(filepath.Join(user, "AGENTS.md"), []byte("Mine."), 0o600); err != nil {
			t.Fatal(err)
		}
		w.Options = func(o *state.Options) {
			o.UserDir, o.MemoryDir = user, filepath.Join(w.State, "memory")
			o.Tools = append(o.Tools, usertools.SaveMemory)
		}
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Default), "remember tabs")
		s := w.Session(policy.Default)
		w.Editor.Open(w.URI("main.go"), files["main.go"])
		focus := &frontend.Focus{Active: w.Workspace.Snapshot().Documents()[0].URI}
		blocks := append(agenttest.Say("what is this?"), transcript.Block{Type: transcript.LinkBlock, URI: w.URI("main.go"), Lines: &transcript.Lines{First: 3, Last: 3}})
		if _, err := s.Prompt(t.Context(), state.Prompt{Blocks: blocks, Focus: focus, Snapshot: w.Workspace.Snapshot()}); err != nil {
			t.Fatal(err)
		}
		listed := 0
		kinds := map[string]bool{}
		for _, i := range s.State.Record.Sent() {
			listed += i.Size
			kinds[i.Kind] = true
		}
		want := []string{"context_file", "conversation", "editor", "environment", "folders", "linked", "memory", "system", "tool_result", "tools"}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(kinds)), want); diff != "" {
			t.Error(diff)
		}
		r := w.LastRequest()
		sent := len(r.System)
		for _, x := range r.Tools {
			sent += len(x.Name) + len(x.Description) + len(x.Schema)
		}
		for _, m := range r.Messages {
			for _, p := range m.Parts {
				switch p := p.(type) {
				case model.Text:
					sent += len(p.Text)
				case model.Call:
					sent += len(p.Name) + len(p.Args)
				case model.Result:
					sent += len(p.Output)
				case model.Thought, model.Blob:
				}
			}
		}
		if d := sent - listed; d < -100 || d > 100 { // blank lines between modules
			t.Errorf("listed are %d bytes, sent %d", listed, sent)
		}
	})
}

func TestTheDateIsSent(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{agenttest.Done(), agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s := w.Session(policy.Default)
		w.Prompt(s, "one")
		w.Prompt(s, "two")
		if n := counts(w, 1, "Date:")["Date:"]; n != 1 {
			t.Errorf("on the same day it is sent %d times", n)
		}
		<-time.After(24 * time.Hour) // of the bubble's clock
		w.Prompt(s, "three")
		if diff := cmp.Diff(counts(w, 2, "Date:", "1 January", "2 January"), map[string]int{"Date:": 2, "1 January": 1, "2 January": 1}); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFilesOfTwoFoldersHaveDistinctNames(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"one/AGENTS.md": "First.", "two/AGENTS.md": "Second."}, []modeltest.Reply{agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		one, two := filepath.Join(w.Dir, "one"), filepath.Join(w.Dir, "two")
		s, err := w.Agent.Create(t.Context(), agent.NewSession{Cwd: two, Roots: []string{one, two}})
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "look")
		for _, want := range []string{"--- from " + filepath.Join(one, "AGENTS.md") + " (the project's) ---\nFirst.", "--- from AGENTS.md (the project's) ---\nSecond."} {
			if !strings.Contains(w.LastRequest().System, want) {
				t.Errorf("%q is missing in\n%s", want, w.LastRequest().System)
			}
		}
	})
}
