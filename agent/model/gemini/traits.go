package gemini

import (
	"context"
	"strings"
	"sync"
	"time"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// traits are the properties of a model that requests depend on.
type traits struct {
	thinks   bool               // it returns thoughts
	thinking catalogue.Thinking // how to configure them; empty: not at all
	budget   *catalogue.Budget  // bounds of its thinking budget; nil: unknown
	signed   bool               // it checks signatures, accepts pictures in function responses, and wants IDs
}

// traitsOf returns the traits of a model. It reports false if the name does not
// reveal the generation.
func traitsOf(c *catalogue.Catalogue, name string) (traits, bool) {
	m, ok := c.Traits(name)
	if !ok {
		return traits{}, false
	}
	t := traits{thinking: m.Thinking, signed: catalogue.Is(m.Signed), budget: m.Budget}
	t.thinks = m.Thinking != "" && !strings.Contains(name, "image") && !strings.Contains(name, "tts")
	return t, true
}

// nearest returns the thinking budget closest to want that the model accepts.
func (t traits) nearest(want int32) int32 {
	if t.budget == nil {
		return want
	}
	return t.budget.Nearest(want)
}

// lookupTimeout bounds requests about models.
const lookupTimeout = 5 * time.Second

// aliases remembers the traits of names that do not reveal their generation, such
// as gemini-pro-latest. It is safe for concurrent use.
type aliases struct {
	catalogue *catalogue.Catalogue

	mu    sync.Mutex
	known map[string]traits
}

// traits returns the traits of a model. If its name does not reveal them, it asks
// the API once. Until a response names the version, thinking is left to the model,
// and signatures are assumed to be checked, as by the newest models.
func (a *aliases) traits(ctx context.Context, client *genai.Client, name string) traits {
	if t, ok := traitsOf(a.catalogue, name); ok || !a.catalogue.Serves(catalogue.Google, a.catalogue.ProviderOf(name)) {
		return t
	}
	a.mu.Lock()
	t, ok := a.known[name]
	a.mu.Unlock()
	if ok {
		return t
	}
	t = traits{signed: true}
	asked, stop := context.WithTimeout((&exchange{}).with(ctx), lookupTimeout)
	defer stop()
	if m, err := client.Models.Get(asked, name, nil); err == nil {
		t.thinks = m.Thinking
		if v, ok := traitsOf(a.catalogue, "gemini-"+strings.TrimPrefix(m.Version, "gemini-")); ok {
			t = v
		}
	} else if ctx.Err() != nil {
		return t
	}
	a.learn(name, t)
	return t
}

// answered notes which version a name stands for.
func (a *aliases) answered(name, version string) {
	if _, ok := traitsOf(a.catalogue, name); ok || version == "" {
		return
	}
	if t, ok := traitsOf(a.catalogue, version); ok {
		a.learn(name, t)
	}
}

func (a *aliases) learn(name string, t traits) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[string]traits{}
	}
	a.known[name] = t
}
