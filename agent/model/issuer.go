package model

import (
	"context"
	"iter"
	"slices"
)

// Issued returns a generator for one provider that keeps the marks of providers
// apart. It notes the provider as the issuer of all signatures and provider IDs that
// g yields, and removes those of other issuers from requests, so that g only gets
// its own back. Signed thoughts of others are left out. also lists other issuers
// whose marks the provider accepts; the empty one is of sessions that were stored
// before issuers were.
func Issued(g Generator, provider string, also ...string) Generator {
	return issued{g, provider, append(also, provider)}
}

type issued struct {
	Generator
	provider string
	accepted []string
}

// Unwrap implements [Wrapper].
func (g issued) Unwrap() Generator { return g.Generator }

// Stream implements [Generator].
func (g issued) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		req.Messages = g.own(req.Messages)
		for c, err := range g.Generator.Stream(ctx, req) {
			if !yield(g.stamp(c), err) {
				return
			}
		}
	}
}

// stamp notes the issuer of a chunk's parts.
func (g issued) stamp(c Chunk) Chunk {
	parts := slices.Clone(c.Parts)
	for i, p := range parts {
		switch p := p.(type) { //nolint:gochecksumtype // the others have no marks
		case Text:
			if p.Signature != nil {
				p.Issuer = g.provider
				parts[i] = p
			}
		case Thought:
			if p.Signature != nil {
				p.Issuer = g.provider
				parts[i] = p
			}
		case Call:
			if p.Signature != nil || p.ProviderID != "" {
				p.Issuer = g.provider
				parts[i] = p
			}
		}
	}
	c.Parts = parts
	return c
}

// own returns messages without the marks of other issuers. Messages that become
// empty are left out; adapters merge those of one role.
func (g issued) own(messages []Message) []Message {
	foreign := map[string]bool{} // IDs of calls
	out := make([]Message, 0, len(messages))
	for _, m := range messages {
		var parts []Part
		for _, p := range m.Parts {
			switch p := p.(type) {
			case Text:
				if !slices.Contains(g.accepted, p.Issuer) {
					p.Signature = nil
				}
				if p.Text != "" || p.Signature != nil {
					parts = append(parts, p)
				}
			case Thought:
				if slices.Contains(g.accepted, p.Issuer) {
					parts = append(parts, p)
				}
			case Call:
				if !slices.Contains(g.accepted, p.Issuer) {
					foreign[p.ID] = true
					p.ProviderID, p.Signature = "", nil
				}
				parts = append(parts, p)
			case Result:
				if foreign[p.CallID] {
					p.ProviderID = ""
				}
				parts = append(parts, p)
			case Blob:
				parts = append(parts, p)
			}
		}
		if len(parts) > 0 {
			m.Parts = parts
			out = append(out, m)
		}
	}
	return out
}
