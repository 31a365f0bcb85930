package house

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// luaRoot is the folder of an editor's plugin whose files are modules.
const luaRoot = "/lua/"

var (
	luaComment = regexp.MustCompile(`(?m)(^|\s)--.*$`)
	// luaRequire matches a require of a module, or a look whether it is loaded, wherever it
	// stands: in a function, as in an option of the editor, it hides a circle.
	luaRequire = regexp.MustCompile(`(?:\brequire\s*[(,]?\s*|\bpackage\.loaded\[\s*)['"]([\w.]+)['"](\s*\.\.)?`)
	// luaComputed matches a require of a name that only the running program knows.
	luaComputed = regexp.MustCompile(`\brequire\s*\(\s*[^'"\s)]`)
)

// luaModulesFormNoCircle finds modules that require each other: none of them can be read, or
// tested, without the others.
func luaModulesFormNoCircle(t tree) (problems []string) {
	files := map[string]string{}      // by module
	requires := map[string][]string{} // by module
	for _, p := range slices.Sorted(maps.Keys(t.files)) {
		_, name, ok := strings.Cut(p, luaRoot)
		if !ok || path.Ext(p) != ".lua" {
			continue
		}
		module := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, ".lua"), "/init"), "/", ".")
		files[module] = p
		code := luaComment.ReplaceAllString(string(t.files[p]), "")
		for _, m := range luaRequire.FindAllStringSubmatch(code, -1) {
			if m[2] != "" {
				problems = append(problems, fmt.Sprintf("%s: require of a name that is put together: write out the modules' names, so that circles show", p))
			} else if m[1] != module {
				requires[module] = append(requires[module], m[1])
			}
		}
		if luaComputed.MatchString(code) {
			problems = append(problems, fmt.Sprintf("%s: require of a name that is in a variable: write out the modules' names, so that circles show", p))
		}
	}
	for _, circle := range circlesOf(requires) {
		problems = append(problems, fmt.Sprintf("%s: %s is a circle of require: the lower of them tells what happens with emit of emendo.events, and the upper one listens with on; or what both need becomes a module of its own", files[circle[0]], strings.Join(circle, " → ")))
	}
	for _, circle := range circlesOf(betweenFolders(files, requires)) {
		problems = append(problems, fmt.Sprintf("%s: the folders %s require each other: move the module to the folder whose order it has", circle[0], strings.Join(circle, " → ")))
	}
	return problems
}

// betweenFolders returns which folders' modules require modules of which other folders. The
// folder of the plugin itself, which has what is above and below all others, is left out.
func betweenFolders(files map[string]string, requires map[string][]string) map[string][]string {
	folder := func(module string) string {
		_, below, _ := strings.Cut(path.Dir(files[module]), luaRoot)
		if !strings.Contains(below, "/") {
			return ""
		}
		return path.Dir(files[module])
	}
	between := map[string][]string{}
	for _, module := range slices.Sorted(maps.Keys(requires)) {
		for _, other := range requires[module] {
			if a, b := folder(module), folder(other); a != "" && b != "" && a != b && !slices.Contains(between[a], b) {
				between[a] = append(between[a], b)
			}
		}
	}
	return between
}

// circlesOf returns the shortest circle of each node that has one and is in none before it.
func circlesOf(next map[string][]string) (circles [][]string) {
	reported := map[string]bool{}
	for _, node := range slices.Sorted(maps.Keys(next)) {
		circle := shortestCircle(node, next)
		if reported[node] || circle == nil {
			continue
		}
		for _, n := range circle {
			reported[n] = true
		}
		circles = append(circles, circle)
	}
	return circles
}

// shortestCircle returns the shortest way from node back to it, which begins and ends with it;
// nil if there is none.
func shortestCircle(node string, next map[string][]string) []string {
	ways := [][]string{{node}}
	seen := map[string]bool{}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		for _, n := range next[way[len(way)-1]] {
			longer := append(slices.Clip(way), n)
			if n == node {
				return longer
			}
			if !seen[n] {
				seen[n] = true
				ways = append(ways, longer)
			}
		}
	}
	return nil
}
