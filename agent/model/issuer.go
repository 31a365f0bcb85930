package model

import (
	"context"
	"slices"
)

// Issued returns a generator for one provider that keeps the marks of providers
// apart. It notes the provider as the issuer of all signatures and provider IDs that
// g yields, and removes those of other issuers from requests, so that g only gets
// its own back. Signed thoughts of others are left out. also lists other issuers
// whose marks the provider accepts; the empty one is of sessions that were stored
// before issuers were.
func Issued(g Generator, provider string, also ...string) Generator {
	return With(g, issued{provider, append(also, provider)})
}

type issued struct {
	provider string
	accepted []string
}

// Begin implements [Layer].
func (g issued) Begin(_ context.Context, req *Request) (Watch, error) {
	req.Messages = g.withoutForeign(req.Messages)
	return g, nil
}

// Chunk implements [Watch].
func (g issued) Chunk(c Chunk, err error) (Chunk, error) { return g.stamp(c), err }

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

// withoutForeign returns messages without the marks of other issuers. Messages that become
// empty are left out; adapters merge those of one role.
func (g issued) withoutForeign(messages []Message) []Message {
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
