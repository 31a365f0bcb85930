package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// maxFile limits the size of another program's file in bytes.
const maxFile = 256 << 10

// maxServers limits the servers of one file: each is listed and asked about.
const maxServers = 64

// A foreignFile is a file of another program with servers in it.
type foreignFile struct {
	name string // in its folder
	key  string // of the object with the servers
	user bool   // it is the user's own, so its trust counts
}

// geminiUser reads the user's settings of Gemini CLI.
func geminiUser(dir, folder string) (servers []Server, problems []string) {
	f := foreignFile{name: "settings.json", key: "mcpServers", user: true}
	servers, problems = f.read(dir)
	command, wrong := ofCommand(dir, f.name)
	servers, problems = append(servers, command...), append(problems, wrong...)
	for i := range servers {
		s := &servers[i]
		s.Project, s.Folder, s.Confined = "", folder, false
		if s.Dir == dir {
			s.Dir = ""
		}
	}
	return servers, problems
}

// read reads the file in a folder, without following a link out of it. A server that
// cannot be is a problem and left out; what emendo does not know is ignored.
func (f foreignFile) read(folder string) (servers []Server, problems []string) {
	path := filepath.Join(folder, f.name)
	failed := func(what string) ([]Server, []string) {
		return nil, []string{visible.OneLine(path + ": " + what)}
	}
	text, err := readWithin(folder, f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return failed(err.Error())
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return failed("must be an object")
	}
	var all map[string]json.RawMessage
	if raw := file[f.key]; len(raw) > 0 {
		if err := json.Unmarshal(raw, &all); err != nil {
			return failed(f.key + " must be an object: names to servers")
		}
	}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i == maxServers {
			problems = append(problems, visible.OneLine(fmt.Sprintf("%s: has more than %d servers; the others are ignored", path, maxServers)))
			break
		}
		var s settings.MCPServer
		what := ""
		if err := json.Unmarshal(all[name], &s); err != nil {
			what = err.Error()
		} else if s.Type == "streamable-http" || s.Type == "streamableHttp" {
			s.Type = "http"
		}
		if what == "" {
			what = s.Mistake()
		}
		if what != "" {
			problems = append(problems, visible.OneLine(fmt.Sprintf("%s: invalid server %s: %s", path, name, what)))
			continue
		}
		s.Origin, s.Folder, s.File = settings.OfProject, folder, path
		s.Trust = s.Trust && f.user
		servers = append(servers, newServer(name, s, folder))
	}
	return servers, problems
}

// readWithin returns the JSON of a small regular file in a folder, without comments.
func readWithin(folder, name string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fs.ErrNotExist // the folder is for others to report
	}
	defer root.Close()
	text, err := paths.ReadIn(root, name, maxFile)
	if err != nil {
		return nil, err
	}
	if text, err = hujson.Standardize(text); err != nil {
		return nil, fmt.Errorf("not valid JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return text, nil
}
