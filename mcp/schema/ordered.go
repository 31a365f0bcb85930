package schema

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// properties are the properties of an object, in the order in which they are declared.
type properties struct {
	names []string
	of    map[string]any
}

// set adds a property behind the others, or replaces the one with its name.
func (p *properties) set(name string, schema any) {
	if p.of == nil {
		p.of = map[string]any{}
	}
	if _, have := p.of[name]; !have {
		p.names = append(p.names, name)
	}
	p.of[name] = schema
}

// MarshalJSON implements [json.Marshaler].
func (p *properties) MarshalJSON() ([]byte, error) {
	members := make([][]byte, len(p.names))
	for i, name := range p.names {
		object, err := json.Marshal(map[string]any{name: p.of[name]})
		if err != nil {
			return nil, err
		}
		members[i] = object[1 : len(object)-1]
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// decoded returns a schema as encoding/json decodes it, with [*properties] for the
// properties of objects; nil if it is not JSON.
func decoded(schema json.RawMessage) any {
	d := jsontext.NewDecoder(bytes.NewReader(schema), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decode(d, false)
	if err != nil {
		return nil
	}
	return v
}

// decode reads one value. It is the properties of an object if ordered is set, unless it
// is no object.
func decode(d *jsontext.Decoder, ordered bool) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case '"':
		return t.String(), nil
	case '0':
		f, err := t.Float()
		if err != nil {
			return nil, nil //nolint:nilerr,nilnil // out of range: as null
		}
		return f, nil
	case 't', 'f':
		return t.Bool(), nil
	case '[':
		l := []any{}
		for d.PeekKind() != ']' {
			v, err := decode(d, false)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		_, err := d.ReadToken()
		return l, err
	case '{':
		p := &properties{of: map[string]any{}}
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String()
			v, err := decode(d, !ordered && key == "properties")
			if err != nil {
				return nil, err
			}
			p.set(key, v)
		}
		if _, err := d.ReadToken(); err != nil || ordered {
			return p, err
		}
		return p.of, nil
	}
	return nil, nil //nolint:nilnil // null
}
