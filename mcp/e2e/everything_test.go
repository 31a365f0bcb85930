package e2e_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/mcp/config"
	"github.com/emendo-dev/emendo/tools"
)

// The server speaks 2025-11-25. Of the newest protocol it refuses the first message,
// and both go back to that version, so it can ask during calls in every run.
func TestEverything(t *testing.T) {
	for _, run := range []struct {
		name      string
		transport string // that the server is started with
		path      string // of its address
		over      string
		protocol  string
	}{
		{name: "newest protocol", transport: "stdio", protocol: "2026-07-28"},
		{name: "2025-11-25", transport: "stdio", protocol: "2025-11-25"},
		{name: "streamable HTTP", transport: "streamableHttp", path: "/mcp", over: "streamable HTTP"},
		{name: "SSE", transport: "sse", path: "/sse", over: "SSE"},
	} {
		t.Run(run.name, func(t *testing.T) {
			var c config.Server
			if run.path == "" {
				c = program(t, "everything", run.transport)
				c.Env = map[string]string{"EXTRA": "one more"}
			} else {
				c = config.Server{Transport: config.Auto, URL: listening(t, run.transport, run.path)}
			}
			w := open(t, t.TempDir(), run.protocol, c)
			tests := everything()
			if run.path == "" {
				tests["get-env"] = environment
			}
			w.each(tests)
			for name, f := range map[string]func(*world){"resources": resources, "prompts": prompts, "cancellation": cancellation} {
				t.Run(name, func(t *testing.T) {
					w.t, w.asker.t = t, t
					f(w)
				})
			}
			w.t, w.asker.t = t, t
			if run.over != "" {
				w.has("the server's state", w.supply.Describe("ref"), "ready over "+run.over)
			}
		})
	}
}

// everything returns a test of each tool.
func everything() map[string]func(*world) {
	return map[string]func(*world){
		"echo": func(w *world) {
			w.wants("echo", `{"message":"good morning"}`, "good morning")
			w.fails("echo", `{}`, "message")
		},
		"get-annotated-message": func(w *world) {
			r := w.wants("get-annotated-message", `{"messageType":"error","includeImage":true}`, "Error: Operation failed")
			if len(r.Blobs) != 1 {
				w.t.Errorf("it has %d images", len(r.Blobs))
			}
		},
		"get-env": func(w *world) { w.wants("get-env", `{}`, "PATH") },
		"get-resource-links": func(w *world) {
			w.wants("get-resource-links", `{"count":2}`, "Resource Blob Resource 1: demo://resource/dynamic/blob/1", "Resource Text Resource 2: demo://resource/dynamic/text/2")
			w.has("a linked resource", w.read("demo://resource/dynamic/text/2"), "Resource 2: This is a plaintext resource")
			w.has("linked data", w.read("demo://resource/dynamic/blob/1"), "Resource 1: This is a base64 blob")
		},
		"get-resource-reference": func(w *world) {
			w.wants("get-resource-reference", `{"resourceType":"Text","resourceId":3}`, "Resource 3: This is a plaintext resource")
			w.wants("get-resource-reference", `{"resourceType":"Blob","resourceId":4}`, "Resource 4: This is a base64 blob")
		},
		"get-roots-list":         func(w *world) { w.wants("get-roots-list", `{}`, "(1 total)", "URI: file://"+w.dir) },
		"get-structured-content": func(w *world) { w.wants("get-structured-content", `{"location":"New York"}`, `"temperature":33`) },
		"get-sum":                func(w *world) { w.wants("get-sum", `{"a":2,"b":3}`, "2 and 3 is 5") },
		"get-tiny-image": func(w *world) {
			if r := w.wants("get-tiny-image", `{}`, "image/png"); len(r.Blobs) != 1 || r.Blobs[0].MIME != "image/png" {
				w.t.Errorf("its data are %v", r.Blobs)
			}
		},
		"gzip-file-as-resource": compression,
		// It runs only as a task, which neither emendo nor its library of the protocol knows.
		"simulate-research-query": func(w *world) { w.fails("simulate-research-query", `{"topic":"tea"}`, "task") },
		"toggle-simulated-logging": func(w *world) {
			w.wants("toggle-simulated-logging", `{}`, "Started simulated")
			w.until("a message in the log", func() bool { return w.log.have("-level message") || w.log.have("level-message") })
			w.wants("toggle-simulated-logging", `{}`, "Stopped simulated")
		},
		"toggle-subscriber-updates": func(w *world) {
			w.wants("toggle-subscriber-updates", `{}`, "Started simulated")
			w.wants("toggle-subscriber-updates", `{}`, "Stopped simulated")
		},
		"trigger-elicitation-request": elicitation,
		"trigger-long-running-operation": func(w *world) {
			var live []string
			r := w.call(w.t.Context(), "mcp_ref_trigger-long-running-operation", `{"duration":1,"steps":4}`, func(s string) { live = append(live, s) })
			if r.Err != nil || !slices.Contains(live, "1 of 4") || !slices.Contains(live, "3 of 4") {
				w.t.Errorf("it returned %q, %v; its progress: %q", r.Output, r.Err, live)
			}
		},
		"trigger-sampling-request": sampling,
		"trigger-url-elicitation":  addresses,
	}
}

