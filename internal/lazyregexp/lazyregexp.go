// Package lazyregexp compiles patterns when they are first used. Compiling all patterns
// of the program takes two milliseconds, which would delay every start, and every
// command that the program supervises.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a [regexp.Regexp] that is compiled by the first call of a method.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the pattern, for a package-level variable. A pattern that does not
// compile panics when it is first used.
func New(pattern string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

// String returns the pattern.
func (r *Regexp) String() string { return r.compiled().String() }

// Match reports whether b contains a match.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString reports whether s contains a match.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindString returns the first match in s.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex returns where the first match in s starts and ends.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch returns the first match in s and those of its groups.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where the first match in s and its groups start and
// end.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllStringIndex returns where the first n matches in s start and end, of all of
// them if n is -1.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns the first n matches in s with their groups, all of
// them if n is -1.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where the first n matches in s and their groups
// start and end, of all of them if n is -1.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString replaces every match in s by a template.
func (r *Regexp) ReplaceAllString(s, template string) string {
	return r.compiled().ReplaceAllString(s, template)
}

// ReplaceAllStringFunc replaces every match in s by what replace returns for it.
func (r *Regexp) ReplaceAllStringFunc(s string, replace func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, replace)
}

// FindAllString returns the first n matches in s, all of them if n is -1.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// ReplaceAll replaces every match in b by a template.
func (r *Regexp) ReplaceAll(b, template []byte) []byte { return r.compiled().ReplaceAll(b, template) }
