// Command floor is the least program that does what emendo is measured at: a
// bare JSON-RPC server over standard input and output that relays a model's
// answer, and, with an argument, one prompt without an editor.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
}

var (
	in  = bufio.NewReaderSize(os.Stdin, 1<<16)
	doc string
)

func main() {
	if len(os.Args) > 1 {
		ask(os.Args[1], func(text string) { fmt.Print(text) })
		return
	}
	for {
		var n int
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			fmt.Sscanf(line, "Content-Length: %d", &n)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			panic(err)
		}
		handle(m)
	}
}

func handle(m message) {
	switch m.Method {
	case "textDocument/didOpen":
		var p struct{ TextDocument struct{ Text string } }
		must(json.Unmarshal(m.Params, &p))
		doc = p.TextDocument.Text
	case "textDocument/didChange":
		var p struct {
			ContentChanges []struct {
				Range struct{ Start, End struct{ Line, Character int } }
				Text  string
			}
		}
		must(json.Unmarshal(m.Params, &p))
		for _, c := range p.ContentChanges {
			doc = doc[:offset(c.Range.Start.Line)+c.Range.Start.Character] + c.Text + doc[offset(c.Range.End.Line)+c.Range.End.Character:]
		}
	case "emendo/session/prompt":
		ask("hi", func(text string) {
			send(map[string]any{"jsonrpc": "2.0", "method": "emendo/session/update", "params": map[string]any{
				"sessionId": "s", "update": map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]string{"type": "text", "text": text}},
			}})
		})
	}
	if m.ID != nil {
		send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"session": map[string]any{"sessionId": "s"}}})
	}
}

// offset is where a line begins.
func offset(line int) int {
	at := 0
	for range line {
		at += strings.IndexByte(doc[at:], '\n') + 1
	}
	return at
}

func send(m any) {
	b, err := json.Marshal(m)
	must(err)
	b = append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(b)), b...)
	_, err = os.Stdout.Write(b)
	must(err)
}

// ask sends a prompt, says each text of the answer as it comes, reads the files
// that the model wants and sends them along.
func ask(prompt string, say func(string)) {
	type part map[string]any
	contents := []map[string]any{{"role": "user", "parts": []part{{"text": prompt}}}}
	for file := prompt; file != ""; {
		file = ""
		body, err := json.Marshal(map[string]any{"contents": contents})
		must(err)
		resp, err := http.Post(os.Getenv("GOOGLE_GEMINI_BASE_URL")+"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "application/json", bytes.NewReader(body))
		must(err)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
			if !ok {
				continue
			}
			var event struct {
				Candidates []struct {
					Content struct {
						Parts []struct {
							Text         string
							FunctionCall *struct {
								Args struct {
									File string `json:"file_path"`
								}
							}
						}
					}
				}
			}
			must(json.Unmarshal(data, &event))
			for _, p := range event.Candidates[0].Content.Parts {
				if p.FunctionCall != nil {
					file = p.FunctionCall.Args.File
				}
				if p.Text != "" {
					say(p.Text)
				}
			}
		}
		resp.Body.Close()
		if file != "" {
			text, err := os.ReadFile(file)
			must(err)
			contents = append(contents, map[string]any{"role": "user", "parts": []part{{"text": string(text)}}})
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
