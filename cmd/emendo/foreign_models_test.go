package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A project that is trusted still does not choose to whom the conversation goes, though the
// user has a key for that provider too.
func TestAProjectsModelIsOfTheUsersProvider(t *testing.T) {
	agent := "---\nname: helper\ndescription: Helps.\nmodel: openai/gpt-5.1\n---\nHelp."
	for _, tt := range []struct {
		name    string
		files   map[string]string // of the project
		config  string            // of the user
		replies []geminitest.Reply
		says    string
	}{
		{name: "by a bare name", files: map[string]string{".emendo/settings.json": `{"model.name": "gpt-5.1"}`}},
		{
			name: "by an alias of the user's", config: `"modelConfigs": {"customAliases": {"mine": {"modelConfig": {"model": "openai/gpt-5.1"}}}}`,
			files: map[string]string{".emendo/settings.json": `{"model.name": "mine"}`},
		},
		{
			name: "by an agent", files: map[string]string{".gemini/agents/helper.md": agent},
			replies: []geminitest.Reply{geminitest.Do(geminitest.Call("invoke_agent", `{"agent_name": "helper", "prompt": "help"}`)), geminitest.Do(geminitest.Call("complete_task", `{"result": "Helped."}`))},
			says:    "helper uses the session's model",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another provider was asked") }))
			defer elsewhere.Close()
			w := newWorld(t, append(tt.replies, geminitest.Say("Yes."))...)
			w.env = append(w.env, "OPENAI_API_KEY=sk-other", "OPENAI_BASE_URL="+elsewhere.URL)
			w.put(filepath.Join(w.home, "config", "settings.json"), `{`+tt.config+`}`)
			for name, text := range tt.files {
				w.write(name, text)
			}
			r := w.run("-p", "hi", "--output-format", "stream-json")
			r.wantCode(t, 0)
			if !strings.Contains(r.stdout, "Yes.") || !strings.Contains(r.stdout, tt.says) {
				t.Errorf("it printed %s and %q", r.stdout, r.stderr)
			}
		})
	}
}
