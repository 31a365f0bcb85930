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
		return g.tags(ctx)
	case LMStudio:
		return g.studio(ctx)
	case LlamaCpp:
		return g.props(ctx)
	case VLLM:
		return g.served(ctx)
	}
	panic("local: unknown kind of server " + string(g.o.Kind))
}

// tags lists the models of Ollama.
func (g *Generator) tags(ctx context.Context) (out []model.Offered, err error) {
	var said struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if err := g.ask(ctx, http.MethodGet, "/api/tags", "", &said); err != nil {
		return nil, err
	}
	for _, m := range said.Models {
		out = append(out, model.Offered{ID: m.Name})
	}
	return out, nil
}

// show describes a model of Ollama. Its context is the one that the user chose, or the
// parameter num_ctx. Else it is that of the loaded model, but not less than [Window] where
// the bridge can ask for it, nor more than the model was made for.
func (g *Generator) show(ctx context.Context, name string) (model.Offered, error) {
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
	if g.o.Context != nil {
		if n := g.o.Context(name); n > 0 {
			m.InputTokens = n
			return m, nil
		}
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

// studio lists the models of LM Studio. Versions before 0.4 have another interface, and
// answer all requests that they do not know with an error of status 200.
func (g *Generator) studio(ctx context.Context) (out []model.Offered, err error) {
	var said struct {
		Models []struct {
			Key    string `json:"key"`
			Name   string `json:"display_name"`
			Type   string `json:"type"`
			Max    int64  `json:"max_context_length"`
			Loaded []struct {
				Config struct {
					Context int64 `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
			Capabilities *struct {
				Vision bool `json:"vision"`
				Tools  bool `json:"trained_for_tool_use"`
			} `json:"capabilities"`
		} `json:"models"`
	}
	err = g.ask(ctx, http.MethodGet, "/api/v1/models", "", &said)
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.NotFound || err == nil && said.Models == nil {
		return g.oldStudio(ctx)
	}
	for _, m := range said.Models {
		if m.Type == "embedding" {
			continue
		}
		o := model.Offered{ID: m.Key, Name: m.Name, InputTokens: m.Max}
		if len(m.Loaded) > 0 {
			o.InputTokens = cmp.Or(m.Loaded[0].Config.Context, o.InputTokens)
		}
		if c := m.Capabilities; c != nil {
			o.Tools, o.Images = new(c.Tools), new(c.Vision)
		}
		out = append(out, o)
	}
	return out, err
}

// oldStudio lists the models of an LM Studio before 0.4.
func (g *Generator) oldStudio(ctx context.Context) (out []model.Offered, err error) {
	var said struct {
		Data []struct {
			ID           string   `json:"id"`
			Type         string   `json:"type"`
			Loaded       int64    `json:"loaded_context_length"`
			Max          int64    `json:"max_context_length"`
			Capabilities []string `json:"capabilities"`
		} `json:"data"`
	}
	if err := g.ask(ctx, http.MethodGet, "/api/v0/models", "", &said); err != nil {
		return nil, err
	}
	for _, m := range said.Data {
		if m.Type == "embeddings" {
			continue
		}
		o := model.Offered{ID: m.ID, InputTokens: cmp.Or(m.Loaded, m.Max), Images: new(m.Type == "vlm")}
		if m.Capabilities != nil { // older versions do not say
			o.Tools = new(slices.Contains(m.Capabilities, "tool_use"))
		}
		out = append(out, o)
	}
	return out, nil
}

// props describes the one model of a llama.cpp server.
func (g *Generator) props(ctx context.Context) ([]model.Offered, error) {
	list, err := g.served(ctx)
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

// served lists the models by OpenAI's request, with the limit that vLLM adds, and that of
// the running model that llama.cpp adds.
func (g *Generator) served(ctx context.Context) (out []model.Offered, err error) {
	var said struct {
		Data []struct {
			ID   string `json:"id"`
			Max  int64  `json:"max_model_len"`
			Meta struct {
				Context int64 `json:"n_ctx"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := g.ask(ctx, http.MethodGet, "/v1/models", "", &said); err != nil {
		return nil, err
	}
	for _, m := range said.Data {
		out = append(out, model.Offered{ID: m.ID, InputTokens: cmp.Or(m.Max, m.Meta.Context)})
	}
	return out, nil
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
