package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// MarshalLike returns v, which was made from like, as JSON. The members of objects are in
// the order in which like has them, and new ones are behind them: some servers make a
// model write arguments in the order in which a schema declares them.
func MarshalLike(v any, like []byte) (json.RawMessage, error) {
	switch v := v.(type) {
	case map[string]any:
		names, before := Members(like)
		names = slices.DeleteFunc(names, func(name string) bool { _, ok := v[name]; return !ok })
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if _, old := before[name]; !old {
				names = append(names, name)
			}
		}
		var out bytes.Buffer
		out.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				out.WriteByte(',')
			}
			key, err := json.Marshal(name)
			if err != nil {
				return nil, err
			}
			member, err := MarshalLike(v[name], before[name])
			if err != nil {
				return nil, err
			}
			out.Write(key)
			out.WriteByte(':')
			out.Write(member)
		}
		out.WriteByte('}')
		return out.Bytes(), nil
	case []any:
		var before []json.RawMessage
		if json.Unmarshal(like, &before) != nil || len(before) != len(v) {
			before = make([]json.RawMessage, len(v))
		}
		all := make([]json.RawMessage, len(v))
		for i := range v {
			var err error
			if all[i], err = MarshalLike(v[i], before[i]); err != nil {
				return nil, err
			}
		}
		return json.Marshal(all)
	}
	return json.Marshal(v)
}

// Members returns the names of an object's members in order, each once, and their values.
func Members(object []byte) (names []string, values map[string]json.RawMessage) {
	values = map[string]json.RawMessage{}
	dec := json.NewDecoder(bytes.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, values
	}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return names, values
		}
		if _, twice := values[name]; !twice {
			names = append(names, name)
		}
		values[name] = value
	}
	return names, values
}
