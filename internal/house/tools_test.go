package house

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// toolsDeclareThemselves finds lists of tools by their names in any language. What is
// true of a tool is in its spec, which tools/builtin reads.
func toolsDeclareThemselves(t tree) (problems []string) {
	folders := map[string]string{} // tool → folder of its page
	for file := range t.files {
		if strings.HasPrefix(file, "tools/") && strings.HasSuffix(file, ".md") {
			folders[strings.TrimSuffix(path.Base(file), ".md")] = path.Dir(file)
		}
	}
	names := slices.Sorted(maps.Keys(folders))
	for _, file := range slices.Sorted(maps.Keys(t.files)) {
		if !isSource(file) || isTestSource(file) || strings.HasPrefix(file, "tools/patch/") { // a patch stands for calls of other tools
			continue
		}
		found := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return folders[name] == path.Dir(file) || !slices.ContainsFunc([]string{`"`, "'", "`"}, func(q string) bool { return bytes.Contains(t.files[file], []byte(q+name+q)) })
		})
		if len(found) >= 3 {
			problems = append(problems, fmt.Sprintf("%s: a list of tools (%s): declare what it says in tools.Spec, and ask tools/builtin", file, strings.Join(found, ", ")))
		}
	}
	return problems
}
