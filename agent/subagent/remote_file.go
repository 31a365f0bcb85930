package subagent

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
)

// remoteTime is the limit of a remote agent that sets none.
const remoteTime = 30 * time.Minute

// remoteFront is the front matter of a remote agent, in Gemini CLI's format.
type remoteFront struct {
	Kind        string     `yaml:"kind"`
	Name        string     `yaml:"name"`
	Description string     `yaml:"description"`
	Display     string     `yaml:"display_name"`
	CardURL     string     `yaml:"agent_card_url"`
	CardJSON    string     `yaml:"agent_card_json"`
	Auth        *authFront `yaml:"auth"`
	Minutes     *int       `yaml:"timeout_mins"`
}

// authFront is a credential.
type authFront struct {
	Type   string `yaml:"type"`
	Scheme string `yaml:"scheme"` // of http
	Token  string `yaml:"token"`
	Key    string `yaml:"key"`  // of apiKey
	Name   string `yaml:"name"` // the header of a key
}

// remoteAgents returns the remote agents that front matter defines: one, or a list.
// It returns none if it defines a local one.
func remoteAgents(matter string, scope definition.Scope) ([]Agent, error) {
	var l []remoteFront
	if strings.HasPrefix(strings.TrimSpace(matter), "-") {
		if err := definition.Decode(matter, &l, yaml.Strict()); err != nil {
			return nil, fieldError(err)
		}
	} else {
		var of struct {
			Kind string `yaml:"kind"`
		}
		err := definition.Decode(matter, &of)
		if err != nil || of.Kind != "remote" {
			return nil, nil //nolint:nilerr // the reader of local agents names the mistake
		}
		l = make([]remoteFront, 1)
		if err := definition.Decode(matter, &l[0], yaml.Strict()); err != nil {
			return nil, fieldError(err)
		}
	}
	var agents []Agent
	for _, m := range l {
		a, err := m.agent(scope)
		if err != nil {
			return nil, err
		}
		agents = append(agents, a)
	}
	return agents, nil
}

// agent returns the agent that one entry defines.
func (m remoteFront) agent(scope definition.Scope) (Agent, error) {
	switch {
	case m.Kind != "remote":
		return Agent{}, fmt.Errorf("kind: %q in a list of agents; want remote", m.Kind)
	case m.CardURL == "" && m.CardJSON == "":
		return Agent{}, errors.New("agent_card_url: missing or empty")
	case m.CardURL != "" && m.CardJSON != "":
		return Agent{}, errors.New("agent_card_url and agent_card_json: want one of them")
	case m.Minutes != nil && (*m.Minutes < 1 || *m.Minutes > maxMinutes):
		return Agent{}, fmt.Errorf("timeout_mins: %d is not between 1 and %d", *m.Minutes, maxMinutes)
	case m.Auth != nil && scope != definition.User:
		return Agent{}, errors.New("auth: only a file of the user's own can name credentials; set the token in the user's setting agents.tokens")
	}
	if m.CardJSON != "" {
		address, err := remote.ReadCard(m.CardJSON)
		if err != nil {
			return Agent{}, fmt.Errorf("agent_card_json: %w", err)
		}
		m.CardURL = address
	}
	at, err := remote.ParseCard(m.CardURL)
	if err != nil {
		return Agent{}, fmt.Errorf("agent_card_url: %w", err)
	}
	r := remote.Agent{Name: m.Name, Card: at.String(), JSON: m.CardJSON, Own: scope == definition.User, Timeout: remoteTime}
	if m.Minutes != nil {
		r.Timeout = time.Duration(*m.Minutes) * time.Minute
	}
	if m.Auth != nil {
		if r.Auth, err = m.Auth.credential(); err != nil {
			return Agent{}, fmt.Errorf("auth: %w", err)
		}
	}
	return Agent{Name: m.Name, Description: cmp.Or(m.Description, m.Display, "An agent at "+at.Host+"."), Remote: &r}, nil
}

// credential returns what is sent to the agent.
func (m authFront) credential() (remote.Auth, error) {
	a := remote.Auth{Header: "Authorization", Prefix: "Bearer ", Value: m.Token}
	switch m.Type {
	case "http":
		if !strings.EqualFold(m.Scheme, "bearer") {
			return a, fmt.Errorf("the scheme %q is not supported; want Bearer", m.Scheme)
		}
	case "apiKey":
		a = remote.Auth{Header: cmp.Or(m.Name, "X-API-Key"), Value: m.Key}
	default:
		return a, fmt.Errorf("the type %q is not supported; want http or apiKey", m.Type)
	}
	if a.Value == "" || strings.HasPrefix(a.Value, "!") {
		return a, errors.New("no token or key; want $NAME, the name of a variable, or a value")
	}
	return a, nil
}