// environment tests what of emendo's environment a program gets.
func environment(w *world) {
	r := w.wants("get-env", `{}`, "PATH", `"EXTRA": "one more"`)
	for _, secret := range []string{"GEMINI_API_KEY", "sesame"} {
		if strings.Contains(r.Raw, secret) {
			w.t.Errorf("the server has %s", secret)
		}
	}
}

// compression tests data as a resource, and that a resource is listed that was not there
// at first.
func compression(w *world) {
	w.wants("gzip-file-as-resource", `{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}`, "resource demo://resource/session/a.gz (application/gzip,")
	const uri = "demo://resource/session/b.gz"
	w.wants("gzip-file-as-resource", `{"name":"b.gz","data":"data:text/plain,hello"}`, "Resource b.gz: "+uri)
	w.until("the new resource in the list", func() bool { return strings.Contains(w.list(), "ref: "+uri) })
	w.has("the new resource", w.read(uri), "(application/gzip,")
}

// elicitation tests a form that the user fills, declines and closes.
func elicitation(w *world) {
	answers := map[string][]string{
		"String": {"Ada"}, "String with email format": {"ada@example.test"}, "Boolean": {"yes"}, "Integer": {"7"},
		"Untitled Multiple Select Enum": {"Violin", "Bass"}, "Titled Multiple Select Enum": {"Tuna", "Trout"},
		"Titled Single Select Enum": {"Wonder Woman"}, "Legacy Titled Single Select Enum": {"Dogs"}, "String with date format": {"1815-12-10"},
	}
	w.asker.answer(func(q []tools.Question) (e frontend.Elicited) {
		if len(q) != 13 || !strings.Contains(q[0].Question, "Please provide inputs") || q[0].Header != "String" {
			w.t.Errorf("asked %+v", q)
		}
		for _, one := range q {
			e.Values = append(e.Values, answers[one.Header])
			switch one.Header {
			case "Integer":
				if one.Type != tools.IntegerQuestion || one.Minimum == nil || one.Maximum == nil || one.Default == nil {
					w.t.Errorf("the integer is asked for by %+v", one)
				}
			case "String with email format":
				if one.Format != "email" {
					w.t.Errorf("the address is asked for by %+v", one)
				}
			}
		}
		return e
	}, nil)
	w.wants("trigger-elicitation-request", `{}`, "User provided", `"name": "Ada"`, `"email": "ada@example.test"`, `"check": true`, `"integer": 7`,
		`"Bass"`, `"fish-1"`, `"fish-3"`, `"hero-3"`, `"pet-2"`, `"birthdate": "1815-12-10"`)
	w.asker.answer(func([]tools.Question) frontend.Elicited { return frontend.Elicited{Declined: true} }, nil)
	w.wants("trigger-elicitation-request", `{}`, "User declined")
	w.asker.answer(func([]tools.Question) frontend.Elicited { return frontend.Elicited{Cancelled: true} }, nil)
	w.wants("trigger-elicitation-request", `{}`, "User cancelled")
}

// addresses tests addresses that the user opens: during a call, and before it can
// succeed.
func addresses(w *world) {
	var asked []string
	answer := func(word string) {
		asked = nil
		w.asker.answer(func(q []tools.Question) frontend.Elicited {
			asked = append(asked, q[0].Question)
			return frontend.Elicited{Values: [][]string{{word}}}
		}, nil)
	}
	const args = `{"url":"https://example.test/flow","message":"Look here."}`
	answer("yes")
	w.wants("trigger-url-elicitation", args, "User completed")
	w.has("the question", strings.Join(asked, "\n"), "Look here.", "\nhttps://example.test/flow\n")
	answer("no")
	w.wants("trigger-url-elicitation", args, "User declined")
	const first = `{"url":"https://example.test/flow","errorPath":true}`
	answer("no")
	w.fails("trigger-url-elicitation", first, "wants an address to be opened first")
	w.has("the question", strings.Join(asked, "\n"), "\nhttps://modelcontextprotocol.io\n")
	answer("yes")
	w.wants("trigger-url-elicitation", first, "User completed") // the server asked before
	const other = `{"url":"https://example.test/other","errorPath":true}`
	answer("yes")
	w.wants("trigger-url-elicitation", other, "User completed")
	if len(asked) != 2 {
		w.t.Errorf("asked %q, want the address to open first and the other one", asked)
	}
}

