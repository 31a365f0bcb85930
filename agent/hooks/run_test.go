package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
)

// player is a Runner that plays hooks from a script, by command.
type player struct {
	says map[string]Ran
	errs map[string]error
	wait map[string]time.Duration

	mu  sync.Mutex
	ran []Command
}

func (p *player) Run(ctx context.Context, c Command) (Ran, error) {
	p.mu.Lock()
	p.ran = append(p.ran, c)
	p.mu.Unlock()
	if d := p.wait[c.Line]; d > 0 {
		limit := time.NewTimer(c.Timeout)
		defer limit.Stop()
		done := time.NewTimer(d)
		defer done.Stop()
		select {
		case <-done.C:
		case <-limit.C:
			return Ran{TimedOut: true}, nil
		case <-ctx.Done():
			return Ran{}, context.Cause(ctx)
		}
	}
	return p.says[c.Line], p.errs[c.Line]
}

// lines returns the commands that ran, in order.
func (p *player) lines() []string {
	var l []string
	for _, c := range p.ran {
		l = append(l, c.Line)
	}
	return l
}

func prints(s string) Ran { return Ran{Stdout: []byte(s)} }

func exits(code int, stderr string) Ran {
	return Ran{Stderr: []byte(stderr), Exit: sandbox.Exit{Code: code}}
}

var scene = Scene{SessionID: "s1", Transcript: "/log.jsonl", Cwd: "/home/me/my app", Project: "/home/me/my app", Plans: "/plans", At: time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)}

// Permission is requested right before each start, so that later changes are
// seen.
func TestPermitIsCalledBeforeEachHook(t *testing.T) {
	p := &player{}
	e := Engine{Config{Hooks: []Hook{{Event: BeforeAgent, Command: "a", Sequential: true}, {Event: BeforeAgent, Command: "b"}}}, p}
	e.Fire(t.Context(), scene, PromptInput{"go"}, func(h Hook) (trust.Cleared, bool) {
		return trust.Cleared{}, h.Command == "a" || !slices.Contains(p.lines(), "a")
	})
	if !slices.Equal(p.lines(), []string{"a"}) {
		t.Errorf("ran %q", p.lines())
	}
}

func TestHooksRunInParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &player{
			says: map[string]Ran{"a": prints(`{"decision":"deny","reason":"no"}`), "b": prints(`{"decision":"allow"}`)},
			wait: map[string]time.Duration{"a": 2 * time.Second, "b": time.Second},
		}
		e := Engine{Config{Hooks: []Hook{{Event: BeforeTool, Command: "a"}, {Event: BeforeTool, Command: "b"}}}, p}
		slowly := func(Hook) (trust.Cleared, bool) {
			<-time.After(time.Minute)
			return trust.Cleared{}, true
		}
		o := e.Fire(t.Context(), scene, ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, slowly)
		if o.Took != 2*time.Second || !o.Blocks() || o.Why() != "no" || len(o.Runs) != 2 || o.Runs[1].Took != time.Second {
			t.Errorf("got %+v", o)
		}
	})
}

func TestParallelHooksAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &player{wait: map[string]time.Duration{"a": time.Second}}
		var all []Hook
		for i := range 5 {
			all = append(all, Hook{Event: PreCompress, Command: "a", Name: string(rune('a' + i)), Timeout: 1500 * time.Millisecond})
		}
		e := Engine{Config{Hooks: all}, AtMost(2, p)}
		if o := e.Fire(t.Context(), scene, CompressInput{"auto"}, nil); o.Took != 3*time.Second || slices.ContainsFunc(o.Runs, func(r Run) bool { return r.Err != nil }) {
			t.Errorf("it took %s: %+v", o.Took, o.Runs)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		if o := e.Fire(ctx, scene, CompressInput{"auto"}, nil); o.Took != 500*time.Millisecond {
			t.Errorf("it was cancelled after %s", o.Took)
		}
	})
}

