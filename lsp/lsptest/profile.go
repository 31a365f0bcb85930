package lsptest

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
)

// A Profile is a kind of editor, by what it sends in initialize.
type Profile struct {
	Name string
	// Initialize are the params, with ROOT where the workspace's URI was and no
	// process to watch.
	Initialize string
	// Configured returns the user's configuration of a section; nil: none.
	Configured func(section string) any
}

//go:embed initialize/*.json
var recorded embed.FS

// Recorded returns the profile of an editor: neovim (0.10.4), helix (25.01.1) and
// eglot (of Emacs 30.1) as recorded from them; vscode as its language client
// declares, cut to what a server may ask; and plugin, which is vscode with
// emendo's plugin in a trusted workspace.
func Recorded(name string) Profile {
	b, err := recorded.ReadFile("initialize/" + name + ".json")
	if err != nil {
		panic(fmt.Sprintf("lsptest: no initialize of %q was recorded", name))
	}
	return Profile{Name: name, Initialize: string(b)}
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

// capabilities returns the declared capabilities.
type capabilities map[string]any

// at returns the value at a dotted path, or nil.
func (c capabilities) at(path string) any {
	var v any = map[string]any(c)
	for k := range strings.SplitSeq(path, ".") {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

func (c capabilities) has(path string) bool { v := c.at(path); return v != nil && v != false }

func (c capabilities) lists(path string, word any) bool {
	l, _ := c.at(path).([]any)
	for _, x := range l {
		if x == word {
			return true
		}
	}
	return false
}
