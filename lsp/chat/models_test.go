package chat_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// listed has the fields of a response to emendo/models/list that are checked.
type listed struct {
	ID           string
	Provider     string
	ContextLimit int64
	OutputLimit  int64
	Abilities    []string
	Available    bool
	Reason       string
}

func (w *world) listModels(params any) map[string]listed {
	w.Helper()
	var answer struct{ Models []listed }
	w.Call("emendo/models/list", params, &answer)
	byID := map[string]listed{}
	for _, m := range answer.Models {
		byID[m.ID] = m
	}
	return byID
}

func TestModelsOfTheKeyAreListed(t *testing.T) {
	gone := modeltest.Reply{modeltest.Fail(model.NotFound)}
	for name, profile := range map[string]struct {
		declares bool
		changes  int
	}{"a client that shows models": {true, 1}, "another": {false, 0}} {
		t.Run(name, func(t *testing.T) {
			play(t, worldtest.Plugin.With("experimental.emendo.models", profile.declares), []modeltest.Reply{gone, worldtest.Say("Hello.")}, func(w *world) {
				w.Models = &worldtest.Keyed{Script: w.Model, May: []model.Offered{
					{ID: "gemini-9-ultra", InputTokens: 7, OutputTokens: 5},
					{ID: "gemini-3.8-flash", Name: "Flash", InputTokens: 1000, OutputTokens: 100},
					{ID: "gemini-3.1-pro-preview", InputTokens: 2000},
				}}
				got := w.listModels(nil)
				m := got["gemini-3.8-flash"]
				if !m.Available || m.Provider != "gemini" || m.ContextLimit != 1000 || m.OutputLimit != 100 || !slices.Equal(m.Abilities, []string{"tools", "images", "thinking"}) {
					t.Errorf("a model that the key may use: %+v", m)
				}
				if m := got["gemini-2.5-pro"]; m.Available || m.Reason == "" {
					t.Errorf("a model that it may not use: %+v", m)
				}
				if m := got["gemini-9-ultra"]; !m.Available || m.ContextLimit != 7 || !slices.Equal(m.Abilities, []string{"tools"}) {
					t.Errorf("a model that emendo does not know: %+v", m)
				}
				if _, err := w.Prompting(w.Context(), w.Session(worldtest.Obj{"model": "auto"}), "Hello")(); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				if n := w.Editor.Seen().ModelChanges; n != profile.changes {
					t.Errorf("%d notifications about changed models, want %d", n, profile.changes)
				}
				if m := w.listModels(nil)["gemini-3.1-pro-preview"]; m.Available || m.Reason == "" {
					t.Errorf("a model that turned out to be withdrawn: %+v", m)
				}
				if w.Models.Asked != 1 {
					t.Errorf("the provider was asked %d times", w.Models.Asked)
				}
				if w.listModels(worldtest.Obj{"refresh": true}); w.Models.Asked != 2 {
					t.Error("refresh does not ask the provider")
				}
			})
		})
	}
}

func TestModelsWithoutAListAreTheCatalogue(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		if m := w.listModels(nil)["gemini-2.5-pro"]; !m.Available || m.ContextLimit == 0 {
			t.Errorf("a model of a provider that does not tell: %+v", m)
		}
		w.NoKey = true
		w.Refused(w.Editor.Call(w.Context(), "emendo/models/list", nil, nil), rpc.RequestFailed, "auth_required")
	})
}

// A request that waits for another's answer can be cancelled, and the provider
// is asked once.
func TestModelsRequestCanBeCancelledWhileAnotherWaits(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		w.Models = &worldtest.Keyed{Script: w.Model, May: []model.Offered{{ID: "gemini-3.8-flash"}}, Hold: make(chan struct{})}
		first := make(chan error, 1)
		go func() { first <- w.Editor.Call(w.Context(), "emendo/models/list", nil, nil) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(w.Context())
		second := make(chan error, 1)
		go func() { second <- w.Editor.Call(ctx, "emendo/models/list", nil, nil) }()
		synctest.Wait()
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("it is answered %v", err)
		}
		synctest.Wait() // does not return while the server waits for a lock
		close(w.Models.Hold)
		if err := <-first; err != nil || w.Models.Asked != 1 {
			t.Errorf("the provider was asked %d times: %v", w.Models.Asked, err)
		}
	})
}