func TestSequentialHooks(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    Input
		first string
		want  string // input of the second hook
	}{
		{"arguments", ToolInput{Tool: "glob", Args: json.RawMessage(`{"a":1,"b":1}`)}, `{"hookSpecificOutput":{"tool_input":{"b":2}}}`, `"tool_input":{"a":1,"b":2}`},
		{"a prompt", PromptInput{"do"}, `{"hookSpecificOutput":{"additionalContext":"so"}}`, `"prompt":"do\n\nso"`},
		{"an output", ToolOutcome{ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, ToolResponse{Content: "secret", Display: "secret"}}, `{"hookSpecificOutput":{"tool_output":"***"}}`, `"tool_response":{"llmContent":"***","returnDisplay":"***"}`},
		{"a piece of an answer", ResponseInput{json.RawMessage(`{}`), json.RawMessage(`{"text":"a","candidates":[]}`)}, `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["b"]}}]}}}`, `"llm_response":{"candidates":[{"content":{"parts":["b"]}}],"text":"a"}`},
		{"a request", RequestInput{json.RawMessage(`{"model":"m","messages":[]}`)}, `{"hookSpecificOutput":{"llm_request":{"model":"n"}}}`, `"llm_request":{"messages":[],"model":"n"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &player{says: map[string]Ran{"a": prints(tt.first)}}
			event := tt.in.Event()
			e := Engine{Config{Hooks: []Hook{{Event: event, Command: "a"}, {Event: event, Command: "b", Sequential: true}}}, p}
			e.Fire(t.Context(), scene, tt.in, nil)
			if !slices.Equal(p.lines(), []string{"a", "b"}) {
				t.Fatalf("ran %q", p.lines())
			}
			if got := string(p.ran[1].Input); !strings.Contains(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &player{
			says: map[string]Ran{"silent": exits(3, ""), "killed": {Exit: sandbox.Exit{Code: -1, Signal: "killed"}}, "fine": {}, "long": {Stdout: []byte(`{"decision":"de`), Cut: true}},
			errs: map[string]error{"gone": errors.New("there is no bash")},
			wait: map[string]time.Duration{"slow": time.Hour, "slower": time.Hour},
		}
		var all []Hook
		for _, line := range []string{"silent", "killed", "fine", "gone", "long", "slow"} {
			all = append(all, Hook{Event: BeforeTool, Command: line})
		}
		all = append(all, Hook{Event: BeforeTool, Command: "slower", Timeout: 24 * time.Hour})
		o := Engine{Config{Hooks: all}, p}.Fire(t.Context(), scene, ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, nil)
		if o.Blocks() || o.Stops() {
			t.Errorf("a failure decided: %+v", o.Output)
		}
		var got []string
		for _, r := range o.Runs {
			if r.Err != nil {
				got = append(got, r.Hook.Command+": "+r.Err.Error())
			}
		}
		want := []string{
			"silent: exited with code 3 without output", "killed: ended by signal: killed", "gone: there is no bash", "long: wrote more than 32 MiB; its output was ignored",
			"slow: timed out after 1m0s", "slower: timed out after 10m0s",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestHookCommandAndEnvironment(t *testing.T) {
	p := &player{}
	h := Hook{Event: PreCompress, Command: `$GEMINI_PROJECT_DIR/h.sh "$GEMINI_CWD" '$GEMINI_SESSION_ID' \$GEMINI_CWD $GEMINI_CWDX $CLAUDE_PROJECT_DIR`, Env: map[string]string{"A": "b", "GEMINI_CWD": "mine"}}
	Engine{Config{Hooks: []Hook{h}}, p}.Fire(t.Context(), scene, CompressInput{"auto"}, nil)
	c := p.ran[0]
	if want := `'/home/me/my app'/h.sh "$GEMINI_CWD" 's1' \$GEMINI_CWD $GEMINI_CWDX '/home/me/my app'`; c.Line != want {
		t.Errorf("got  %s\nwant %s", c.Line, want)
	}
	for name, want := range map[string]string{
		"A": "b", "GEMINI_CWD": "mine", "GEMINI_PROJECT_DIR": "/home/me/my app", "GEMINI_PLANS_DIR": "/plans", "GEMINI_SESSION_ID": "s1", "CLAUDE_PROJECT_DIR": "/home/me/my app",
		"EMENDO_PROJECT_DIR": "/home/me/my app", "EMENDO_CWD": "/home/me/my app", "EMENDO_SESSION_ID": "s1", "EMENDO_PLANS_DIR": "/plans",
	} {
		if c.Env[name] != want {
			t.Errorf("%s is %q, want %q", name, c.Env[name], want)
		}
	}
	h.Folder = "/home/me/other"
	Engine{Config{Hooks: []Hook{h}}, p}.Fire(t.Context(), scene, CompressInput{"auto"}, nil)
	if c := p.ran[1]; c.Env["GEMINI_PROJECT_DIR"] != h.Folder || !strings.HasPrefix(c.Line, "'/home/me/other'/h.sh") {
		t.Errorf("another project's hook runs as %s, with %s", c.Line, c.Env["GEMINI_PROJECT_DIR"])
	}
	if c.Dir != scene.Cwd || c.Timeout != time.Minute {
		t.Errorf("it runs in %s for %s", c.Dir, c.Timeout)
	}
}
