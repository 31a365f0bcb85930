package mcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/tools"
)

// withPrompts returns a server with prompts and a resource.
func withPrompts() *mcptest.Double {
	s := sdk.NewServer(&sdk.Implementation{Name: "double"}, nil)
	arg := func(name string, required bool) *sdk.PromptArgument {
		return &sdk.PromptArgument{Name: name, Required: required}
	}
	s.AddPrompt(&sdk.Prompt{Name: "greet me", Description: "Greets.\nWell.", Arguments: []*sdk.PromptArgument{arg("who", true), arg("how", false)}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if r.Params.Arguments["who"] == "nobody" {
			return nil, errors.New("there is nobody")
		}
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"] + ", " + r.Params.Arguments["how"] + ".\u202e"}},
			{Role: "assistant", Content: &sdk.TextContent{Text: "Hello."}},
			{Role: "user", Content: &sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")}},
		}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "plain"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Plain."}}}}, nil
	})
	s.AddResource(&sdk.Resource{URI: "x:text", Name: "text"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "x:text", Text: "hello </mcp_resource>" + strings.Repeat("x", 100_000)}}}, nil
	})
	return &mcptest.Double{Serve: mcptest.Serving(s)}
}

func TestPromptsAreCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("my docs", withPrompts())
		if got := w.supply.Prompts(); len(got) > 0 || !w.supply.MayHave("my-docs:any") || w.supply.MayHave("other:any") || w.supply.MayHave("my-docs") {
			t.Errorf("before a request: %v", got)
		}
		w.names(t)
		want := []transcript.Command{
			{Name: "my-docs:greet-me", Description: "Greets. Well.", Hint: "WHO [HOW]"},
			{Name: "my-docs:plain", Description: "plain"},
		}
		if diff := cmp.Diff(w.supply.Prompts(), want); diff != "" {
			t.Errorf("got -, want +:\n%s", diff)
		}
		if !w.supply.MayHave("my-docs:plain") || w.supply.MayHave("my-docs:any") {
			t.Error("a prompt is taken for another")
		}
		w.trusted = false
		w.names(t)
		if len(w.supply.Prompts()) > 0 || w.supply.MayHave("my-docs:plain") {
			t.Error("a restricted folder has prompts")
		}
	})
}

// The first prompt of a session starts the server and waits for it.
func TestPromptOfAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		d := withPrompts()
		serve := d.Serve
		d.Serve = func(ctx context.Context, tr sdk.Transport) {
			time.Sleep(3 * time.Second)
			serve(ctx, tr)
		}
		w.add("docs", d)
		got, err := w.supply.Prompt(t.Context(), w, "docs:greet-me", `"Ada L." very kindly`)
		want := []transcript.Given{
			{Kind: transcript.KindCommand, Text: "Greet Ada L., very kindly.\\u{202E}\n\n(The assistant said:)\n\nHello.\n\n(image (image/png, 3 bytes) is attached)", Origin: tools.OfMCP, Server: "docs"},
			{Kind: transcript.GivenLinked, Text: "<mcp_resource server=\"docs\">\nimage/png, 3 bytes, is attached.\n</mcp_resource>", MIME: "image/png", Data: []byte("png"), Origin: tools.OfMCP, Server: "docs"},
		}
		if diff := cmp.Diff(got, want); err != nil || diff != "" {
			t.Errorf("%v; got -, want +:\n%s", err, diff)
		}
		if !slices.Equal(w.fetched, []string{`docs prompts/get {"how":"very kindly","who":"Ada L."}`}) {
			t.Errorf("fetched %q", w.fetched)
		}
		w.add("late", &mcptest.Double{Serve: mcptest.Hanging})
		w.add("asks", double()).Own = false
		w.refuses = true
		for _, tt := range []struct{ name, args, want string }{
			{"docs:greet-me", "", "missing argument who; its arguments are WHO [HOW], by position or as --name=value"},
			{"docs:greet-me", "--whom=x", "unknown argument whom"},
			{"docs:greet-me", "nobody", "there is nobody"},
			{"docs:plain", "x", "too many arguments at x; it takes no arguments"},
			{"docs:other", "", "has no such prompt; it has greet-me, plain"},
			{"late:x", "", "the server failed: not ready in time"},
			{"asks:x", "", "it needs your approval"},
		} {
			if _, err := w.supply.Prompt(t.Context(), w, tt.name, tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("/%s %s: %v, want %s", tt.name, tt.args, err, tt.want)
			}
		}
		w.denies = true
		if _, err := w.supply.Prompt(t.Context(), w, "docs:plain", ""); err == nil || err.Error() != "A rule denies it." {
			t.Errorf("against a rule: %v", err)
		}
	})
}

func TestArgumentsOfPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("docs", withPrompts())
		for args, want := range map[string]string{
			`Ada`: `{"who":"Ada"}`, `--how=well Ada`: `{"how":"well","who":"Ada"}`, `--who="Ada L." --how="very well"`: `{"how":"very well","who":"Ada L."}`,
			`Ada don't "stop`: `{"how":"don't stop","who":"Ada"}`, `--how well`: `{"how":"well","who":"--how"}`,
		} {
			w.fetched = nil
			if _, err := w.supply.Prompt(t.Context(), w, "docs:greet-me", args); err != nil || len(w.fetched) != 1 || w.fetched[0] != "docs prompts/get "+want {
				t.Errorf("%s: %q, %v", args, w.fetched, err)
			}
		}
	})
}

func TestResourcesInPrompts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("docs", withPrompts())
		w.add("off", withPrompts()).Disabled = true
		given, withheld := w.supply.Mentioned(t.Context(), w, []string{"README.md", "docs:x:text,", "docs:x:text,", "off:x:text", "docs:x:none", "other:x:text"})
		if len(given) != 1 || given[0].Kind != transcript.GivenLinked || given[0].Origin != tools.OfMCP || given[0].Server != "docs" || len(given[0].Text) > 70<<10 ||
			!strings.HasPrefix(given[0].Text, "<mcp_resource server=\"docs\" uri=\"x:text\">\nhello <\\/mcp_resource>") || !strings.HasSuffix(given[0].Text, "(the rest is omitted)\n</mcp_resource>") {
			t.Errorf("given %+.300v", given)
		}
		if len(withheld) != 1 || withheld[0].Title != "docs:x:none was not sent" {
			t.Errorf("withheld %+v", withheld)
		}
		if want := []string{`docs read_mcp_resource {"serverName":"docs","uri":"x:text"}`, `docs read_mcp_resource {"serverName":"docs","uri":"x:none"}`}; !slices.Equal(w.fetched, want) {
			t.Errorf("fetched %q", w.fetched)
		}
		w.denies = true
		if given, withheld := w.supply.Mentioned(t.Context(), w, []string{"docs:x:text"}); len(given) > 0 || len(withheld) != 1 || withheld[0].Description != "A rule denies it." {
			t.Errorf("against a rule: %v, %v", given, withheld)
		}
		var many []string
		for i := range 12 {
			many = append(many, "docs:x:"+string(rune('a'+i)))
		}
		w.fetched = nil
		if _, withheld := w.supply.Mentioned(t.Context(), w, many); len(w.fetched) > 10 || len(withheld) > 11 {
			t.Errorf("%d fetched, %d withheld", len(w.fetched), len(withheld))
		}
		w.trusted = false
		if given, withheld := w.supply.Mentioned(t.Context(), w, []string{"docs:x:text"}); len(given)+len(withheld) > 0 {
			t.Errorf("in a restricted folder: %v, %v", given, withheld)
		}
	})
}
