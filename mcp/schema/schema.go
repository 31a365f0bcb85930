// Package schema keeps the JSON schemas of MCP tools as servers write them, and rewrites
// them so that every provider takes them: without references, with few keywords, and of
// bounded size. It does not know what a schema describes.
package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

const (
	maxDepth = 16    // of nesting, references resolved
	maxNodes = 4_000 // schemas in all
	maxText  = 1_000 // bytes of a description inside the schema
	maxEnum  = 200   // values of one enumeration
)

// Clean returns the schema of a tool's arguments, an object, for a model. References
// are replaced by what they refer to, and by an empty schema where they lead back to
// themselves or nowhere. What is left out only describes the arguments less exactly:
// the server checks them. Properties stay in the order in which they are declared: some
// servers of models make a model write arguments in it.
func Clean(schema json.RawMessage) json.RawMessage {
	c := cleaner{root: decoded(schema), left: maxNodes}
	out := c.object(c.root)
	flatten(out)
	if out["type"] != "object" {
		out = map[string]any{"type": "object"}
	}
	if _, ok := out["properties"].(*properties); !ok {
		out["properties"] = &properties{}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic("schema: " + err.Error()) // it was made from JSON
	}
	return text
}

// flatten puts the properties of alternatives at the top into the object itself, since
// providers take no alternatives there. What all of them require stays required.
func flatten(out map[string]any) {
	all, _ := out["anyOf"].([]any)
	if len(all) == 0 {
		return
	}
	delete(out, "anyOf")
	var required []any
	for i, s := range all {
		m, _ := s.(map[string]any)
		if out["properties"] == nil {
			out["properties"] = &properties{}
		}
		if more, ok := m["properties"].(*properties); ok {
			have := out["properties"].(*properties)
			for _, name := range more.names {
				if have.of[name] == nil {
					have.set(name, more.of[name])
				}
			}
		}
		names, _ := m["required"].([]any)
		if i == 0 {
			required = slices.Clone(names)
		} else {
			required = slices.DeleteFunc(required, func(n any) bool { return !slices.Contains(names, n) })
		}
	}
	out["type"] = "object"
	merge(out, map[string]any{"required": required})
	if l, _ := out["required"].([]any); len(l) == 0 {
		delete(out, "required")
	}
}

type cleaner struct {
	root any
	left int      // how many schemas may still be copied
	open []string // references that are being resolved
}

// object cleans one schema.
func (c *cleaner) object(schema any) map[string]any {
	in, ok := schema.(map[string]any)
	if !ok || c.left <= 0 || len(c.open) > maxDepth {
		return map[string]any{}
	}
	c.left--
	if ref, ok := in["$ref"].(string); ok {
		return c.reference(ref, in)
	}
	out := map[string]any{}
	c.describe(in, out)
	c.kind(in, out)
	c.bounds(in, out)
	c.parts(in, out)
	c.alternatives(in, out)
	if all, ok := in["allOf"].([]any); ok {
		c.nested(func() {
			for _, s := range all {
				merge(out, c.object(s))
			}
		})
	}
	return out
}

// nested runs f one level deeper.
func (c *cleaner) nested(f func()) {
	c.open = append(c.open, "")
	f()
	c.open = c.open[:len(c.open)-1]
}

// reference cleans what a reference refers to. Keywords beside it count too.
func (c *cleaner) reference(ref string, in map[string]any) map[string]any {
	beside := maps.Clone(in)
	delete(beside, "$ref")
	target, ok := c.resolve(ref)
	if !ok || slices.Contains(c.open, ref) {
		target = map[string]any{}
		if _, ok := beside["description"]; !ok {
			beside["description"] = "See the definition of " + ref[strings.LastIndexByte(ref, '/')+1:] + "."
		}
	}
	c.open = append(c.open, ref)
	defer func() { c.open = c.open[:len(c.open)-1] }()
	out := c.object(target)
	merge(out, c.object(beside))
	return out
}

