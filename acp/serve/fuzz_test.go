package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// FuzzMessages: whatever the client writes, the server answers it or ignores it, and ends
// with the stream.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","additionalDirectories":[""],"mcpServers":[{"name":"x","type":"http","url":"y","headers":[{"name":"a","value":"b"}]}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"../x","cwd":"/","mcpServers":null}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"x","cwd":"/"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/","cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"text","text":"a"}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/set_mode","params":{"sessionId":"x","modeId":"plan"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/set_config_option","params":{"sessionId":"x","configId":"mode","value":"plan"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/close","params":{"sessionId":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/delete","params":{"sessionId":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"x","cwd":"/","replayFrom":{"type":"start"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"x"}}`,
		`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}`,
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
		"{\n[]\n\"x\"",
	} {
		f.Add(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"x","version":"1"},"capabilities":{"elicitation":{"form":{}},"auth":[]}}}` + "\n" + seed + "\n")
		f.Add(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":[],"terminal":1,"elicitation":{"form":{}}}}}` + "\n" + seed + "\n")
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		o := Options{
			Preview: true, Store: transcript.NewStore(t.TempDir()), SignedIn: func(context.Context) error { return nil },
			Start: func(context.Context, host.Start) (*host.Host, error) { return nil, errors.New("there is no agent") },
		}
		err := Serve(t.Context(), bytes.NewBufferString(text), &out, o)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("the server ended with %v", err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Errorf("the server wrote %q", line)
			}
		}
	})
}
