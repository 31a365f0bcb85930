package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A table is one [[rule]] or [[safety_checker]] of a file.
type table struct {
	fields map[string]any
	line   int            // of its header
	lines  map[string]int // of its fields
}

// lineOf returns the line of a field, or of the table.
func (t table) lineOf(field string) int {
	if l := t.lines[field]; l > 0 {
		return l
	}
	return t.line
}

// parse parses the rules of a file. After one error no rule of the file
// applies.
func parse(file string, text []byte, tier Tier) ([]*Rule, []Warning, *FileError) {
	return reader{file: file, tier: tier, own: tier == OfEmendo}.read(text)
}

// A reader parses a policy file.
type reader struct {
	file string
	tier Tier
	own  bool // emendo wrote it, with fields that users' files do not have
	// answers: its rules are answers to questions.
	answers bool

	warnings []Warning
}

func (r reader) read(text []byte) ([]*Rule, []Warning, *FileError) {
	rules, checkers, mistake := r.tables(text)
	if mistake != nil {
		return nil, nil, mistake
	}
	var out []*Rule
	for i, t := range rules {
		rule, err := r.parseRule(i, t)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, rule)
	}
	for i, t := range checkers {
		if err := r.checker(i, t); err != nil {
			return nil, nil, err
		}
	}
	return out, r.warnings, nil
}

// tables parses the file into tables with line numbers.
func (r reader) tables(text []byte) (rules, checkers []table, mistake *FileError) {
	var whole map[string]any
	if err := toml.Unmarshal(text, &whole); err != nil {
		e := &FileError{File: r.file, What: "no valid TOML: " + strings.TrimPrefix(err.Error(), "toml: ")}
		if d, ok := errors.AsType[*toml.DecodeError](err); ok {
			e.Line, _ = d.Position()
		}
		return nil, nil, e
	}
	at := scan(text)
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		value := whole[key]
		if key != "rule" && key != "safety_checker" {
			return nil, nil, &FileError{r.file, at.keys[key], "", fmt.Sprintf("unknown key %q: write rules as [[rule]]", key)}
		}
		list, ok := value.([]any)
		if !ok {
			return nil, nil, &FileError{r.file, at.keys[key], "", fmt.Sprintf("%s must be a list of tables: write [[%s]]", key, key)}
		}
		for i, v := range list {
			fields, ok := v.(map[string]any)
			if !ok {
				return nil, nil, &FileError{r.file, at.keys[key], "", fmt.Sprintf("%s must be a list of tables: write [[%s]]", key, key)}
			}
			t := table{fields: fields, line: at.keys[key]}
			if i < len(at.tables[key]) {
				t.line, t.lines = at.tables[key][i].line, at.tables[key][i].lines
			}
			if key == "rule" {
				rules = append(rules, t)
			} else {
				checkers = append(checkers, t)
			}
		}
	}
	return rules, checkers, nil
}

// places holds line numbers of a file.
type places struct {
	keys   map[string]int // first line of each top-level key
	tables map[string][]table
}

// scan finds the line numbers of a valid file.
func scan(text []byte) places {
	at := places{keys: map[string]int{}, tables: map[string][]table{}}
	var p unstable.Parser
	p.Reset(text)
	var current []string
	for p.NextExpression() {
		e := p.Expression()
		var names []string
		line := 0
		for key := e.Key(); key.Next(); {
			n := key.Node()
			if line == 0 {
				line = p.Shape(n.Raw).Start.Line
			}
			names = append(names, string(n.Data))
		}
		if len(names) == 0 {
			continue
		}
		switch e.Kind { //nolint:exhaustive // the others hold nothing that a mistake is said of
		case unstable.ArrayTable:
			if current = names; len(names) == 1 {
				at.tables[names[0]] = append(at.tables[names[0]], table{line: line, lines: map[string]int{}})
			}
		case unstable.Table:
			current = names
		case unstable.KeyValue:
			names = append(slices.Clone(current), names...)
		}
		if at.keys[names[0]] == 0 {
			at.keys[names[0]] = line
		}
		if list := at.tables[names[0]]; len(names) > 1 && len(list) > 0 && list[len(list)-1].lines[names[1]] == 0 {
			list[len(list)-1].lines[names[1]] = line
		}
	}
	return at
}
