package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// list returns the models of the server that can have a conversation.
func (g *Generator) list(ctx context.Context) ([]model.Offered, error) {
	switch g.o.Kind {
	case Ollama:
		return g.listed(ctx, "/api/tags")
	case LMStudio:
		list, err := g.listed(ctx, "/api/v1/models")
		// Versions before 0.4 have another interface, and answer all requests that they do
		// not know with an error of status 200.
		if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotFound || err == nil && list == nil {
			return g.listed(ctx, "/api/v0/models")
		}
		return list, err
	case LlamaCpp:
		return g.props(ctx)
	case VLLM:
		return g.listed(ctx, "/v1/models")
	}
	panic("local: unknown kind of server " + string(g.o.Kind))
}

// entry is a model in the list of a server of any kind.
type entry struct {
	ID   string `json:"id"`
	Key  string `json:"key"`  // of LM Studio
	Name string `json:"name"` // of Ollama
	Show string `json:"display_name"`
	Type string `json:"type"`

	Served int64 `json:"max_model_len"` // of vLLM
	Meta   struct {
		Running int64 `json:"n_ctx"`
	} `json:"meta"` // of llama.cpp
	Instances []struct {
		Config struct {
			Context int64 `json:"context_length"`
		} `json:"config"`
	} `json:"loaded_instances"` // of LM Studio
	Loaded int64 `json:"loaded_context_length"` // before its version 0.4
	Most   int64 `json:"max_context_length"`

	Capabilities json.RawMessage `json:"capabilities"` // of LM Studio
}

// listed asks for a list of models; it is nil if the answer has none.
func (g *Generator) listed(ctx context.Context, path string) ([]model.Offered, error) {
	var said struct {
		Data   []entry `json:"data"`
		Models []entry `json:"models"` // llama.cpp has both
	}
	if err := g.ask(ctx, http.MethodGet, path, "", &said); err != nil {
		return nil, err
	}
	if said.Data == nil {
		said.Data = said.Models
	}
	var out []model.Offered
	if said.Data != nil {
		out = []model.Offered{}
	}
	for _, m := range said.Data {
		if strings.HasPrefix(m.Type, "embedding") {
			continue
		}
		o := model.Offered{ID: cmp.Or(m.ID, m.Key, m.Name), Name: m.Show, InputTokens: cmp.Or(m.Served, m.Meta.Running, m.Loaded, m.Most)}
		if len(m.Instances) > 0 {
			o.InputTokens = cmp.Or(m.Instances[0].Config.Context, o.InputTokens)
		}
		if g.o.Kind == LMStudio {
			o.Tools, o.Images = m.studio()
		}
		out = append(out, o)
	}
	return out, nil
}

// studio returns what LM Studio says of the abilities of a model: in an object or, before
// its version 0.4, in a list and the type.
func (m entry) studio() (tools, images *bool) {
	var can struct {
		Vision bool `json:"vision"`
		Tools  bool `json:"trained_for_tool_use"`
	}
	var list []string
	switch {
	case m.ID == "" && json.Unmarshal(m.Capabilities, &can) == nil:
		return new(can.Tools), new(can.Vision)
	case m.ID == "":
		return nil, nil
	case json.Unmarshal(m.Capabilities, &list) == nil: // older versions do not say
		tools = new(slices.Contains(list, "tool_use"))
	}
	return tools, new(m.Type == "vlm")
}

// describe describes a model of Ollama. Its context is the one that the user chose, or the
// parameter num_ctx. Else it is that of the loaded model, but not less than [Window] where
// the bridge can ask for it, nor more than the model was made for.
func (g *Generator) describe(ctx context.Context, name string) (model.Offered, error) {
	m := model.Offered{ID: name}
	body, err := json.Marshal(map[string]string{"model": name})
	if err != nil {
		return m, err
	}
	var said struct {
		Capabilities []string       `json:"capabilities"`
		Parameters   string         `json:"parameters"`
		Info         map[string]any `json:"model_info"`
	}
	if err := g.ask(ctx, http.MethodPost, "/api/show", string(body), &said); err != nil {
		return m, err
	}
	if said.Capabilities != nil { // versions before 0.6 do not say
		m.Tools, m.Images = new(slices.Contains(said.Capabilities, "tools")), new(slices.Contains(said.Capabilities, "vision"))
	}
	for key, value := range said.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			m.InputTokens = int64(n)
		}
	}
	if t, ok := g.o.Catalogue.Find(name); ok && t.Provider == string(Ollama) && t.Context > 0 {
		m.InputTokens = t.Context
		return m, nil
	}
	for line := range strings.Lines(said.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil && n > 0 {
				m.InputTokens = n
				return m, nil
			}
		}
	}
	made := m.InputTokens // 0: unknown
	loaded, ok := g.loaded(ctx, name)
	g.mu.Lock()
	clamped := ok && g.clamped[name] == loaded
	g.mu.Unlock()
	switch {
	case g.o.Bridge != nil && !clamped:
		m.InputTokens = max(loaded, Window)
		if made > 0 {
			m.InputTokens = min(m.InputTokens, made)
		}
	case ok:
		m.InputTokens = loaded
	}
	return m, nil
}

// tagged returns the name of a model of Ollama with its tag, which is latest if none is
// named.
func tagged(name string) string {
	if strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ":") {
		return name
	}
	return name + ":latest"
}

// props describes the one model of a llama.cpp server.
func (g *Generator) props(ctx context.Context) ([]model.Offered, error) {
	list, err := g.listed(ctx, "/v1/models")
	if err != nil {
		return nil, err
	}
	var said struct {
		Settings struct {
			Context int64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Template     string          `json:"chat_template"`
		Capabilities map[string]bool `json:"chat_template_caps"`
		Modalities   *struct {
			Vision bool `json:"vision"`
		} `json:"modalities"` // older versions do not say
	}
	if err := g.ask(ctx, http.MethodGet, "/props", "", &said); err != nil {
		return nil, err
	}
	if len(list) != 1 { // a router, whose models differ
		return list, nil
	}
	list[0].InputTokens = cmp.Or(said.Settings.Context, list[0].InputTokens)
	if said.Modalities != nil {
		list[0].Images = new(said.Modalities.Vision)
	}
	if can, ok := said.Capabilities["supports_tools"]; ok {
		list[0].Tools = new(can)
	} else if said.Template != "" {
		list[0].Tools = new(strings.Contains(said.Template, "tools"))
	}
	return list, nil
}

// takes are the media types of attachments that each kind of server takes. None takes
// PDF files.
var takes = map[Kind][]string{
	Ollama:   {"text/*", "application/json", "image/png", "image/jpeg"},
	LMStudio: {"text/*", "application/json", "image/png", "image/jpeg", "image/webp"},
	LlamaCpp: {"text/*", "application/json", "image/png", "image/jpeg", "image/gif"},
	VLLM:     {"text/*", "application/json", "image/png", "image/jpeg", "image/gif", "image/webp"},
}

// Takes implements [model.Taker].
func (g *Generator) Takes(string) []string { return takes[g.o.Kind] }
