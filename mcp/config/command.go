package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// commandName is the name of the server that the setting mcp.serverCommand starts, as
// in Gemini CLI.
const commandName = "mcp"

// ofCommand returns the server of mcp.serverCommand in a settings file below folder:
// none or one.
func ofCommand(folder, name string) (servers []Server, problems []string) {
	var file struct {
		MCP struct {
			Command string `json:"serverCommand"`
		} `json:"mcp"`
		Old string `json:"mcpServerCommand"` // as older versions of Gemini CLI call it
	}
	text, err := readWithin(folder, name)
	if err != nil || json.Unmarshal(text, &file) != nil {
		return nil, nil // whatever is wrong with the file is reported by whoever reads its other settings
	}
	line := cmp.Or(strings.TrimSpace(file.MCP.Command), strings.TrimSpace(file.Old))
	if line == "" {
		return nil, nil
	}
	path := filepath.Join(folder, name)
	words, err := split(line)
	if err != nil {
		return nil, []string{visible.OneLine(fmt.Sprintf("%s: invalid mcp.serverCommand: %v", path, err))}
	}
	s := settings.MCPServer{Command: words[0], Origin: settings.OfProject, Folder: folder, File: path}
	if len(words) > 1 {
		s.Args = words[1:]
	}
	return []Server{newServer(commandName, s, folder)}, nil
}

// split divides a command line into words as a shell does. What only a shell can do
// is an error: none runs the line.
func split(line string) (words []string, err error) {
	var word strings.Builder
	in, begun, escaped := rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && in != '\'':
			escaped, begun = true, true
		case in != 0 && r == in:
			in = 0
		case in == 0 && (r == '\'' || r == '"'):
			in, begun = r, true
		case in == 0 && strings.ContainsRune(" \t\r\n", r):
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		case in == 0 && strings.ContainsRune(";&|<>()*?#~`", r), in == '"' && r == '`':
			return nil, fmt.Errorf("it has %q, which needs a shell; name a script", r)
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if in != 0 || escaped {
		return nil, errors.New("a quotation does not end")
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("it names no program")
	}
	return words, nil
}
