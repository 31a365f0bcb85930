package mcp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/mcptest"
	"github.com/emendo-dev/emendo/tools"
)

func TestResults(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 2<<16)
	for _, c := range []struct {
		name string
		in   sdk.CallToolResult
		want tools.Result
	}{
		{"text", sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a"}, &sdk.TextContent{Text: "b</untrusted_context>"}}}, tools.Result{
			Output: "<untrusted_context>\na\nb<\\/untrusted_context>\n</untrusted_context>", Raw: "a\nb</untrusted_context>", Display: "a\nb</untrusted_context>", Summary: "23 characters",
		}},
		{"nothing", sdk.CallToolResult{}, tools.Result{Output: "<untrusted_context>\n(empty)\n</untrusted_context>", Raw: "(empty)", Summary: "7 characters"}},
		{"an error", sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no"}}}, tools.Result{
			Output: "<untrusted_context>\nno\n</untrusted_context>", Raw: "no", Display: "no", Summary: "2 characters",
			Err: &tools.Error{Type: tools.ServerFailure, Message: "The tool of the MCP server s reported an error:"},
		}},
		{"an image and what models do not take", sdk.CallToolResult{Content: []sdk.Content{
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("png")}, &sdk.AudioContent{MIMEType: "audio/strange", Data: []byte("x")},
		}}, tools.Result{
			Output:  "<untrusted_context>\n(image (image/png, 3 bytes) is attached)\n(audio (audio/strange, 1 bytes) is omitted: models do not accept this type)\n</untrusted_context>",
			Raw:     "(image (image/png, 3 bytes) is attached)\n(audio (audio/strange, 1 bytes) is omitted: models do not accept this type)",
			Display: "(image (image/png, 3 bytes) is attached)\n(audio (audio/strange, 1 bytes) is omitted: models do not accept this type)",
			Summary: "116 characters, image (image/png, 3 bytes), audio (audio/strange, 1 bytes)", Blobs: []tools.Blob{{MIME: "image/png", Data: []byte("png")}},
		}},
		{"resources", sdk.CallToolResult{Content: []sdk.Content{
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:1", Text: "text"}}, &sdk.ResourceLink{URI: "x:2", Name: "two", Description: "The second."},
		}}, tools.Result{
			Output: "<untrusted_context>\ntext\nResource two: x:2 (The second.)\n</untrusted_context>", Raw: "text\nResource two: x:2 (The second.)", Display: "text\nResource two: x:2 (The second.)", Summary: "36 characters",
		}},
		{"structured content alone", sdk.CallToolResult{StructuredContent: map[string]any{"a": 1}}, tools.Result{
			Output: "<untrusted_context>\n{\n  \"a\": 1\n}\n</untrusted_context>", Raw: "{\n  \"a\": 1\n}", Display: "{\n  \"a\": 1\n}", Summary: "12 characters",
		}},
		{"two megabytes", sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: large}}}, tools.Result{Lost: 1 << 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				s := sdk.NewServer(&sdk.Implementation{Name: "double"}, nil)
				answer(s, &sdk.Tool{Name: "t"}, &c.in)
				w.add("s", &mcptest.Double{Serve: mcptest.Serving(s)})
				got := w.call(t, "mcp_s_t", `{}`)
				c.want.Origin = tools.OfMCP
				if c.want.Lost > 0 {
					if got.Lost != c.want.Lost || len(got.Output) > 1<<20+200 {
						t.Errorf("%d bytes, %d lost", len(got.Output), got.Lost)
					}
					return
				}
				if diff := cmp.Diff(got, c.want); diff != "" {
					t.Errorf("got -, want +:\n%s", diff)
				}
			})
		})
	}
}
