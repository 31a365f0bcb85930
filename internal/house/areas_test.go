package house

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// areas lists what each area of the code may import. An area is a folder with those
// below it that are not areas themselves.
var areas = map[string][]string{
	"cmd":                   {"mcp", "mcp/config", "lsp", "a2a", "acp", "agent", "agent/model", "tools", "ide", "internal/jsonedit", "internal/providers", "internal/langserver", "internal/loopback", "internal/network", "internal/private", "internal/redact", "internal/sandbox", "internal/extension", "internal/settings", "internal/spelling", "internal/trust", "internal/visible", "internal/git", "internal/gitdir", "internal/protect", "internal/authority", "internal/secret", "internal/shellcmd", "internal/terminal", "internal/resident"},
	"mcp":                   {"mcp/config", "agent", "tools", "ide", "internal/loopback", "internal/network", "internal/private", "internal/sandbox", "internal/settings", "internal/trust", "internal/visible"},
	"mcp/config":            {"internal/extension", "internal/jsonedit", "internal/settings", "internal/shellcmd", "internal/trust", "internal/visible"},
	"lsp":                   {"acp", "agent", "agent/model", "tools", "ide", "internal/buffers", "internal/private", "internal/rpc", "internal/sandbox", "internal/settings", "internal/trust", "internal/visible"},
	"a2a":                   {"acp", "agent", "agent/model", "tools", "ide", "internal/visible"},
	"acp":                   {"agent", "agent/model", "tools", "ide", "internal/buffers", "internal/rpc", "internal/settings", "internal/trust", "internal/visible"},
	"agent":                 {"internal/authority", "mcp/config", "agent/model", "tools", "ide", "internal/langserver", "internal/network", "internal/private", "internal/redact", "internal/sandbox", "internal/search", "internal/extension", "internal/settings", "internal/spelling", "internal/trust", "internal/visible", "internal/git", "internal/gitdir", "internal/protect", "internal/secret", "internal/shellcmd", "internal/terminal"},
	"agent/model":           {"internal/network"},
	"tools":                 {"ide", "internal/editorconfig", "internal/langserver", "internal/network", "internal/sandbox", "internal/search", "internal/spelling", "internal/visible", "internal/git", "internal/gitdir", "internal/protect", "internal/secret", "internal/shellcmd", "internal/terminal"},
	"ide":                   {"internal/editorconfig", "internal/gitdir"},
	"editors":               {"agent/model", "lsp", "internal/langserver"}, // for the model that its tests talk to, the rules of the wire, and a search path without language servers
	"internal/buffers":      {"ide", "internal/private", "internal/rpc"},
	"internal/loopback":     {"internal/visible"},
	"internal/network":      {},
	"internal/private":      {},
	"internal/redact":       {"internal/providers"},
	"internal/providers":    {},
	"internal/authority":    {},
	"internal/editorconfig": {},
	"internal/git":          {"internal/gitdir"},
	"internal/gitdir":       {"internal/git"}, // in its tests
	"internal/protect":      {"ide", "internal/gitdir"},
	"internal/secret":       {},
	"internal/shellcmd":     {"internal/gitdir", "internal/secret", "internal/visible"},
	"internal/terminal":     {"internal/visible"},
	"internal/rpc":          {},
	"internal/sandbox":      {"internal/providers"},
	"internal/search":       {"ide", "internal/visible"},
	"internal/jsonedit":     {},
	"internal/settings":     {"internal/spelling"},
	"internal/extension":    {"internal/settings", "internal/visible"},
	"internal/trust":        {"internal/private"},
	"internal/spelling":     {},
	"internal/visible":      {},
	"internal/langserver":   {"ide", "internal/rpc", "internal/sandbox"},
	"internal/house":        {},
	"internal/bench":        {"agent", "agent/model", "tools", "ide", "internal/langserver", "internal/sandbox"}, // langserver for a search path without language servers
	"internal/resident":     {},
	"internal/builds":       {},
	"internal/own":          {},
	"internal/paths":        {},
}

