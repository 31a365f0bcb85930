package subagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/mcp/config"
)

// maxServers bounds the MCP servers of one agent.
const maxServers = 8

// ofSnake reads MCP servers in Gemini CLI's format for agents, whose fields have
// their words separated by underscores.
func ofSnake(servers map[string]any) (settings.MCPServers, error) {
	camel := map[string]string{"http_url": "httpUrl", "include_tools": "includeTools", "exclude_tools": "excludeTools"}
	out := settings.MCPServers{}
	for name, value := range servers {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s: want its command or address", name)
		}
		named := map[string]any{}
		for key, v := range fields {
			switch key {
			case "tcp":
				return nil, fmt.Errorf("%s: tcp: servers are reached by stdio, http and sse; emendo has no tcp", name)
			case "auth":
				return nil, fmt.Errorf("%s: auth: not supported; use headers with a variable, or sign in with `emendo mcp login`", name)
			}
			if ours, ok := camel[key]; ok {
				key = ours
			}
			named[key] = v
		}
		if err := add(out, name, named, true); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ofClaudeServers reads MCP servers in Claude Code's format: a list of names of
// configured servers and of servers, or an object. known are the names.
func ofClaudeServers(value any) (servers settings.MCPServers, known []string, err error) {
	out := settings.MCPServers{}
	all := func(m map[string]any) error {
		for name, v := range m {
			if err := add(out, name, v, false); err != nil {
				return err
			}
		}
		return nil
	}
	switch value := value.(type) {
	case nil:
		return nil, nil, nil
	case map[string]any:
		err = all(value)
	case []any:
		for _, one := range value {
			switch one := one.(type) {
			case string:
				known = append(known, one)
			case map[string]any:
				err = errors.Join(err, all(one))
			default:
				err = fmt.Errorf("%v: want the name of a server, or a server", one)
			}
		}
	default:
		err = errors.New("want a list of servers")
	}
	if i := slices.IndexFunc(known, func(name string) bool { return !toolPattern.MatchString(name) || strings.Contains(name, "*") }); err == nil && i >= 0 {
		err = fmt.Errorf("invalid name %q", known[i])
	}
	return out, known, err
}

// add adds a server with the fields of settings files. strict refuses others.
func add(to settings.MCPServers, name string, fields any, strict bool) error {
	var s settings.MCPServer
	if err := config.CheckName(name); err != nil {
		return err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if strict {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&s); err != nil {
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	if s.Type == "streamable-http" || s.Type == "streamableHttp" {
		s.Type = "http"
	}
	if what := s.Mistake(); what != "" {
		return fmt.Errorf("%s: %s", name, what)
	}
	if to[name] = s; len(to) > maxServers {
		return fmt.Errorf("more than %d servers: %s", maxServers, strings.Join(slices.Sorted(maps.Keys(to)), ", "))
	}
	return nil
}
