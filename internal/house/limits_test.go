package house

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// Limits for what a reader can keep in mind. Tests, test doubles and generated
// files do not count.
const (
	maxLines        = 500  // of a file
	maxPackageLines = 6000 // of a package
)

func filesAreShort(t tree) (problems []string) {
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		text := t.files[name]
		if lines := bytes.Count(text, []byte("\n")); isSource(name) && lines > maxLines && !t.generated[name] {
			problems = append(problems, fmt.Sprintf("%s: %d lines, more than %d: split it where its second idea begins", name, lines, maxLines))
		}
	}
	return problems
}

// tooLarge lists the packages, by folder, that still exceed the limit. An entry
// that is no longer needed is a problem too.
var tooLarge = []string{}

// packagesAreSmall returns the rule that limits packages, except those in the list.
func packagesAreSmall(except []string) func(tree) []string {
	return func(t tree) (problems []string) {
		lines := map[string]int{}
		for _, s := range t.code {
			folder := s.folder()
			if s.isTest() || isDouble(folder) || t.generated[s.path] {
				continue
			}
			lines[folder] += bytes.Count(t.files[s.path], []byte("\n"))
		}
		over := map[string]string{}
		for folder, n := range lines {
			if n > maxPackageLines {
				over[folder] = fmt.Sprintf("%d lines, more than %d: split the package by owner of its state", n, maxPackageLines)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(over)) {
			if !slices.Contains(except, name) {
				problems = append(problems, name+": "+over[name])
			}
		}
		for _, name := range except {
			if over[name] == "" {
				problems = append(problems, name+": within the limits: remove it from the list in internal/house/limits_test.go")
			}
		}
		return problems
	}
}
