package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/tools"
)

// asking returns a server whose tool "ask" makes a request and returns its outcome, in
// both versions of the protocol: by a separate request, or by its result.
func asking(request func() sdk.InputRequest) *mcptest.Double {
	s := sdk.NewServer(&sdk.Implementation{Name: "double"}, nil)
	s.AddTool(&sdk.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Params.InputResponses == nil {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"one": request()}}, nil
		}
		var text string
		switch x := r.Params.InputResponses["one"].(type) {
		case *sdk.ElicitResult:
			text = fmt.Sprintf("%s %v", x.Action, x.Content)
		case *sdk.CreateMessageResult:
			text = fmt.Sprintf("%s: %s (%s)", x.Model, x.Content.(*sdk.TextContent).Text, x.StopReason)
		case *sdk.CreateMessageWithToolsResult:
			text = fmt.Sprintf("%s: %s (%s)", x.Model, x.Content[0].(*sdk.TextContent).Text, x.StopReason)
		default:
			text = fmt.Sprintf("%T", x)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	return &mcptest.Double{Serve: mcptest.Serving(s)}
}

// versions are the tested protocol versions: in the newest a server asks by its result,
// in the one before by separate requests.
var versions = []string{"2025-11-25", "2026-07-28"}

func withRequest(t *testing.T, request func() sdk.InputRequest, f func(t *testing.T, w *world)) {
	t.Helper()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(w *world) { w.options.Protocol = version })
				w.add("docs", asking(request))
				f(t, w)
			})
		})
	}
}

func elicitation() sdk.InputRequest {
	return &sdk.ElicitParams{Mode: "form", Message: "Which branch?", RequestedSchema: map[string]any{
		"type": "object", "required": []string{"branch"}, "properties": map[string]any{"branch": map[string]any{"type": "string", "minLength": 2}},
	}}
}

func TestElicitation(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answers []frontend.Elicited
		err     error
		want    string
		asked   int
	}{
		{name: "answered", answers: []frontend.Elicited{{Values: [][]string{{"main"}}}}, want: "accept map[branch:main]", asked: 1},
		{name: "corrected", answers: []frontend.Elicited{{Values: [][]string{{"x"}}}, {Values: [][]string{{"main"}}}}, want: "accept map[branch:main]", asked: 2},
		{name: "wrong three times", answers: []frontend.Elicited{{}, {}, {}}, want: "cancel map[]", asked: 3},
		{name: "declined", answers: []frontend.Elicited{{Declined: true}}, want: "decline map[]", asked: 1},
		{name: "cancelled", answers: []frontend.Elicited{{Cancelled: true}}, want: "cancel map[]", asked: 1},
		{name: "with nobody to ask", err: frontend.ErrCannotElicit, want: "decline map[]", asked: 1},
		{name: "an editor that fails", err: errors.New("broken"), want: "cancel map[]", asked: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			withRequest(t, elicitation, func(t *testing.T, w *world) {
				w.elicit = func(_ context.Context, server string, q []tools.Question) (frontend.Elicited, error) {
					if server != "docs" || len(q) != 1 || !strings.Contains(q[0].Question, "The MCP server docs asks: Which branch?") {
						t.Errorf("%s asks %+v", server, q)
					}
					if tt.err != nil {
						return frontend.Elicited{}, tt.err
					}
					return tt.answers[w.elicited-1], nil
				}
				if got := w.call(t, "mcp_docs_ask", `{}`); got.Raw != tt.want {
					t.Errorf("the server got %q, %v", got.Raw, got.Err)
				}
				if w.elicited != tt.asked {
					t.Errorf("asked %d times", w.elicited)
				}
			})
		})
	}
}

func TestElicitationOfAnAddress(t *testing.T) {
	for address, want := range map[string]string{"https://bank.test/login": "accept map[]", "http://bank.test/": ""} {
		withRequest(t, func() sdk.InputRequest {
			return &sdk.ElicitParams{Mode: "url", Message: "Sign in.", URL: address, ElicitationID: "1"}
		}, func(t *testing.T, w *world) {
			w.elicit = func(_ context.Context, _ string, q []tools.Question) (frontend.Elicited, error) {
				if !strings.Contains(q[0].Question, "\n"+address+"\n") {
					t.Errorf("asked %q", q[0].Question)
				}
				return frontend.Elicited{Values: [][]string{{"yes"}}}, nil
			}
			if got := w.call(t, "mcp_docs_ask", `{}`); got.Raw != want && want != "" || want == "" && (got.Err == nil || w.elicited > 0) {
				t.Errorf("%s: the server got %q, %v", address, got.Raw, got.Err)
			}
		})
	}
}

