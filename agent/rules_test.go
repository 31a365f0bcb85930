package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
)

// ruled makes the world's sessions use rules in files and store answers.
func (w *world) ruled() {
	answers := &policy.Answers{State: filepath.Join(w.state, "answers"), User: filepath.Join(w.state, "policies")}
	w.options = func(o *state.Options) {
		var source policy.Source
		o.Answers = answers
		o.Policy = func(cwd string, _ []string, _ bool) *policy.Engine {
			e, _ := source.Read(policy.Places{User: answers.User, Answers: []string{answers.File(policy.Project, cwd)}})
			return e
		}
	}
}

// wasAsked runs a command in a new session of a new process and reports whether the
// user was asked.
func (w *world) wasAsked(mode policy.Mode, dir, command string) bool {
	w.t.Helper()
	w.stop()
	w.start()
	w.spawn.Scripts = map[string]sandboxtest.Script{command: sandboxtest.Print("", 0)}
	w.mu.Lock()
	before := len(w.questions)
	w.mu.Unlock()
	s, err := w.agent.Create(w.t.Context(), agent.NewSession{Cwd: dir, Mode: mode})
	if err != nil {
		w.t.Fatal(err)
	}
	w.model.Replies = append(w.model.Replies, modeltest.Reply{run(command)}, modeltest.Reply{modeltest.Say("ok")})
	w.prompt(s, "run it")
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.questions) > before
}

// choose answers with the option whose name has this suffix, or refuses.
func choose(end string) func(context.Context, frontend.Question) (frontend.Answer, error) {
	return func(_ context.Context, q frontend.Question) (frontend.Answer, error) {
		for _, o := range q.Options {
			if strings.HasSuffix(o.Name, end) && o.Kind == frontend.AllowAlways {
				return frontend.Answer{OptionID: o.ID}, nil
			}
		}
		return frontend.Answer{OptionID: "reject_once"}, nil
	}
}

func TestAlwaysInThisProjectSurvivesARestart(t *testing.T) {
	inWorld(t, map[string]string{"sub/x": "", "f": ""}, nil, func(t *testing.T, w *world) {
		other, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		w.ruled()
		w.answer = choose("in this project")
		if !w.wasAsked(policy.Default, w.dir, "npm run build") {
			t.Fatal("nothing was asked")
		}
		w.answer = choose("never")
		for _, c := range []struct {
			name    string
			mode    policy.Mode
			dir     string
			command string
			asked   bool
		}{
			{"the same command", policy.Default, w.dir, "npm run build", false},
			{"in a mode that asks less", policy.AutoEdit, w.dir, "npm run build", false},
			{"as a part of another", policy.Default, w.dir, "npm run build && npm run test", true},
			{"another script", policy.Default, w.dir, "npm run test", true},
			{"another command of the program", policy.Default, w.dir, "npm install", true},
			{"a longer word", policy.Default, w.dir, "npm run buildall", true},
			{"its output written", policy.Default, w.dir, "npm run build > out", true},
			{"with something inside", policy.Default, w.dir, "npm run build $(touch f)", true},
			{"in another folder of the project", policy.Default, filepath.Join(w.dir, "sub"), "npm run build", true},
			{"in another project", policy.Default, other, "npm run build", true},
		} {
			if got := w.wasAsked(c.mode, c.dir, c.command); got != c.asked {
				t.Errorf("%s: asked %v, want %v", c.name, got, c.asked)
			}
		}
	})
}

func TestAStoredAnswerDoesNotApplyInPlanMode(t *testing.T) {
	inWorld(t, map[string]string{"f": ""}, nil, func(t *testing.T, w *world) {
		w.ruled()
		w.answer = choose("in every project")
		w.wasAsked(policy.AutoEdit, w.dir, "npm run build")
		w.answer = choose("never")
		if w.wasAsked(policy.AutoEdit, w.dir, "npm run build") || w.wasAsked(policy.AutoEdit, t.TempDir(), "npm run build") {
			t.Error("the answer is not stored for all projects")
		}
		if !w.wasAsked(policy.Default, w.dir, "npm run build") {
			t.Error("the answer applies in a stricter mode")
		}
		files, err := os.ReadDir(filepath.Join(w.state, "policies"))
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
	replies := []modeltest.Reply{calls("run_shell_command", `{"command":"make"}`), calls("run_shell_command", `{"command":"make"}`), done()}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		w.options = func(o *state.Options) {
			o.Policy = func(_ string, _ []string, trusted bool) *policy.Engine {
				if trusted {
					return policy.New([]*policy.Rule{mine, ours}, nil)
				}
				return policy.New([]*policy.Rule{mine}, nil)
			}
		}
		w.stop()
		w.start()
		w.trusted = false
		hold := make(chan struct{})
		w.model.Replies[1] = append(modeltest.Reply{modeltest.Hold(hold)}, w.model.Replies[1]...)
		end := w.begin(w.session(policy.Default), "make it")
		w.trusted = true
		close(hold)
		if _, err := end(); err != nil {
			t.Fatal(err)
		}
		if got := results(w.last())[0].Output; len(w.spawn.Started()) > 0 || !strings.Contains(got, "The rule ours denies it.") {
			t.Errorf("the model got %q; %d commands ran", got, len(w.spawn.Started()))
		}
	})
}

func TestNoAlwaysOptionsWhenDisabled(t *testing.T) {
	replies := []modeltest.Reply{calls("run_shell_command", `{"command":"make"}`), calls("write_file", `{"file_path":"a","content":"x\n"}`), calls("run_shell_command", `{"command":"make"}`), done()}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		w.abilities = frontend.Abilities{Asks: true}
		w.options = func(o *state.Options) { o.Settings.Security.NoAlways = true }
		w.stop()
		w.start()
		w.prompt(w.session(policy.Default), "make it")
		if len(w.questions) != 3 {
			t.Errorf("%d questions", len(w.questions))
		}
		for _, q := range w.questions {
			for _, o := range q.Options {
				if o.Kind == frontend.AllowAlways {
					t.Errorf("offered for %s: %s", q.Call.Name, o.Name)
				}
			}
		}
	})
}

func TestAQuestionMentionsTheBackground(t *testing.T) {
	replies := []modeltest.Reply{calls("run_shell_command", `{"command":"make","is_background":true}`), calls("run_shell_command", `{"command":"make"}`), done()}
	inWorld(t, nil, replies, func(t *testing.T, w *world) {
		w.prompt(w.session(policy.Default), "make it")
		for i, want := range []bool{true, false} {
			if q := w.questions[i]; strings.Contains(q.Reason, "in the background") != want {
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
			inWorld(t, nil, nil, func(t *testing.T, w *world) {
				w.ruled()
				w.answer = choose("never")
				if !w.wasAsked(c.mode, w.dir, c.command) {
					t.Fatal("nothing was asked")
				}
				var got []string
				for _, o := range w.questions[0].Options {
					got = append(got, o.Name)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("offered\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
				}
			})
		})
	}
}
