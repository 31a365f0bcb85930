package agent_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestSlashCommands(t *testing.T) {
	for _, tt := range []struct {
		name       string
		prompt     string
		restricted bool
		want       []string // parts of the answer; none: it is a text for the model
		mode       policy.Mode
		model      string
		title      string
	}{
		{name: "all of them", prompt: "/help", want: []string{"- `/mode [default | auto_edit | plan | yolo]`: ", "- `/compact [WHAT TO KEEP]`: "}},
		{name: "white space around one", prompt: " \n/help \n", want: []string{"- `/help`: "}},
		{name: "a folder", prompt: "/tmp is full"},
		{name: "a path", prompt: "/context/a.go is wrong"},
		{name: "words behind one that takes none", prompt: "/help me with this"},
		{name: "not at the beginning", prompt: "what does /help do?"},
		{name: "the mode", prompt: "/mode", want: []string{"The mode is `default`. Modes:", "- `/mode yolo`: "}},
		{name: "another mode", prompt: "/mode auto_edit", mode: policy.AutoEdit, want: []string{"The mode is now `auto_edit`."}},
		{name: "a mode that there is not", prompt: "/mode fast", want: []string{"Unknown mode \"fast\""}},
		{name: "a mode that needs trust", prompt: "/mode yolo", restricted: true, want: []string{"not trusted"}},
		{name: "planning", prompt: "/plan", mode: policy.Plan, want: []string{"The mode is now `plan`."}},
		{name: "planning something is not carried out", prompt: "/plan a cache", mode: policy.Plan, want: []string{"The mode is now `plan`.", "as a separate prompt"}},
		{name: "the model", prompt: "/model", want: []string{"The model is `test-model`."}},
		{name: "another model", prompt: "/model other", model: "other", want: []string{"now `other`"}},
		{name: "a title", prompt: "/rename  the build ", title: "the build", want: []string{`"the build"`}},
		{name: "no title", prompt: "/rename", want: []string{"`/rename TITLE`"}},
		{name: "servers, where there are none", prompt: "/mcp", want: []string{"No MCP servers."}},
		{name: "nothing is aside", prompt: "/putback", want: []string{"Nothing is there to put back."}},
		{name: "tokens", prompt: "/usage", want: []string{"| all | 0 |", "0 turns"}},
		{name: "what is written down", prompt: "/memory", want: []string{"AGENTS.md`, 22 bytes"}},
		{name: "nothing is written down where nothing is trusted", prompt: "/memory", restricted: true, want: []string{"No context files"}},
		{name: "a fact", prompt: "/memory add Money is in cents.", want: []string{"Saved."}},
		{name: "a fact where nothing is trusted", prompt: "/memory add Money is in cents.", restricted: true, want: []string{"cannot be saved"}},
		{name: "another word for the memory", prompt: "/memory forget", want: []string{"`/memory add FACT`"}},
		{name: "what the model is given", prompt: "/context", want: []string{"| kind | source | bytes | why |", "| tools |  | ", "AGENTS.md` | 22 | in a workspace folder |", "bytes in total"}},
		{name: "a kind is left out", prompt: "/context exclude context_file", want: []string{"Excluded:\n\n- everything of kind context_file"}},
		{name: "a file is left out", prompt: "/context exclude AGENTS.md", want: []string{"Excluded:\n\n- `/", "/AGENTS.md`\n"}},
		{name: "what is always given", prompt: "/context exclude system", want: []string{"always sent to the model"}},
		{name: "another word for the context", prompt: "/context forget", want: []string{"`/context exclude`"}},
		{name: "nothing is long yet", prompt: "/compact", want: []string{"nothing to summarize"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			agenttest.InWorld(t, map[string]string{"AGENTS.md": "Use tabs, not spaces.\n"}, agenttest.Answers("yes"), func(t *testing.T, w *agenttest.World) {
				w.Trusted = !tt.restricted
				w.Options = func(o *state.Options) { o.MemoryDir = filepath.Join(w.State, "memory") }
				w.Stop()
				w.Start()
				s := w.Session("")
				end := w.Prompt(s, tt.prompt)
				if end.StopReason != transcript.EndTurn {
					t.Errorf("the turn ended with %s", end.StopReason)
				}
				if len(tt.want) == 0 {
					if len(w.Model.Requests()) != 1 || end.Text != "yes" {
						t.Errorf("the model was not asked: %s", end.Text)
					}
					return
				}
				if len(w.Model.Requests()) != 0 {
					t.Fatal("the model was asked")
				}
				for _, part := range tt.want {
					if !strings.Contains(end.Text, part) {
						t.Errorf("%q is not in\n%s", part, end.Text)
					}
				}
				if end.Text != w.Shown() {
					t.Errorf("shown is %q", w.Shown())
				}
				i := s.Info()
				wantMode, wantModel := tt.mode, tt.model
				if wantMode == "" {
					wantMode = policy.Default
				}
				if wantModel == "" {
					wantModel = "test-model"
				}
				if i.Mode != wantMode || i.Model != wantModel || i.Title != tt.title || i.Turns != 0 {
					t.Errorf("the session is %+v", i)
				}
				w.CheckNumbers()
			})
		})
	}
}

