package inventory

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/own"
	"github.com/emendo-dev/emendo/mcp/config"
)

// agentServers adds the MCP servers that the agents of a folder bring.
func (v *Inventory) agentServers(extensions []extension.Extension, env func(string) string, outside []string) {
	var folders []definition.Folder
	for _, e := range extensions {
		folders = append(folders, definition.Folder{Path: filepath.Join(e.Dir, "agents"), Scope: definition.Extension, Extension: e.Name})
	}
	for _, dir := range append([]string{".claude"}, own.Folders()...) {
		folders = append(folders, definition.Folder{Path: filepath.Join(v.Folder, dir, "agents"), Scope: definition.Project})
	}
	for _, s := range serversOfAgents(v.Folder, v.Folder, folders) {
		s.Confined = s.Confined && !slices.Contains(outside, s.Name)
		v.Starts = append(v.Starts, s.Entry(env))
	}
}

// serversOfAgents returns the MCP servers that agents bring to a project, "" for none. Their
// folders are in dir; if that cannot be opened, nothing else of it is listed either.
func serversOfAgents(dir, project string, folders []definition.Folder) (l []config.Server) {
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		return nil
	}
	defer tree.Close()
	for i := range folders {
		folders[i].Tree = tree
	}
	for _, a := range subagent.Load(context.Background(), folders, nil).Agents {
		l = append(l, a.MCPServers(project)...)
	}
	return l
}
