package lsptest

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/lsp/wiretest"
)

// A Profile is a kind of editor, by what it sends in initialize.
type Profile struct {
	Name string
	// Initialize are the params, with ROOT where the workspace's URI was and no
	// process to watch.
	Initialize string
	// Wire checks everything between the editor and the server; nil: only what the editor
	// handles is checked.
	Wire *wiretest.Checker
	// Configured returns the user's configuration of a section; nil: none.
	Configured func(section string) any
}

//go:embed initialize/*.json
var recorded embed.FS

// Recorded returns the profile of an editor by its name, or by name and version: the
// first of the files in initialize that begins with it.
func Recorded(name string) Profile {
	for _, file := range Recordings() {
		if file == name || strings.HasPrefix(file, name+"-") {
			b, err := recorded.ReadFile("initialize/" + file + ".json")
			if err != nil {
				panic(err) // it was listed
			}
			return Profile{Name: name, Initialize: string(b)}
		}
	}
	panic(fmt.Sprintf("lsptest: no initialize of %q was recorded", name))
}

// Recordings returns the names of all profiles, which have the version behind a hyphen.
// They were recorded from the editors, see initialize/README.md, except plugin, which is
// VS Code with emendo's extension in a trusted workspace, cut to what a server may ask.
func Recordings() (names []string) {
	files, err := recorded.ReadDir("initialize")
	if err != nil {
		panic(err) // it is in the program
	}
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".json"))
	}
	return names
}

// With returns the profile with a capability set; path is dotted.
func (p Profile) With(path string, value any) Profile {
	var params map[string]any
	if err := json.Unmarshal([]byte(p.Initialize), &params); err != nil {
		panic(fmt.Sprintf("lsptest: the initialize of %s: %v", p.Name, err))
	}
	at := child(params, "capabilities")
	keys := strings.Split(path, ".")
	for _, k := range keys[:len(keys)-1] {
		at = child(at, k)
	}
	at[keys[len(keys)-1]] = value
	b, err := json.Marshal(params)
	if err != nil {
		panic(err) // it was JSON before
	}
	p.Name, p.Initialize = p.Name+" with "+path, string(b)
	return p
}

// Of returns the profile of a client with another name that sends the same.
func (p Profile) Of(client string) Profile {
	var params map[string]any
	if err := json.Unmarshal([]byte(p.Initialize), &params); err != nil {
		panic(fmt.Sprintf("lsptest: the initialize of %s: %v", p.Name, err))
	}
	params["clientInfo"] = map[string]any{"name": client}
	b, err := json.Marshal(params)
	if err != nil {
		panic(err) // it was JSON before
	}
	p.Name, p.Initialize = client, string(b)
	return p
}

// Declaring returns the profile of a user whose configuration declares that the
// editor supports window/showDocument.
func (p Profile) Declaring() Profile {
	var params map[string]any
	if err := json.Unmarshal([]byte(p.Initialize), &params); err != nil {
		panic(fmt.Sprintf("lsptest: the initialize of %s: %v", p.Name, err))
	}
	params["initializationOptions"] = map[string]any{"showDocument": true}
	b, err := json.Marshal(params)
	if err != nil {
		panic(err) // it was JSON before
	}
	p.Name, p.Initialize = p.Name+", configured", string(b)
	return p
}

// child returns the object under a key, which it adds if missing.
func child(m map[string]any, key string) map[string]any {
	if c, ok := m[key].(map[string]any); ok {
		return c
	}
	c := map[string]any{}
	m[key] = c
	return c
}

// params returns what the editor sends for a workspace.
func (p Profile) params(root string) (map[string]any, error) {
	var params map[string]any
	err := json.Unmarshal([]byte(strings.ReplaceAll(p.Initialize, "ROOT", root)), &params)
	return params, err
}