func sampling() sdk.InputRequest {
	text := func(role sdk.Role, s string) *sdk.SamplingMessage {
		return &sdk.SamplingMessage{Role: role, Content: &sdk.TextContent{Text: s}}
	}
	return &sdk.CreateMessageParams{
		SystemPrompt: "Be brief.", MaxTokens: 1_000_000, IncludeContext: "allServers",
		Messages: []*sdk.SamplingMessage{text("user", "one"), text("user", "two"), text("assistant", "three"), text("user", "four\u202e")},
	}
}

func TestSampling(t *testing.T) {
	withRequest(t, sampling, func(t *testing.T, w *world) {
		var got state.Completion
		w.sample = func(_ context.Context, c state.Completion) (state.Answer, error) {
			got = c
			return state.Answer{Text: "five", Model: "m-1"}, nil
		}
		if r := w.call(t, "mcp_docs_ask", `{}`); r.Raw != "m-1: five (endTurn)" {
			t.Errorf("the server got %q, %v", r.Raw, r.Err)
		}
		want := state.Completion{
			Server: "docs", Shown: got.Shown, System: "Be brief.", MaxTokens: 8192,
			Messages: []state.Message{{Text: "one"}, {Text: "two"}, {Model: true, Text: "three"}, {Text: "four\u202e"}},
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
		for _, want := range []string{`"server": "docs"`, `"systemPrompt": "Be brief."`, `"maxTokens": 8192`, `"text": "four\\u{202E}"`} {
			if !strings.Contains(string(got.Shown), want) {
				t.Errorf("the user reads\n%s", got.Shown)
			}
		}
		w.sample = func(context.Context, state.Completion) (state.Answer, error) {
			return state.Answer{}, errors.New("the user or a rule declined the request")
		}
		if r := w.call(t, "mcp_docs_ask", `{}`); r.Err == nil || !strings.Contains(r.Err.Message+r.Raw, "declined the request") {
			t.Errorf("after a refusal: %q, %v", r.Raw, r.Err)
		}
	})
}

// An image is sent to the model; the user sees its description.
func TestSamplingWithAnImage(t *testing.T) {
	png := []byte("\x89PNG\r\n\x1a\n rest")
	ask := func(role sdk.Role, data []byte) func() sdk.InputRequest {
		return func() sdk.InputRequest {
			return &sdk.CreateMessageParams{MaxTokens: 10, Messages: []*sdk.SamplingMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "What is this?"}},
				{Role: role, Content: &sdk.ImageContent{Data: data, MIMEType: "text/html"}},
				{Role: "user", Content: &sdk.TextContent{Text: "Now."}},
			}}
		}
	}
	withRequest(t, ask("user", png), func(t *testing.T, w *world) {
		var got state.Completion
		w.sample = func(_ context.Context, c state.Completion) (state.Answer, error) {
			got = c
			return state.Answer{Text: "a picture", Model: "m-1"}, nil
		}
		if r := w.call(t, "mcp_docs_ask", `{}`); r.Raw != "m-1: a picture (endTurn)" {
			t.Errorf("the server got %q, %v", r.Raw, r.Err)
		}
		want := []state.Message{{Text: "What is this?"}, {Image: &tools.Blob{MIME: "image/png", Data: png}}, {Text: "Now."}}
		if diff := cmp.Diff(got.Messages, want); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
		if !strings.Contains(string(got.Shown), `"image": "image/png, 13 bytes"`) {
			t.Errorf("the user reads\n%s", got.Shown)
		}
	})
	for name, request := range map[string]func() sdk.InputRequest{
		"no image": ask("user", []byte("<svg/>")), "too large": ask("user", append(png, make([]byte, 4<<20)...)), "of the model": ask("assistant", png),
	} {
		withRequest(t, request, func(t *testing.T, w *world) {
			w.sample = func(context.Context, state.Completion) (state.Answer, error) {
				t.Errorf("%s: the model is asked", name)
				return state.Answer{}, nil
			}
			if r := w.call(t, "mcp_docs_ask", `{}`); r.Err == nil {
				t.Errorf("%s: the server got %q", name, r.Raw)
			}
		})
	}
}

