package acptest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// definitions are those of the protocol's schema, as the official TypeScript library
// publishes them, without descriptions. The tests in editors/acp compare the two.
//
//go:embed schema.json
var definitions []byte

// preview are those of the preview of version 2.
//
//go:embed schema_v2.json
var preview []byte

// A schema checks messages against the definitions.
type schema struct {
	mu       sync.Mutex
	all      map[string]json.RawMessage
	methods  map[string]string // method → definition without Request, Response or Notification
	resolved map[string]*jsonschema.Resolved
}

// The schemas of the two versions of the protocol.
var (
	version1 = sync.OnceValue(func() *schema { return newSchema(definitions) })
	version2 = sync.OnceValue(func() *schema { return newSchema(preview) })
)

func newSchema(definitions []byte) *schema {
	s := &schema{methods: map[string]string{}, resolved: map[string]*jsonschema.Resolved{}}
	if err := json.Unmarshal(definitions, &s.all); err != nil {
		panic(err)
	}
	for name, raw := range s.all {
		var d struct {
			Method string `json:"x-method"`
		}
		if json.Unmarshal(raw, &d) != nil || d.Method == "" {
			continue
		}
		for _, end := range []string{"Request", "Notification"} {
			if base, ok := strings.CutSuffix(name, end); ok {
				s.methods[d.Method] = base
			}
		}
	}
	return s
}

// params checks the params of a request or a notification.
func (s *schema) params(method string, raw json.RawMessage, request bool) error {
	base, ok := s.methods[method]
	switch {
	case !ok:
		return fmt.Errorf("%s is no method of the protocol", method)
	case request:
		return s.check(base+"Request", raw)
	}
	return s.check(base+"Notification", raw)
}

// result checks the result of a request.
func (s *schema) result(method string, raw json.RawMessage) error {
	base, ok := s.methods[method]
	if !ok {
		return fmt.Errorf("%s is no method of the protocol", method)
	}
	return s.check(base+"Response", raw)
}

func (s *schema) check(definition string, raw json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.resolved[definition]
	if r == nil {
		if s.all[definition] == nil {
			return fmt.Errorf("the schema has no %s", definition)
		}
		// To resolve one takes a second with the race detector if all others are in it.
		used := map[string]json.RawMessage{}
		s.use(definition, used)
		whole, err := json.Marshal(map[string]any{"$ref": "#/$defs/" + definition, "$defs": used})
		if err != nil {
			return err
		}
		var parsed jsonschema.Schema
		if err := json.Unmarshal(whole, &parsed); err != nil {
			return err
		}
		if r, err = parsed.Resolve(nil); err != nil {
			return err
		}
		s.resolved[definition] = r
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	if err := r.Validate(v); err != nil {
		return fmt.Errorf("not a valid %s: %w", definition, err)
	}
	return nil
}

var reference = regexp.MustCompile(`"#/\$defs/([^"]+)"`)

// use adds a definition to those that are used, and those that it refers to.
func (s *schema) use(definition string, used map[string]json.RawMessage) {
	if used[definition] != nil || s.all[definition] == nil {
		return
	}
	used[definition] = s.all[definition]
	for _, m := range reference.FindAllSubmatch(s.all[definition], -1) {
		s.use(string(m[1]), used)
	}
}