// resolve returns what a reference within the schema refers to.
func (c *cleaner) resolve(ref string) (any, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	at := c.root
	for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name == "" {
			continue
		}
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch m := at.(type) {
		case map[string]any:
			at, ok = m[name]
		case *properties:
			at, ok = m.of[name]
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return at, true
}

// merge adds to a schema what another one has and it lacks; properties of both count.
// A description in the second is the closer one.
func merge(out, more map[string]any) {
	for k, v := range more {
		switch have := out[k].(type) {
		case nil:
			out[k] = v
		case *properties:
			if add, ok := v.(*properties); ok {
				for _, name := range add.names {
					have.set(name, add.of[name])
				}
			}
		case []any:
			if add, ok := v.([]any); ok && k == "required" {
				for _, name := range add {
					if !slices.Contains(have, name) {
						have = append(have, name)
					}
				}
				out[k] = have
			}
		default:
			if k == "description" {
				out[k] = v
			}
		}
	}
}

func (c *cleaner) describe(in, out map[string]any) {
	var notes []string
	for _, k := range []string{"title", "description"} {
		if s, ok := in[k].(string); ok && s != "" {
			out[k] = visible.Bounded(s, maxText, "…")
		}
	}
	if s, ok := in["pattern"].(string); ok && len(s) < 200 {
		notes = append(notes, "Pattern: "+s)
	}
	if f, ok := in["format"].(string); ok && len(f) < 50 {
		if slices.Contains([]string{"date-time", "date", "time", "int32", "int64", "float", "double"}, f) {
			out["format"] = f
		} else {
			notes = append(notes, "Format: "+f)
		}
	}
	if v, ok := in["default"]; ok {
		if text, err := json.Marshal(v); err == nil && len(text) < 200 {
			notes = append(notes, "Default: "+string(text))
		}
	}
	if len(notes) > 0 {
		d, _ := out["description"].(string)
		out["description"] = strings.TrimSpace(d + " (" + strings.Join(notes, "; ") + ")")
	}
}

// types are the types of JSON schema but null.
var types = []string{"string", "number", "integer", "boolean", "array", "object"}

// kind sets the type. Of a list with null it is the other one, and null is allowed
// besides; another list becomes alternatives.
func (c *cleaner) kind(in, out map[string]any) {
	var names []string
	switch t := in["type"].(type) {
	case string:
		names = []string{t}
	case []any:
		for _, n := range t {
			if s, ok := n.(string); ok {
				names = append(names, s)
			}
		}
	}
	if slices.Contains(names, "null") || in["nullable"] == true {
		out["nullable"] = true
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(types, n) })
	switch {
	case len(names) == 1:
		out["type"] = names[0]
	case len(names) > 1:
		var l []any
		for _, n := range names {
			l = append(l, map[string]any{"type": n})
		}
		out["anyOf"] = l
	case in["properties"] != nil:
		out["type"] = "object"
	case in["items"] != nil:
		out["type"] = "array"
	}
	var values []any
	if v, ok := in["const"]; ok {
		values = []any{v}
	} else if l, ok := in["enum"].([]any); ok {
		values = l
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
	if len(values) > maxEnum {
		values = nil
	}
	if slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return !ok }) { // an API refuses other values
		if text, err := json.Marshal(values); err == nil && len(text) < 1000 {
			d, _ := out["description"].(string)
			out["description"] = strings.TrimSpace(d + " (One of: " + strings.Trim(string(text), "[]") + ")")
		}
		values = nil
	}
	if len(values) > 0 {
		out["enum"] = values
		if out["type"] == nil && out["anyOf"] == nil {
			if _, ok := values[0].(string); ok {
				out["type"] = "string"
			}
		}
	}
}

func (c *cleaner) bounds(in, out map[string]any) {
	for _, k := range []string{"minimum", "maximum", "minItems", "maxItems"} {
		if n, ok := in[k].(float64); ok {
			out[k] = n
		}
	}
}

// parts cleans the properties of an object and the items of a list.
func (c *cleaner) parts(in, out map[string]any) {
	if props, ok := in["properties"].(*properties); ok {
		l := &properties{}
		c.nested(func() {
			for _, name := range props.names {
				l.set(name, c.object(props.of[name]))
			}
		})
		out["properties"] = l
	}
	if names, ok := in["required"].([]any); ok {
		props, _ := out["properties"].(*properties)
		have := map[string]bool{}
		l := slices.DeleteFunc(slices.Clone(names), func(n any) bool {
			name, ok := n.(string)
			if !ok || props == nil || props.of[name] == nil || have[name] { // an API refuses repeated ones
				return true
			}
			have[name] = true
			return false
		})
		if len(l) > 0 {
			out["required"] = l
		}
	}
	switch a := in["additionalProperties"].(type) {
	case bool:
		out["additionalProperties"] = a
	case map[string]any:
		c.nested(func() { out["additionalProperties"] = c.object(a) })
	}
	items := in["items"]
	if l, ok := items.([]any); ok { // a tuple, as older drafts write it
		items = nil
		if len(l) > 0 {
			items = map[string]any{"anyOf": l}
		}
	}
	if l, ok := in["prefixItems"].([]any); ok && len(l) > 0 && items == nil {
		items = map[string]any{"anyOf": l}
	}
	if items != nil {
		c.nested(func() { out["items"] = c.object(items) })
	} else if out["type"] == "array" {
		out["items"] = map[string]any{} // some providers want it
	}
}

// alternatives cleans anyOf and oneOf. One for null only allows that.
func (c *cleaner) alternatives(in, out map[string]any) {
	var l []any
	for _, k := range []string{"anyOf", "oneOf"} {
		all, _ := in[k].([]any)
		c.nested(func() {
			for _, s := range all {
				m := c.object(s)
				switch {
				case isNull(s):
					out["nullable"] = true
				case !slices.ContainsFunc(l, func(have any) bool { return fmt.Sprint(have) == fmt.Sprint(m) }):
					l = append(l, m)
				}
			}
		})
	}
	switch len(l) {
	case 0:
	case 1:
		merge(out, l[0].(map[string]any))
	default:
		out["anyOf"] = l
	}
}

func isNull(schema any) bool {
	m, _ := schema.(map[string]any)
	return m["type"] == "null"
}