// likeStandard lists the areas that every area may import, as the standard library.
var likeStandard = []string{"internal/builds", "internal/own", "internal/paths"}

// areaOf returns the area that folder belongs to, or "".
func areaOf(folder string) string {
	for area := folder; area != "."; area = path.Dir(area) {
		if _, ok := areas[area]; ok {
			return area
		}
	}
	return ""
}

// concrete reports whether folder implements one provider, which only cmd chooses.
func concrete(folder string) bool {
	return strings.HasPrefix(folder, "agent/model/") && folder != "agent/model/catalogue" && !isDouble(folder)
}

// isDouble reports whether folder holds a test double, which is beside what it
// replaces and is named after it.
func isDouble(folder string) bool { return strings.HasSuffix(folder, "test") }

// demo plays the program to its user with the editor of the tests.
const demo = "cmd/emendo/demo"

// importsPointRight checks the layers: cmd → lsp, acp → agent → tools → ide.
func importsPointRight(t tree) (problems []string) {
	for _, s := range t.code {
		area := areaOf(s.folder())
		if area == "" {
			problems = append(problems, fmt.Sprintf("%s: its folder is in no area: move it into one, or add an area to the table in internal/house/areas_test.go and to ARCHITECTURE.md", s.path))
			continue
		}
		for _, imported := range s.syntax.Imports {
			full, _ := strconv.Unquote(imported.Path.Value)
			folder, ours := strings.CutPrefix(full, module+"/")
			if !ours {
				continue
			}
			to := areaOf(folder)
			switch {
			case strings.HasSuffix(s.syntax.Name.Name, "_test") && to == "acp" && area == "agent": // an external test may look at events as clients are sent them
			case to != area && !slices.Contains(likeStandard, to) && !slices.Contains(areas[area], to):
				problems = append(problems, fmt.Sprintf("%s: %s imports %s, which is not to its right: let %s declare the small interface it needs, for the other to implement", t.at(imported), area, folder, area))
			case concrete(folder) && area != "cmd" && area != "agent/model" && !s.isTest() && !isDouble(s.folder()):
				problems = append(problems, fmt.Sprintf("%s: %s imports one provider: take the model through an interface of agent/model, for cmd to choose", t.at(imported), area))
			case (strings.HasPrefix(folder, "tools/") || to == "internal/sandbox") && (area == "lsp" || area == "acp" || area == "a2a") && !s.isTest() && !isDouble(s.folder()):
				problems = append(problems, fmt.Sprintf("%s: %s depends on how a tool works: let the agent's events and questions say what it needs", t.at(imported), area))
			case isDouble(folder) && !s.isTest() && !isDouble(s.folder()) && s.folder() != demo:
				problems = append(problems, fmt.Sprintf("%s: the program imports a test double: move what it needs out of %s", t.at(imported), folder))
			}
		}
	}
	return problems
}

// topNames are the names allowed at the top level, apart from dot files.
var topNames = []string{
	"cmd", "lsp", "a2a", "acp", "mcp", "agent", "tools", "ide", "internal", "editors", "testdata", "docs",
	"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "SECURITY.md", "Makefile", "go.mod", "go.sum",
}

func topLevelIsTidy(t tree) (problems []string) {
	for _, name := range t.top {
		if !strings.HasPrefix(name, ".") && !slices.Contains(topNames, name) {
			problems = append(problems, fmt.Sprintf("%s: does not belong at the top level: move it into the area that it belongs to", name))
		}
	}
	return problems
}

// vague are package names that do not describe the content.
var vague = []string{"util", "utils", "common", "helper", "helpers", "pkg", "misc", "shared", "base", "lib"}

func packagesAreNamed(t tree) (problems []string) {
	seen := map[string]bool{}
	for _, s := range t.code {
		for part := range strings.SplitSeq(s.folder(), "/") {
			if slices.Contains(vague, part) && !seen[s.folder()] {
				seen[s.folder()] = true
				problems = append(problems, fmt.Sprintf("%s: %q does not describe what is in it: name the folder after its idea", s.folder(), part))
			}
		}
	}
	return problems
}
