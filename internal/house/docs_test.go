package house

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	protocolPage    = "docs/protocol.md"
	decisionsFolder = "docs/decisions/"
)

var (
	ownMethod = regexp.MustCompile(`^emendo/[a-z]+(/[a-zA-Z]+)*$`)
	heading   = regexp.MustCompile("(?m)^#+ +`?(emendo/[a-zA-Z/]+)`?")
)

// methodsAreDocumented compares every method name in the program with the headings
// of docs/protocol.md.
func methodsAreDocumented(t tree) (problems []string) {
	documented := map[string]bool{}
	for _, m := range heading.FindAllSubmatch(t.files[protocolPage], -1) {
		documented[string(m[1])] = true
	}
	for _, s := range t.code {
		if s.isTest() {
			continue
		}
		for _, l := range literals(s.syntax) {
			method, err := strconv.Unquote(l.Value)
			if err != nil || !ownMethod.MatchString(method) || documented[method] {
				continue
			}
			problems = append(problems, fmt.Sprintf("%s: %s has no heading in %s: write what it carries and answers there", t.at(l), method, protocolPage))
		}
	}
	return problems
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// linksLead checks every link of a page to a file of the repository.
func linksLead(t tree) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if path.Ext(name) != ".md" || strings.Contains(name, "/") && !strings.HasPrefix(name, "docs/") {
			continue
		}
		for _, m := range link.FindAllSubmatch(t.files[name], -1) {
			target, anchor, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(target, ":") {
				continue // an external address
			}
			file := name
			if target != "" {
				file = path.Join(path.Dir(name), target)
			}
			switch {
			case !t.has(file):
				problems = append(problems, fmt.Sprintf("%s: the link to %s leads nowhere: write that page or fix the link", name, file))
			case anchor != "" && !anchors(t.files[file])[anchor]:
				problems = append(problems, fmt.Sprintf("%s: %s has no heading for #%s: fix the link", name, file, anchor))
			}
		}
	}
	return problems
}

// pagesAreLinked checks that links from README.md reach every page of docs.
func pagesAreLinked(t tree) (problems []string) {
	found := map[string]bool{}
	pages := []string{"README.md"}
	for len(pages) > 0 {
		page := pages[0]
		pages = pages[1:]
		if found[page] {
			continue
		}
		found[page] = true
		for _, m := range link.FindAllSubmatch(t.files[page], -1) {
			target, _, _ := strings.Cut(string(m[1]), "#")
			if to := path.Join(path.Dir(page), target); path.Ext(to) == ".md" && t.has(to) {
				pages = append(pages, to)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		if strings.HasPrefix(name, "docs/") && !found[name] {
			problems = append(problems, fmt.Sprintf("%s: no link leads here from README.md: link it from the page where readers look for it", name))
		}
	}
	return problems
}

// has reports whether a file or folder exists. Of folders that were not walked it
// knows those at the top level.
func (t tree) has(name string) bool {
	if slices.Contains(t.top, name) || t.unread[name] {
		return true
	}
	for file := range t.files {
		if file == name || strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}

var notInAnchor = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchors returns the anchors of a page: its headings in lower case,
// without punctuation, hyphens for spaces.
func anchors(page []byte) map[string]bool {
	found := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(page))
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "#"); ok {
			text = strings.ToLower(strings.TrimSpace(strings.TrimLeft(text, "#")))
			found[strings.ReplaceAll(notInAnchor.ReplaceAllString(text, ""), " ", "-")] = true
		}
	}
	return found
}

// dependenciesAreDecided checks that a decision page names each module that the code
// imports.
func dependenciesAreDecided(t tree) (problems []string) {
	var decisions []byte
	for name, text := range t.files {
		if strings.HasPrefix(name, decisionsFolder) {
			decisions = append(decisions, text...)
		}
	}
	required := requires(t.files["go.mod"])
	seen := map[string]bool{}
	for _, s := range t.code {
		for _, imported := range s.syntax.Imports {
			full, _ := strconv.Unquote(imported.Path.Value)
			dependency := owner(required, full)
			if dependency == "" || seen[dependency] {
				continue
			}
			seen[dependency] = true
			if !bytes.Contains(decisions, []byte(dependency)) {
				problems = append(problems, fmt.Sprintf("%s: no page in %s names %s: write why it is needed, what else was tried and what it costs", t.at(imported), decisionsFolder, dependency))
			}
		}
	}
	return problems
}

var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+([a-z0-9.-]+\.[a-z]+/\S+) v`)

// requires returns the paths of the modules that go.mod lists.
func requires(mod []byte) (paths []string) {
	for _, m := range requirement.FindAllSubmatch(mod, -1) {
		paths = append(paths, string(m[1]))
	}
	return paths
}

// owner returns the module of paths that holds the package, or "".
func owner(paths []string, pkg string) string {
	best := ""
	for _, p := range paths {
		if (pkg == p || strings.HasPrefix(pkg, p+"/")) && len(p) > len(best) {
			best = p
		}
	}
	return best
}
