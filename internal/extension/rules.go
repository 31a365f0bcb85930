package extension

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// rules are Gemini CLI's rules about where its extensions are enabled, by the name of
// the extension. A rule is a path; a ! before it disables, a * behind it covers the
// folders below. The last one that matches counts.
type rules map[string]struct {
	Overrides []string `json:"overrides"`
}

// readRules reads the rules of a folder with extensions. Without any, all are enabled.
func readRules(dir string) (r rules) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	if text, err := readFile(root, "extension-enablement.json"); err == nil {
		_ = json.Unmarshal(text, &r) // Gemini CLI then has no rules either
	}
	return r
}

// enabled reports whether an extension is enabled in a folder, absolute.
func (r rules) enabled(name, folder string) bool {
	enabled := true
	folder = slashed(folder)
	for _, rule := range r[name].Overrides {
		path, disables := strings.CutPrefix(rule, "!")
		path, below := strings.CutSuffix(path, "*")
		path = slashed(path)
		if folder == path || below && strings.HasPrefix(folder, path) {
			enabled = !disables
		}
	}
	return enabled
}

// slashed returns a path with slashes, also before and behind it.
func slashed(path string) string {
	inner := strings.Trim(filepath.ToSlash(path), "/")
	if inner == "" {
		return "/"
	}
	return "/" + inner + "/"
}
