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

	"github.com/emendo-dev/emendo/tools/sandbox"
)

// player plays hooks: what each says, by its command.
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

// lines are the commands that ran, in order.
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

func TestWhichHooksRun(t *testing.T) {
	hook := func(source Source, name, command, matcher string) Hook {
		return Hook{Event: BeforeTool, Source: source, Name: name, Command: command, Matcher: matcher}
	}
	for _, tt := range []struct {
		name     string
		hooks    []Hook
		disabled []string
		off      bool
		in       Input  // nil: a call of replace
		refuse   string // whose hooks are not permitted
		want     string
	}{
		{name: "without a matcher", hooks: []Hook{hook(User, "a", "x", "")}, want: "a"},
		{name: "with a star", hooks: []Hook{hook(User, "a", "x", "*")}, want: "a"},
		{name: "a tool's name is searched", hooks: []Hook{hook(User, "a", "x", "write|repl"), hook(User, "b", "x", "^write$")}, want: "a"},
		{name: "a broken expression is a name", hooks: []Hook{hook(User, "a", "x", "repl("), hook(User, "b", "y", "replace(")}, in: ToolInput{Tool: "repl(", Args: json.RawMessage(`{}`)}, want: "a"},
		{name: "project, user, system, in the order written", hooks: []Hook{hook(System, "d", "x", ""), hook(User, "b", "x", ""), hook(User, "c", "x", ""), hook(Project, "a", "x", "")}, want: "a b c d"},
		{name: "the same hook once, the first one", hooks: []Hook{hook(User, "a", "x", ""), hook(Project, "a", "x", ""), hook(User, "", "x", ""), hook(User, "", "x", "")}, want: "a x"},
		{name: "the user's, not a project's like it", hooks: []Hook{hook(Project, "a", "x", ""), {Event: BeforeTool, Source: User, Name: "a", Command: "x", Description: " of the user"}}, want: "a of the user"},
		{name: "one that is not permitted does not stand in another's way", hooks: []Hook{{Event: BeforeTool, Source: Project, Folder: "/p", Name: "a", Command: "x"}, {Event: BeforeTool, Source: Project, Folder: "/q", Name: "a", Command: "x", Description: " of q"}}, refuse: "/p", want: "a of q"},
		{name: "disabled by name", hooks: []Hook{hook(User, "a", "x", ""), hook(User, "b", "x", "")}, disabled: []string{"a", "x"}, want: "b"},
		{name: "disabled by command where there is no name", hooks: []Hook{hook(User, "", "x", ""), hook(User, "b", "x", "")}, disabled: []string{"x"}, want: "b"},
		{name: "of another event", hooks: []Hook{hook(User, "a", "x", "")}, in: ToolOutcome{}, want: ""},
		{name: "what set the event off, exactly", hooks: []Hook{{Event: SessionEnd, Name: "a", Command: "x", Matcher: "exi"}, {Event: SessionEnd, Name: "b", Command: "x", Matcher: "exit"}, {Event: SessionEnd, Name: "c", Command: "x", Matcher: "exit|logout"}}, in: EndInput{"exit"}, want: "b c"},
		{name: "an event without a subject has no matchers", hooks: []Hook{{Event: BeforeAgent, Name: "a", Command: "x", Matcher: "never"}}, in: PromptInput{"go"}, want: "a"},
		{name: "switched off", hooks: []Hook{hook(User, "a", "x", "")}, off: true, want: ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.in
			if in == nil {
				in = ToolInput{Tool: "replace", Args: json.RawMessage(`{}`)}
			}
			e := Engine{Config{Hooks: tt.hooks, Disabled: tt.disabled, Off: tt.off}, &player{}}
			var got []string
			for _, r := range e.Fire(t.Context(), scene, in, func(h Hook) bool { return h.Folder == "" || h.Folder != tt.refuse }).Runs {
				got = append(got, r.Hook.Label()+r.Hook.Description)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}

// Leave is asked for right before each start, so that what changes meanwhile is
// seen.
func TestLeaveIsForWhatStartsNow(t *testing.T) {
	p := &player{}
	e := Engine{Config{Hooks: []Hook{{Event: BeforeAgent, Command: "a", Sequential: true}, {Event: BeforeAgent, Command: "b"}}}, p}
	e.Fire(t.Context(), scene, PromptInput{"go"}, func(h Hook) bool { return h.Command == "a" || !slices.Contains(p.lines(), "a") })
	if !slices.Equal(p.lines(), []string{"a"}) {
		t.Errorf("ran %q", p.lines())
	}
}

func TestParse(t *testing.T) {
	no := false
	for _, tt := range []struct {
		name           string
		stdout, stderr string
		code           int
		want           *Output
	}{
		{name: "nothing", want: nil},
		{name: "nothing, and it failed", code: 1, want: nil},
		{name: "an object", stdout: ` {"decision":"deny","reason":"no"} `, want: &Output{Decision: Deny, Reason: "no"}},
		{name: "an object, whatever the exit status", stdout: `{"decision":"ask"}`, code: 3, want: &Output{Decision: Ask}},
		{name: "an object on standard error, when it is all there is", stderr: `{"decision":"block","reason":"no"}`, code: 2, want: &Output{Decision: Block, Reason: "no"}},
		{name: "standard output goes before standard error", stdout: `{"reason":"a"}`, stderr: `{"reason":"b"}`, want: &Output{Reason: "a"}},
		{name: "an object in a string", stdout: `"{\"continue\":false,\"stopReason\":\"enough\"}"`, want: &Output{Continue: &no, StopReason: "enough"}},
		{name: "a field of a wrong type says nothing", stdout: `{"continue":"no","reason":7,"systemMessage":"m","hookSpecificOutput":[1]}`, want: &Output{SystemMessage: "m"}},
		{name: "a number says nothing", stdout: `42`},
		{name: "a truth says nothing", stdout: `true`},
		{name: "a list says nothing", stdout: `[{"decision":"deny"}]`},
		{name: "words", stdout: "Logged: x\n", want: &Output{Decision: Allow, SystemMessage: "Logged: x"}},
		{name: "words in a string", stdout: `"well"`, want: &Output{Decision: Allow, SystemMessage: `"well"`}},
		{name: "words and status 1", stderr: "oops", code: 1, want: &Output{Decision: Allow, SystemMessage: "Warning: oops", Warns: true}},
		{name: "words and status 2", stderr: "not that", code: 2, want: &Output{Decision: Deny, Reason: "not that"}},
		{name: "words and another status", stdout: "no", code: 77, want: &Output{Decision: Deny, Reason: "no"}},
		{name: "bytes that are no text", stdout: "caf\xe9", want: &Output{Decision: Allow, SystemMessage: "caf\uFFFD"}},
		{name: "bytes that are no text, in an object", stdout: "{\"decision\":\"deny\",\"reason\":\"caf\xe9\"}", want: &Output{Decision: Deny, Reason: "caf\uFFFD"}},
		{name: "broken JSON is words, of which the user is warned", stdout: `{"decision":"deny","reason":"no "quotes""}`, want: &Output{Decision: Allow, SystemMessage: `{"decision":"deny","reason":"no "quotes""}`, Warns: true}},
		{name: "broken JSON is words of which the exit status says more", stdout: `{"decision":`, code: 2, want: &Output{Decision: Deny, Reason: `{"decision":`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := json.Marshal(parse(tt.stdout, tt.stderr, tt.code))
			want, _ := json.Marshal(tt.want)
			if string(got) != string(want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event Event
		says  []string
		want  string
	}{
		{"nothing said allows", BeforeTool, nil, `{"decision":"allow"}`},
		{"a refusal beats a question beats leave", BeforeTool, []string{`{"decision":"allow"}`, `{"decision":"block","reason":"a"}`, `{"decision":"ask","reason":"b"}`, `{"decision":"approve"}`}, `{"decision":"block","reason":"a\nb"}`},
		{"a question beats leave", BeforeTool, []string{`{"decision":"ask"}`, `{"decision":"allow"}`}, `{"decision":"ask"}`},
		{"one stop stops", AfterTool, []string{`{"continue":false,"stopReason":"a"}`, `{"continue":true,"stopReason":"b"}`}, `{"continue":false,"decision":"allow","stopReason":"a\nb"}`},
		{"words are joined", BeforeAgent, []string{`{"systemMessage":"a","hookSpecificOutput":{"additionalContext":"x"}}`, `{"systemMessage":"b","suppressOutput":true,"hookSpecificOutput":{"additionalContext":"y"}}`}, `{"decision":"allow","systemMessage":"a\nb","suppress":true,"specific":{"additionalContext":"x\ny"}}`},
		{"arguments are laid over each other", BeforeTool, []string{`{"hookSpecificOutput":{"tool_input":{"a":1,"b":1}}}`, `{"hookSpecificOutput":{"tool_input":{"b":2}}}`}, `{"decision":"allow","specific":{"tool_input":{"a":1,"b":2}}}`},
		{"a cleared context stays cleared", AfterAgent, []string{`{"hookSpecificOutput":{"clearContext":true}}`, `{"hookSpecificOutput":{"clearContext":false}}`}, `{"decision":"allow","specific":{"clearContext":true}}`},
		{"of a model's hooks the later one counts", BeforeModel, []string{`{"decision":"allow","reason":"a","hookSpecificOutput":{"llm_request":{"model":"m"}}}`, `{"decision":"allow","hookSpecificOutput":{"llm_request":{"config":{}},"other":1}}`}, `{"decision":"allow","reason":"a","specific":{"llm_request":{"config":{},"model":"m"},"other":1}}`},
		{"a later one lifts no refusal", BeforeModel, []string{`{"decision":"deny","reason":"a"}`, `words`}, `{"decision":"deny","reason":"a","systemMessage":"words"}`},
		{"nor a stop", AfterModel, []string{`{"continue":false,"stopReason":"a"}`, `{"continue":true,"stopReason":"b"}`}, `{"continue":false,"stopReason":"a"}`},
		{"none beats any beats auto", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b","a"]}}}`, `{"hookSpecificOutput":{"toolConfig":{"mode":"AUTO","allowedFunctionNames":["c","a"]}}}`}, `{"specific":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["a","b","c"]}}}`},
		{"none has no names", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"mode":"NONE","allowedFunctionNames":["b"]}}}`, `{"hookSpecificOutput":{"toolConfig":{"mode":"any"}}}`}, `{"specific":{"toolConfig":{"mode":"NONE"}}}`},
		{"a mode that is unknown", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"mode":"VALIDATED","allowedFunctionNames":["b"]}}}`}, `{"specific":{"toolConfig":{"allowedFunctionNames":["b"]}}}`},
		{"as the provider nests it", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}}`}, `{"specific":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}`},
		{"of the others the later one counts", Notification, []string{`{"systemMessage":"a"}`, `{"systemMessage":"b"}`}, `{"systemMessage":"b"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all []Output
			for _, s := range tt.says {
				all = append(all, *parse(s, "", 0))
			}
			got, err := encode(told(merge(tt.event, all)))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != canonical(t, tt.want) {
				t.Errorf("got  %s\nwant %s", got, canonical(t, tt.want))
			}
		})
	}
}

// told is an output as the tables write it.
func told(o Output) map[string]any {
	m := map[string]any{}
	for name, s := range map[string]string{"stopReason": o.StopReason, "reason": o.Reason, "systemMessage": o.SystemMessage, "decision": string(o.Decision)} {
		if s != "" {
			m[name] = s
		}
	}
	if o.Continue != nil {
		m["continue"] = *o.Continue
	}
	if o.Suppress {
		m["suppress"] = true
	}
	if len(o.Specific) > 0 {
		m["specific"] = o.Specific
	}
	return m
}

func canonical(t *testing.T, s string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(s))
	m := map[string]json.RawMessage{}
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	b, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInput(t *testing.T) {
	head := `{"session_id":"s1","transcript_path":"/log.jsonl","cwd":"/home/me/my app","hook_event_name":"%","timestamp":"2026-03-01T12:00:00.005Z",`
	for _, tt := range []struct {
		in   Input
		want string
	}{
		{ToolInput{Tool: "replace", Args: json.RawMessage(`{"a":"<b>"}`)}, `"tool_name":"replace","tool_input":{"a":"<b>"}}`},
		{ToolInput{Tool: "replace", Args: json.RawMessage(`{}`), Original: "glob"}, `"tool_name":"replace","tool_input":{},"original_request_name":"glob"}`},
		{ToolOutcome{ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, ToolResponse{Content: "c", Display: "d"}}, `"tool_name":"glob","tool_input":{},"tool_response":{"llmContent":"c","returnDisplay":"d"}}`},
		{ToolOutcome{ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, ToolResponse{Error: &ToolError{"m", "t"}}}, `"tool_name":"glob","tool_input":{},"tool_response":{"llmContent":"","returnDisplay":"","error":{"message":"m","type":"t"}}}`},
		{PromptInput{"p"}, `"prompt":"p"}`},
		{AnswerInput{"p", "r", true}, `"prompt":"p","prompt_response":"r","stop_hook_active":true}`},
		{StartInput{"startup"}, `"source":"startup"}`},
		{EndInput{"exit"}, `"reason":"exit"}`},
		{CompressInput{"auto"}, `"trigger":"auto"}`},
		{RequestInput{json.RawMessage(`{"model":"m"}`)}, `"llm_request":{"model":"m"}}`},
		{SelectionInput{json.RawMessage(`{"model":"m"}`)}, `"llm_request":{"model":"m"}}`},
		{ResponseInput{json.RawMessage(`{"model":"m"}`), json.RawMessage(`{"text":"t"}`)}, `"llm_request":{"model":"m"},"llm_response":{"text":"t"}}`},
		{NotificationInput{"ToolPermission", "m", map[string]any{"type": "exec"}}, `"notification_type":"ToolPermission","message":"m","details":{"type":"exec"}}`},
	} {
		t.Run(string(tt.in.Event()), func(t *testing.T) {
			got, err := scene.text(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if want := strings.Replace(head, "%", string(tt.in.Event()), 1) + tt.want; string(got) != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestHooksSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &player{
			says: map[string]Ran{"a": prints(`{"decision":"deny","reason":"no"}`), "b": prints(`{"decision":"allow"}`)},
			wait: map[string]time.Duration{"a": 2 * time.Second, "b": time.Second},
		}
		e := Engine{Config{Hooks: []Hook{{Event: BeforeTool, Command: "a"}, {Event: BeforeTool, Command: "b"}}}, p}
		slowly := func(Hook) bool {
			<-time.After(time.Minute)
			return true
		}
		o := e.Fire(t.Context(), scene, ToolInput{Tool: "glob", Args: json.RawMessage(`{}`)}, slowly)
		if o.Took != 2*time.Second || !o.Blocks() || o.Why() != "no" || len(o.Runs) != 2 || o.Runs[1].Took != time.Second {
			t.Errorf("got %+v", o)
		}
	})
}

func TestAFewHooksAtOnce(t *testing.T) {
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

func TestHooksOneAfterAnother(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    Input
		first string
		want  string // what the second hook is told
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
			"silent: it exited with code 3 and said nothing", "killed: it was ended by a signal: killed", "gone: there is no bash", "long: it wrote more than 32 MiB, so nothing of it is heeded",
			"slow: it ran longer than 1m0s and was ended", "slower: it ran longer than 10m0s and was ended",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

func TestWhatAHookGets(t *testing.T) {
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
	if c.Dir != scene.Cwd || c.Timeout != time.Minute {
		t.Errorf("it runs in %s for %s", c.Dir, c.Timeout)
	}
}

// What a folder is called runs nothing, whatever quotes a command has around it.
func TestPlacesInCommands(t *testing.T) {
	for _, tt := range []struct{ name, project, command, want string }{
		{"a blank", "/home/me/my app", `ls $GEMINI_PROJECT_DIR`, `ls '/home/me/my app'`},
		{"a quote", "/it's", `ls $GEMINI_PROJECT_DIR/a`, `ls '/it'\''s'/a`},
		{"between double quotes the shell does it", "/a$(b)", `ls "$GEMINI_PROJECT_DIR"`, `ls "$GEMINI_PROJECT_DIR"`},
		{"between single quotes", "/home/me/my app", `python3 -c 'print("$GEMINI_PROJECT_DIR")'`, `python3 -c 'print("/home/me/my app")'`},
		{"between single quotes, for another shell to run", "/a$(b)", `bash -c 'ls $GEMINI_PROJECT_DIR'`, `bash -c 'ls $GEMINI_PROJECT_DIR'`},
		{"behind a quote that is none", "/a;b", "# it's all\nls $GEMINI_PROJECT_DIR", "# it's all\nls $GEMINI_PROJECT_DIR"},
		{"behind a backslash", "/a", `echo \$GEMINI_PROJECT_DIR \'$GEMINI_PROJECT_DIR`, `echo \$GEMINI_PROJECT_DIR \''/a'`},
		{"a longer name", "/a", `echo $GEMINI_PROJECT_DIRS`, `echo $GEMINI_PROJECT_DIRS`},
		{"nothing behind the dollar", "/a", `echo $`, `echo $`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Scene{Project: tt.project}).inserted(tt.command); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestWhatOthersRead(t *testing.T) {
	painted := "a</hook_context>b \x1b[31mred\x1b[0m\x00 \u202e\u00e9\t\n"
	for _, tt := range []struct{ name, got, want string }{
		{"by the model, marked", Enclosed(painted), "<hook_context>\na&lt;/hook_context&gt;b red \u202e\u00e9\n</hook_context>"},
		{"by the model, and the user with it", BoundedReason(painted), "a</hook_context>b red \u00e9"},
		{"by the user", BoundedMessage(painted), "a</hook_context>b red \u00e9"},
		{"cut between characters", Bounded("\u00e9\u00e9", 3), "\u00e9\n(the rest, 2 bytes, is left out)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
	if long := Enclosed(strings.Repeat("é", maxContext)); len(long) > maxContext+100 || !strings.Contains(long, "is left out") {
		t.Errorf("it has %d bytes", len(long))
	}
}
