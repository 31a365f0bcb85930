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
)

// agentServers adds the MCP servers that the agents of a folder bring.
func (v *Inventory) agentServers(extensions []extension.Extension, env func(string) string, outside []string) {
	tree, err := disk.NewTree([]string{v.Folder})
	if err != nil {
		return // its other files are not listed either
	}
	defer tree.Close()
	var folders []definition.Folder
	for _, e := range extensions {
		folders = append(folders, definition.Folder{Path: filepath.Join(e.Dir, "agents"), Scope: definition.Extension, Extension: e.Name, Tree: tree})
	}
	for _, dir := range append([]string{".claude"}, own.Folders()...) {
		folders = append(folders, definition.Folder{Path: filepath.Join(v.Folder, dir, "agents"), Scope: definition.Project, Tree: tree})
	}
	for _, a := range subagent.Load(context.Background(), folders, nil).Agents {
		for _, s := range a.MCPServers(v.Folder) {
			s.Confined = s.Confined && !slices.Contains(outside, s.Name)
			v.Starts = append(v.Starts, s.Entry(env))
		}
	}
}

// serversOfAgents adds those of the agents of an extension whose files are in dir.
func (v *Inventory) serversOfAgents(e extension.Extension, dir string, env func(string) string) {
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		return
	}
	defer tree.Close()
	folder := definition.Folder{Path: filepath.Join(dir, "agents"), Scope: definition.Extension, Extension: e.Name, Tree: tree}
	for _, a := range subagent.Load(context.Background(), []definition.Folder{folder}, nil).Agents {
		for _, s := range a.MCPServers("") {
			s.Home = e.Dir
			v.Starts = append(v.Starts, s.Entry(env))
		}
	}
}