// The requests of a server between two model requests of the session are limited.
func TestServerRequestsAreLimited(t *testing.T) {
	withRequest(t, elicitation, func(t *testing.T, w *world) {
		w.elicit = func(context.Context, string, []tools.Question) (frontend.Elicited, error) {
			return frontend.Elicited{Cancelled: true}, nil
		}
		ask, err := w.tool(t, "mcp_docs_ask").Prepare(t.Context(), tools.Env{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var last string
		for range 12 {
			last = ask.Run(t.Context(), func(tools.Progress) {}).Raw
		}
		if w.elicited != 10 || last != "decline map[]" {
			t.Errorf("asked %d times, and at last %q", w.elicited, last)
		}
		if w.call(t, "mcp_docs_ask", `{}`); w.elicited != 11 {
			t.Errorf("asked %d times after the next request of the model", w.elicited)
		}
	})
}

// The user may take longer than the time limit of a call. A cancelled call withdraws its
// question before it ends.
func TestCallWaitsForTheUser(t *testing.T) {
	withRequest(t, elicitation, func(t *testing.T, w *world) {
		ended := false
		w.elicit = func(ctx context.Context, _ string, _ []tools.Question) (frontend.Elicited, error) {
			defer func() { ended = true }()
			select {
			case <-ctx.Done():
				return frontend.Elicited{}, context.Cause(ctx)
			case <-time.After(time.Hour):
				return frontend.Elicited{Values: [][]string{{"main"}}}, nil
			}
		}
		if got := w.call(t, "mcp_docs_ask", `{}`); got.Raw != "accept map[branch:main]" {
			t.Errorf("after an hour: %q, %v", got.Raw, got.Err)
		}
		a, err := w.tool(t, "mcp_docs_ask").Prepare(t.Context(), tools.Env{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ended = false
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begun := time.Now()
		if got := a.Run(ctx, func(tools.Progress) {}); got.Err == nil || !ended || time.Since(begun) > 2*time.Minute {
			t.Errorf("a call that is cancelled returned %+v after %s; the question has ended: %t", got, time.Since(begun), ended)
		}
	})
}

// Requests of a server outside a call are refused.
func TestServerRequestOutsideACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.options.Protocol = versions[0] })
		s := sdk.NewServer(&sdk.Implementation{Name: "double"}, nil)
		answer(s, &sdk.Tool{Name: "t"}, &sdk.CallToolResult{})
		w.add("docs", &mcptest.Double{Serve: mcptest.Serving(s)})
		w.names(t)
		for session := range s.Sessions() {
			if _, err := session.Elicit(t.Context(), elicitation().(*sdk.ElicitParams)); err == nil || !strings.Contains(err.Error(), "answers requests only while") {
				t.Errorf("the server got %v", err)
			}
		}
		if w.elicited > 0 {
			t.Error("the user was asked")
		}
	})
}

// A call that requires addresses to be opened is retried once the user has opened them
// all.
func TestAddressesBeforeACall(t *testing.T) {
	address := func(url string) *sdk.ElicitParams {
		return &sdk.ElicitParams{Mode: "url", Message: "Sign in.", URL: url, ElicitationID: url}
	}
	for _, tt := range []struct {
		name    string
		wants   []*sdk.ElicitParams
		answers []string
		calls   int
		want    string
	}{
		{name: "opened", wants: []*sdk.ElicitParams{address("https://a.test/"), address("https://b.test/")}, answers: []string{"yes", "yes"}, calls: 2, want: "done"},
		{name: "one not opened", wants: []*sdk.ElicitParams{address("https://a.test/"), address("https://b.test/")}, answers: []string{"yes", "no"}, calls: 1, want: "which the user did not do"},
		{name: "an address that no user should open", wants: []*sdk.ElicitParams{address("file:///etc")}, calls: 1, want: "not a plain web address"},
		{name: "too many", wants: slices.Repeat([]*sdk.ElicitParams{address("https://a.test/")}, 4), calls: 1, want: "open these"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(w *world) { w.options.Protocol = versions[0] })
				calls := 0
				s := sdk.NewServer(&sdk.Implementation{Name: "double"}, nil)
				s.AddTool(&sdk.Tool{Name: "ask", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					if calls++; calls == 1 {
						data, err := json.Marshal(map[string]any{"elicitations": tt.wants})
						if err != nil {
							return nil, err
						}
						return nil, &jsonrpc.Error{Code: sdk.CodeURLElicitationRequired, Message: "open these", Data: data}
					}
					return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
				})
				w.add("docs", &mcptest.Double{Serve: mcptest.Serving(s)})
				w.elicit = func(context.Context, string, []tools.Question) (frontend.Elicited, error) {
					return frontend.Elicited{Values: [][]string{{tt.answers[w.elicited-1]}}}, nil
				}
				r := w.call(t, "mcp_docs_ask", `{}`)
				text := r.Raw
				if r.Err != nil {
					text = r.Err.Message
				}
				if calls != tt.calls || w.elicited != len(tt.answers) || !strings.Contains(text, tt.want) {
					t.Errorf("%d calls, asked %d times: %s", calls, w.elicited, text)
				}
			})
		})
	}
}
