package turn_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

// wasAsked runs a command in a new session of a new process and reports whether the
// user was asked.
func wasAsked(w *agenttest.World, mode policy.Mode, dir, command string) bool {
	w.T.Helper()
	w.Stop()
	w.Start()
	w.Spawn.Scripts = map[string]sandboxtest.Script{command: sandboxtest.Print("", 0)}
	before := len(w.Questions)
	s, err := w.Agent.Create(w.T.Context(), agent.NewSession{Cwd: dir, Mode: mode})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Model.Replies = append(w.Model.Replies, modeltest.Reply{agenttest.RunCommand(command)}, modeltest.Reply{modeltest.Say("ok")})
	w.Prompt(s, "run it")
	return len(w.Questions) > before
}

func TestAlwaysInThisProjectSurvivesARestart(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"sub/x": "", "f": ""}, nil, func(t *testing.T, w *agenttest.World) {
		other, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		w.UseRules()
		w.Answer = agenttest.ChooseAlways("in this project")
		if !wasAsked(w, policy.Default, w.Dir, "npm run build") {
			t.Fatal("nothing was asked")
		}
		w.Answer = agenttest.ChooseAlways("never")
		for _, c := range []struct {
			name    string
			mode    policy.Mode
			dir     string
			command string
			asked   bool
		}{
			{"the same command", policy.Default, w.Dir, "npm run build", false},
			{"in a mode that asks less", policy.AutoEdit, w.Dir, "npm run build", false},
			{"as a part of another", policy.Default, w.Dir, "npm run build && npm run test", true},
			{"another script", policy.Default, w.Dir, "npm run test", true},
			{"another command of the program", policy.Default, w.Dir, "npm install", true},
			{"a longer word", policy.Default, w.Dir, "npm run buildall", true},
			{"its output written", policy.Default, w.Dir, "npm run build > out", true},
			{"with something inside", policy.Default, w.Dir, "npm run build $(touch f)", true},
			{"in another folder of the project", policy.Default, filepath.Join(w.Dir, "sub"), "npm run build", true},
			{"in another project", policy.Default, other, "npm run build", true},
		} {
			if got := wasAsked(w, c.mode, c.dir, c.command); got != c.asked {
				t.Errorf("%s: asked %v, want %v", c.name, got, c.asked)
			}
		}
	})
}

func TestAStoredAnswerDoesNotApplyInPlanMode(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"f": ""}, nil, func(t *testing.T, w *agenttest.World) {
		w.UseRules()
		w.Answer = agenttest.ChooseAlways("in every project")
		wasAsked(w, policy.AutoEdit, w.Dir, "npm run build")
		w.Answer = agenttest.ChooseAlways("never")
		if wasAsked(w, policy.AutoEdit, w.Dir, "npm run build") || wasAsked(w, policy.AutoEdit, t.TempDir(), "npm run build") {
			t.Error("the answer is not stored for all projects")
		}
		if !wasAsked(w, policy.Default, w.Dir, "npm run build") {
			t.Error("the answer applies in a stricter mode")
		}
		files, err := os.ReadDir(filepath.Join(w.State, "policies"))
		if err != nil || !slices.ContainsFunc(files, func(f os.DirEntry) bool { return f.Name() == policy.SavedFile }) {
			t.Errorf("it is stored in %v, %v", files, err)
		}
	})
}

