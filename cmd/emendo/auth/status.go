package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/cmd/emendo/credentials"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Standing is where the credentials of a provider come from.
type Standing struct {
	Provider string `json:"provider"`
	Source   string `json:"source"`         // an origin, or none
	Name     string `json:"name,omitempty"` // of the variable or the login
	File     string `json:"file,omitempty"`
	// StoredAt is when `emendo auth login` stored it.
	StoredAt *time.Time `json:"storedAt,omitempty"`
	Problem  string     `json:"problem,omitempty"` // why it cannot be used
	Default  bool       `json:"default,omitempty"` // the provider of the chosen model

	text string
}

// Standings returns where the credentials of all providers come from. A secret that is in
// the keyring is looked for there.
func (c Command) Standings(ctx context.Context) (l []Standing) {
	usual := c.Models.ProviderOf(c.Model)
	for _, name := range c.Models.Names() {
		source, err := c.Models.Origin(name)
		s := c.standing(ctx, name, source)
		s.Default = name == usual
		if err != nil && s.Source != "none" {
			s.Problem = err.Error()
		}
		l = append(l, s)
	}
	if _, ok := c.Logins.Find(provider.GoogleLogin); ok {
		l = append(l, c.standing(ctx, provider.GoogleLogin, c.Models.Stored(provider.GoogleLogin)))
	}
	return l
}

func (c Command) standing(ctx context.Context, name string, source provider.Source) Standing {
	s := Standing{Provider: name, Source: cmp.Or(string(source.Origin), "none"), Name: source.Name, text: source.String()}
	switch source.Origin {
	case provider.File, provider.UserFile:
		s.File = source.Where
	case provider.Default:
		s.File, s.Name = source.Name, ""
	case provider.Nowhere, provider.Given, provider.Environment, provider.Keyring, provider.SignIn, provider.NotNeeded:
	}
	login := source.Name
	if e, ok := c.Logins.Find(login); ok && slices.Contains([]provider.Origin{provider.Keyring, provider.File, provider.SignIn}, source.Origin) {
		s.StoredAt = &e.At
		if e.Place == credentials.InKeyring {
			if _, err := c.Logins.Get(ctx, login); err != nil {
				s.Problem = err.Error()
			}
		}
	}
	return s
}

func (c Command) status(ctx context.Context, asJSON bool) error {
	if _, err := c.Logins.All(); err != nil {
		return err
	}
	l := c.Standings(ctx)
	if asJSON {
		e := json.NewEncoder(visible.JSON(c.Stdout))
		e.SetIndent("", "  ")
		return e.Encode(l)
	}
	var b strings.Builder
	for _, s := range l {
		text := s.text
		if text == "" {
			text = "no credentials; `emendo auth login " + s.Provider + "` stores a key"
			if s.Provider == "vertex" {
				text = "no credentials, or no GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION"
			}
		}
		if s.StoredAt != nil {
			text += ", since " + s.StoredAt.Local().Format(time.DateOnly)
		}
		if s.Problem != "" {
			text += "; it cannot be used: " + visible.OneLine(s.Problem)
		}
		mark := "  "
		if s.Default {
			mark = "* "
		}
		fmt.Fprintf(&b, "%s%-10s %s\n", mark, visible.Line(s.Provider), text)
	}
	_, err := fmt.Fprint(c.Stdout, visible.Text(b.String()))
	return err
}

func sorted(all map[string]credentials.Entry) []string { return slices.Sorted(maps.Keys(all)) }
