package lists

import (
	"context"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/listing"
)

// optional is an agent, a skill or a hook as clients get it.
type optional struct {
	ID    string `json:"id,omitzero"`
	State string `json:"state,omitzero"`
	agent.Optional
	*view.Entry // for clients that draw
	said        view.Entry
}

// ListOptionals returns the handler of emendo/KIND/list.
func (l *Lists) ListOptionals(k Kind) func(context.Context, Where) (any, error) {
	return func(ctx context.Context, w Where) (any, error) {
		w, err := l.at(w)
		if err != nil {
			return nil, err
		}
		all, err := l.optionals(ctx, k, w)
		if err != nil {
			return nil, err
		}
		return answer(l, k, all, func(o *optional) { o.Entry = &o.said }), nil
	}
}

// answer returns a list. say adds the words to an entry.
func answer[T any](l *Lists, k Kind, all []T, say func(*T)) List[T] {
	a := List[T]{Entries: append([]T{}, all...)}
	if !l.c.Can.View {
		return a
	}
	title := listing.Title(string(k))
	a.Title = &title
	for i := range a.Entries {
		say(&a.Entries[i])
	}
	if len(a.Entries) == 0 {
		a.None = listing.Empty(string(k))
	}
	return a
}

// optionals returns the agents, skills or hooks of a session or a folder.
func (l *Lists) optionals(ctx context.Context, k Kind, w Where) ([]optional, error) {
	h, err := l.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	found, err := h.Agent.Optionals(ctx, disabling[k], w.SessionID, w.Cwd)
	if err != nil {
		return nil, err
	}
	var all []optional
	for _, o := range found.List {
		all = append(all, optional{ID: entryID(k, w, o.Name, o.Source), Optional: o, said: listing.OptionalEntry(listing.Optional{
			Name: o.Name, About: o.Description, Source: o.Source, File: o.File, Events: o.Events, Enabled: o.Enabled, Off: found.Off, Restricted: found.Restricted && k == Hooks,
		})})
	}
	for _, p := range found.Problems {
		all = append(all, optional{State: problem, said: listing.ProblemEntry(p)})
	}
	return all, nil
}