// The rules of a folder apply as soon as it is trusted during a turn.
func TestAFoldersRulesApplyOnceTrusted(t *testing.T) {
	command := []string{"run_shell_command"}
	mine := &policy.Rule{Tier: policy.OfUser, Name: "mine", Tools: command, Decision: policy.Allow}
	ours := &policy.Rule{Tier: policy.OfProject, Name: "ours", Tools: command, Prefixes: [][]string{{"make"}}, Decision: policy.Deny}
	replies := []modeltest.Reply{agenttest.Calls("run_shell_command", `{"command":"make"}`), agenttest.Calls("run_shell_command", `{"command":"make"}`), agenttest.Done()}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			o.Policy = func(_ string, _ []string, trusted bool) *policy.Engine {
				if trusted {
					return policy.New([]*policy.Rule{mine, ours}, nil)
				}
				return policy.New([]*policy.Rule{mine}, nil)
			}
		}
		w.Stop()
		w.Start()
		w.Trusted = false
		hold := make(chan struct{})
		w.Model.Replies[1] = append(modeltest.Reply{modeltest.Hold(hold)}, w.Model.Replies[1]...)
		end := w.Begin(w.Session(policy.Default), "make it")
		w.Trusted = true
		close(hold)
		if _, err := end(); err != nil {
			t.Fatal(err)
		}
		if got := agenttest.Results(w.LastRequest())[0].Output; len(w.Spawn.Started()) > 0 || !strings.Contains(got, "The rule ours denies it.") {
			t.Errorf("the model got %q; %d commands ran", got, len(w.Spawn.Started()))
		}
	})
}

func TestNoAlwaysOptionsWhenDisabled(t *testing.T) {
	replies := []modeltest.Reply{agenttest.Calls("run_shell_command", `{"command":"make"}`), agenttest.Calls("write_file", `{"file_path":"a","content":"x\n"}`), agenttest.Calls("run_shell_command", `{"command":"make"}`), agenttest.Done()}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		w.Can = frontend.Abilities{Asks: true}
		w.Options = func(o *state.Options) { o.Settings.Security.NoAlways = true }
		w.Stop()
		w.Start()
		w.Prompt(w.Session(policy.Default), "make it")
		if len(w.Questions) != 3 {
			t.Errorf("%d questions", len(w.Questions))
		}
		for _, q := range w.Questions {
			for _, o := range q.Options {
				if o.Kind == frontend.AllowAlways {
					t.Errorf("offered for %s: %s", q.Call.Name, o.Name)
				}
			}
		}
	})
}

func TestAQuestionMentionsTheBackground(t *testing.T) {
	replies := []modeltest.Reply{agenttest.Calls("run_shell_command", `{"command":"make","is_background":true}`), agenttest.Calls("run_shell_command", `{"command":"make"}`), agenttest.Done()}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(policy.Default), "make it")
		for i, want := range []bool{true, false} {
			if q := w.Questions[i]; strings.Contains(q.Reason, "in the background") != want {
				t.Errorf("the question of call %d says %q", i, q.Reason)
			}
		}
	})
}

// TestRememberedOptions checks the options of questions.
func TestRememberedOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		mode    policy.Mode
		command string
		want    []string
	}{
		{"a command that is known", policy.Default, "npm run build", []string{"Allow once", "Always allow exactly this command in this session", "Always allow exactly `npm run build` in this project", "Always allow exactly `npm run build` everywhere, in every project", "Deny"}},
		{"what destroys", policy.Default, "rm -rf build", []string{"Allow once", "Always allow exactly this command in this session", "Deny"}},
		{"a command with a variable", policy.Default, "npm run $X", []string{"Allow once", "Always allow exactly this command in this session", "Deny"}},
		{"an interpreter", policy.Default, "python3 -c 'print(1)'", []string{"Allow once", "Always allow exactly this command in this session", "Deny"}},
		{"what writes a protected file", policy.Default, "echo x > .vscode/y", []string{"Allow once", "Deny"}},
		{"a secret", policy.Default, "cat .env", []string{"Allow once", "Deny"}},
		{"what destroys in mode yolo", policy.Yolo, "rm -rf build", []string{"Allow once", "Deny"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
				w.UseRules()
				w.Answer = agenttest.ChooseAlways("never")
				if !wasAsked(w, c.mode, w.Dir, c.command) {
					t.Fatal("nothing was asked")
				}
				var got []string
				for _, o := range w.Questions[0].Options {
					got = append(got, o.Name)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("offered\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
				}
			})
		})
	}
}