func TestCommandsAreNotSentToTheModel(t *testing.T) {
	agenttest.InWorld(t, nil, agenttest.Answers("one", "two", "three"), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		w.Prompt(s, "/help")
		if l, _, err := w.Agent.List(transcript.Listing{}); err != nil || len(l) != 0 {
			t.Errorf("a session without a prompt is listed: %+v, %v", l, err)
		}
		w.Prompt(s, "first")
		w.Prompt(s, "/mode")
		w.Prompt(s, "second")
		w.Stop()
		w.Start()
		s, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "third")
		if sent := agenttest.TextOf(w.LastRequest()); strings.Contains(sent, "/help") || strings.Contains(sent, "/mode") || strings.Contains(sent, "The mode is") || strings.Count(sent, "Date:") != 1 {
			t.Errorf("the model got\n%s", sent)
		}
		if i := s.Info(); i.Turns != 3 || i.Title != "first" {
			t.Errorf("the session is %+v", i)
		}
		l, _, err := w.Agent.List(transcript.Listing{Query: "/help"})
		if err != nil || len(l) != 0 {
			t.Errorf("it is found by a command: %+v, %v", l, err)
		}
		ps, err := s.Prompts()
		if err != nil || len(ps) != 3 {
			t.Errorf("it can be rewound to %+v, %v", ps, err)
		}
		if err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if shown := w.Shown(); strings.Count(shown, "Built-in commands") != 2 { // live, and in the replay
			t.Errorf("a replay shows\n%s", shown)
		}
		w.CheckNumbers()
	})
}

func TestCommandsNeedNoModel(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) {
			o.Generator = func(string) (model.Generator, string, error) {
				return nil, "", &model.Error{Kind: model.Auth, Message: "there are no credentials"}
			}
		}
		w.Stop()
		w.Start()
		s := w.Session("")
		for _, c := range []string{"/help", "/context", "/model other"} {
			w.Prompt(s, c)
		}
		end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("/compact")})
		if err == nil || end.StopReason != transcript.StopError {
			t.Errorf("what asks the model ended with %s, %v", end.StopReason, err)
		}
		w.Prompt(s, "/usage")
	})
}

// longStory is long enough to be compacted.
func longStory() string {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "Part %d of a long story.\n", i)
	}
	return b.String()
}

func TestACommandCompacts(t *testing.T) {
	agenttest.InWorld(t, nil, append(agenttest.Answers(longStory(), "two", "three"), agenttest.Answers(agenttest.Summary, agenttest.Summary, "four")...), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		for _, p := range []string{"one", "two", "three"} {
			w.Prompt(s, p)
		}
		if end := w.Prompt(s, "/compact"); !strings.Contains(end.Text, "tokens, down from") {
			t.Errorf("the answer is %q", end.Text)
		}
		w.Prompt(s, "four")
		if sent := agenttest.TextOf(w.LastRequest()); strings.Contains(sent, "of a long story") || strings.Contains(sent, "/compact") {
			t.Errorf("the model got %.200s", sent)
		}
		var states []string
		for _, u := range w.Updates {
			if c, ok := u.Event.(transcript.Compaction); ok {
				states = append(states, c.Status)
			}
		}
		if strings.Join(states, " ") != "in_progress completed" {
			t.Errorf("states %v", states)
		}
	})
}

func TestACommandDuringATurnIsQueued(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		hold := make(chan struct{})
		w.Model.Replies = []modeltest.Reply{{modeltest.Hold(hold), modeltest.Say("done")}}
		s := w.Session("")
		ended := w.Begin(s, "go")
		in, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say("/usage")}, agent.Steer)
		if err != nil || in.Steers {
			t.Fatalf("%+v, %v", in, err)
		}
		over := make(chan state.Ended, 1)
		go func() {
			end, _ := in.Result()
			over <- end
		}()
		synctest.Wait()
		close(hold)
		if _, err := ended(); err != nil {
			t.Fatal(err)
		}
		if end := <-over; !strings.Contains(end.Text, "1 turn,") || end.TurnID != in.ID {
			t.Errorf("%+v", end)
		}
	})
}

func TestACancelledCommand(t *testing.T) {
	agenttest.InWorld(t, nil, append(agenttest.Answers(longStory(), "two", "three"), modeltest.Reply{modeltest.Hold(nil)}), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		for _, p := range []string{"one", "two", "three"} {
			w.Prompt(s, p)
		}
		ended := w.Begin(s, "/compact")
		s.Cancel("")
		if end, err := ended(); err != nil || end.StopReason != transcript.StopCancelled {
			t.Errorf("%s, %v", end.StopReason, err)
		}
		w.Model.Replies = agenttest.Answers("four")
		w.Prompt(s, "four")
		if sent := agenttest.TextOf(w.LastRequest()); !strings.Contains(sent, "of a long story") {
			t.Error("the conversation is shorter")
		}
	})
}

// A command that does not exist reaches neither the model nor the log.
func TestUnknownSlashCommandsAreRefused(t *testing.T) {
	for prompt, want := range map[string]string{
		"/compress":       "unknown command /compress; it is /compact",
		"/Stats":          "unknown command /Stats; /usage shows tokens and costs",
		"/hepl":           "unknown command /hepl; did you mean /help?",
		"/Usage please":   "unknown command /Usage; did you mean /usage?",
		"/frobnicate now": "unknown command /frobnicate; /help lists the commands",
	} {
		agenttest.InWorld(t, nil, agenttest.Answers("yes"), func(t *testing.T, w *agenttest.World) {
			s := w.Session("")
			for how, err := range map[string]error{
				"a prompt": func() error { _, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say(prompt)}); return err }(),
				"queued": func() error {
					_, err := s.Submit(t.Context(), state.Prompt{Blocks: agenttest.Say(prompt)}, agent.Queue)
					return err
				}(),
			} {
				if !errors.Is(err, slash.ErrUnknown) || err.Error() != want {
					t.Errorf("%s %q came to %v, want %s", how, prompt, err, want)
				}
			}
			if len(w.Model.Requests()) != 0 || len(w.Updates) != 0 {
				t.Errorf("%q was sent", prompt)
			}
		})
	}
}
