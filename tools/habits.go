package tools

import (
	"slices"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Given are the arguments of a call by name, as the model wrote them.
type Given map[string]jsontext.Value

// wholeNumber returns an argument that is a whole number, also as a string.
func (g Given) wholeNumber(name string) (int, bool) {
	var n int
	if g[name].Kind() != '0' && g[name].Kind() != '"' || jsonv2.Unmarshal(g[name], &n, strict) != nil {
		return 0, false
	}
	return n, true
}

// set sets an argument to a number, unless the call has it.
func (g Given) set(name string, n int) {
	if _, ok := g[name]; !ok {
		g[name] = jsontext.Value(strconv.Itoa(n))
	}
}

// Drop removes arguments and reports whether there were any.
func (g Given) Drop(names ...string) bool {
	before := len(g)
	for _, name := range names {
		delete(g, name)
	}
	return len(g) < before
}

// adaptLines reads offset and limit, and view_range, as lines. Some models count offset
// from zero and others from one: the range has the lines that either means.
func adaptLines(g Given) bool {
	changed := g.Drop("command")
	var view []int
	if jsonv2.Unmarshal(g["view_range"], &view, strict) == nil && len(view) == 2 && view[0] > 0 {
		g.set("start_line", view[0])
		if view[1] > 0 {
			g.set("end_line", view[1])
		}
		changed = g.Drop("view_range")
	}
	offset, from := g.wholeNumber("offset")
	limit, some := g.wholeNumber("limit")
	if from && offset >= 0 {
		if offset > 0 {
			g.set("start_line", offset)
		}
		changed = g.Drop("offset")
	}
	if some && limit > 0 {
		if from && offset > 0 {
			limit += offset
		}
		g.set("end_line", limit)
		changed = g.Drop("limit")
	}
	return changed
}

// adaptReplacements reads a number of expected replacements as whether there are
// several.
func adaptReplacements(g Given) bool {
	changed := g.Drop("command", "ai_proposed_string", "modified_by_user")
	if n, ok := g.wholeNumber("expected_replacements"); ok && n > 0 {
		if _, given := g["allow_multiple"]; n > 1 && !given {
			g["allow_multiple"] = jsontext.Value("true")
		}
		changed = g.Drop("expected_replacements")
	}
	return changed
}

// adaptContent drops what says no more than the call itself.
func adaptContent(g Given) bool {
	return g.Drop("command", "ai_proposed_content", "modified_by_user")
}

// adaptSearch reads the options of a search as other agents' tools have them.
func adaptSearch(g Given) bool {
	changed := false
	for from, to := range map[string]string{"-A": "after", "-B": "before", "-C": "context"} {
		if v, ok := g[from]; ok && g[to] == nil {
			delete(g, from)
			g[to], changed = v, true
		}
	}
	if is(g, "output_mode", `"files_with_matches"`) && g["names_only"] == nil {
		g["names_only"] = jsontext.Value("true")
	}
	for name, values := range map[string][]string{"output_mode": {`"files_with_matches"`, `"content"`}, "-i": {"true"}, "case_insensitive": {"true"}, "-n": {"true", "false"}} {
		if is(g, name, values...) {
			changed = g.Drop(name)
		}
	}
	return changed
}

// is reports whether an argument is one of these texts of JSON.
func is(g Given, name string, values ...string) bool {
	return slices.Contains(values, string(g[name]))
}