// sampling tests messages that the model answers, and a refusal.
func sampling(w *world) {
	var got state.Completion
	w.asker.answer(nil, func(c state.Completion) (state.Answer, error) {
		got = c
		return state.Answer{Text: "Forty-two.", Model: "m-1"}, nil
	})
	w.wants("trigger-sampling-request", `{"prompt":"How many?","maxTokens":50}`, "Forty-two.", `"model": "m-1"`)
	if len(got.Messages) != 1 || !strings.Contains(got.Messages[0].Text, "How many?") || got.MaxTokens != 50 || got.System != "You are a helpful test server." || got.Temperature == nil || *got.Temperature != 0.7 {
		w.t.Errorf("the model was asked %+v", got)
	}
	w.asker.answer(nil, func(state.Completion) (state.Answer, error) { return state.Answer{}, errors.New("the user declined") })
	w.fails("trigger-sampling-request", `{"prompt":"How many?"}`, "the user declined")
}

// cancellation tests that a call ends when it is cancelled, and not the server.
func cancellation(w *world) {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	r := w.call(ctx, "mcp_ref_trigger-long-running-operation", `{"duration":3600,"steps":7200}`, func(string) { cancel() })
	if r.Err == nil || r.Err.Type != tools.Cancelled {
		w.t.Errorf("it returned %+v", r)
	}
	w.wants("echo", `{"message":"still there"}`, "still there")
}

// list and read call the tools for resources.
func (w *world) list() string {
	w.t.Helper()
	return w.call(w.t.Context(), "list_mcp_resources", `{"serverName":"ref"}`, func(string) {}).Display
}

func (w *world) read(uri string) string {
	w.t.Helper()
	r := w.call(w.t.Context(), "read_mcp_resource", `{"uri":"`+uri+`"}`, func(string) {})
	if r.Err != nil {
		w.t.Errorf("%s: %v", uri, r.Err)
	}
	return r.Raw
}

// resources tests those that are listed, and those of templates, which the user can
// name.
func resources(w *world) {
	read := 0
	for line := range strings.Lines(w.list()) {
		uri, _, _ := strings.Cut(strings.TrimPrefix(line, "ref: "), " | ")
		if !strings.HasPrefix(uri, "demo://resource/static/") {
			continue
		}
		if read++; len(w.read(uri)) < 100 {
			w.t.Errorf("%s is empty", uri)
		}
	}
	if read < 5 {
		w.t.Errorf("only %d documents are listed:\n%s", read, w.list())
	}
	given, withheld := w.supply.Mentioned(w.t.Context(), w.asker, []string{"ref:demo://resource/dynamic/text/11,", "ref:demo://resource/dynamic/blob/12", "ref:demo://resource/dynamic/text/none"})
	if len(given) != 2 || len(withheld) != 1 {
		w.t.Fatalf("given %+v, withheld %+v", given, withheld)
	}
	w.has("a text of a template", given[0].Text, "Resource 11: This is a plaintext resource")
	w.has("data of a template", given[1].Text, "Resource 12: This is a base64 blob")
	w.has("what is not there", withheld[0].Title+withheld[0].Description, "dynamic/text/none", "Unknown resource")
}

// prompts tests each prompt as a command of the user's.
func prompts(w *world) {
	var names []string
	for _, c := range w.supply.Prompts() {
		names = append(names, c.Name+" "+c.Hint)
	}
	slices.Sort(names)
	if want := []string{"ref:args-prompt CITY [STATE]", "ref:completable-prompt DEPARTMENT NAME", "ref:resource-prompt RESOURCETYPE RESOURCEID", "ref:simple-prompt "}; !slices.Equal(names, want) {
		w.t.Errorf("the prompts are %q, want %q", names, want)
	}
	for _, c := range []struct{ name, args, want, fails string }{
		{name: "simple-prompt", want: "This is a simple prompt without arguments."},
		{name: "simple-prompt", args: "more", fails: "takes no arguments"},
		{name: "args-prompt", args: "Paris", want: "weather in Paris?"},
		{name: "args-prompt", args: `--state="New York" Albany`, want: "weather in Albany, New York?"},
		{name: "args-prompt", fails: "missing argument city"},
		{name: "completable-prompt", args: "Sales Eve", want: "promote Eve to the head of the Sales team"},
		{name: "resource-prompt", args: "Text 5", want: "Resource 5: This is a plaintext resource"},
		{name: "resource-prompt", args: "Blob 6", want: "Resource 6: This is a base64 blob"},
		{name: "resource-prompt", args: "Sound 7", fails: "Invalid resourceType"},
		{name: "none", fails: "has no such prompt"},
	} {
		given, err := w.supply.Prompt(w.t.Context(), w.asker, "ref:"+c.name, c.args)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				w.t.Errorf("%s %s: want an error with %q, got %v", c.name, c.args, c.fails, err)
			}
		case err != nil || len(given) != 1 || !strings.Contains(given[0].Text, c.want):
			w.t.Errorf("%s %s: want %q, got %+v, %v", c.name, c.args, c.want, given, err)
		}
	}
}
