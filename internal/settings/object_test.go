package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// A pet is what the objects of these tests hold.
type pet struct {
	Name  string            `json:"name"`
	Legs  int               `json:"legs"`
	Speed *float64          `json:"speed"`
	Food  []string          `json:"food"`
	Words map[string]string `json:"words"`
}

// petsSetting is a setting with an object for a value, kept in pets.
func petsSetting(pets *map[string]pet) setting {
	return setting{
		key: "zoo.pets", object: "an object: names to pets",
		value: func(*Settings) any { return pets },
		valid: func(*Settings) error {
			for name, p := range *pets {
				if p.Legs > 8 {
					return &innerError{[]string{name, "legs"}, "must be a whole number from 0 to 8"}
				}
			}
			return nil
		},
	}
}

func TestObjects(t *testing.T) {
	half := 0.5
	for _, tt := range []struct {
		name, text string
		want       map[string]pet
		said       string
	}{
		{name: "empty", text: `{}`, want: map[string]pet{}},
		{
			name: "all kinds of values, comments and a trailing comma",
			text: "{\"rex\": {\"legs\": 4, /* mostly */ \"speed\": 0.5, \"food\": [\"a\", \"b\"], \"words\": {\"hi\": \"wuff\"},}}",
			want: map[string]pet{"rex": {Legs: 4, Speed: &half, Food: []string{"a", "b"}, Words: map[string]string{"hi": "wuff"}}},
		},
		{name: "a null inside is unset", text: `{"rex": {"legs": null, "speed": null}}`, want: map[string]pet{"rex": {}}},
		{
			name: "unknown names are left out, with a warning each", text: "{\n\"rex\": {\"legz\": 4, \"name\": \"Rex\", \"$ref\": {}}}", want: map[string]pet{"rex": {Name: "Rex"}},
			said: `2:9: unknown setting "zoo.pets.rex.legz" is ignored: did you mean "legs"?` + "\n" + `2:35: unknown setting "zoo.pets.rex.$ref" is ignored: did you mean "name"?`,
		},
		{name: "no object", text: `[]`, said: `1:1: "zoo.pets" must be an object: names to pets, not a list`},
		{name: "another type inside", text: "{\n\"rex\": {\"legs\": \"4\"}}", said: `2:17: "zoo.pets.rex.legs" must be a whole number, not a string`},
		{name: "a fraction for a whole number", text: `{"rex": {"legs": 1.5}}`, said: `1:18: "zoo.pets.rex.legs" must be a whole number, not 1.5`},
		{name: "another type in a list", text: `{"rex": {"food": ["a", 2]}}`, said: `1:24: "zoo.pets.rex.food.1" must be a string, not a number`},
		{name: "no object inside", text: `{"rex": 7}`, said: `1:9: "zoo.pets.rex" must be an object, not a number`},
		{name: "what only the owner knows to be wrong", text: "{ // eight at most\n\"rex\": {\"legs\": 9}}", said: `2:17: "zoo.pets.rex.legs" must be a whole number from 0 to 8`},
		{name: "a name twice", text: `{"rex": {"legs": 1, "legs": 2}}`, said: `1:21: "zoo.pets.rex.legs" is set twice: remove one of the two`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var pets map[string]pet
			defer with(petsSetting(&pets))()
			r, broken := read([]byte(`{"zoo": {"pets":`+"\n"+tt.text+`}}`), false, nil)
			if broken != nil {
				t.Fatal(broken)
			}
			var said []string
			for _, m := range append(r.unknown, r.bad...) {
				line, column := position([]byte(`{"zoo": {"pets":`+"\n"+tt.text), m.offset)
				said = append(said, fmt.Sprintf("%d:%d: %s", line-1, column, m.what))
			}
			pets = nil
			for _, f := range r.found {
				f.setting.assign(nil, f.value)
			}
			if got := strings.Join(said, "\n"); got != tt.said {
				t.Errorf("said\n%s\nwant\n%s", got, tt.said)
			}
			if diff := cmp.Diff(pets, tt.want); diff != "" {
				t.Errorf("pets differ (-got +want):\n%s", diff)
			}
		})
	}
}

// with declares one more setting until what it returns is called.
func with(d setting) (undo func()) {
	all := declared
	declared = append(declared[:len(declared):len(declared)], d)
	return func() { declared = all }
}

func TestObjectsOfLayers(t *testing.T) {
	var pets map[string]pet
	weak := map[string]pet{"rex": {Legs: 4, Food: []string{"a", "b"}, Words: map[string]string{"hi": "wuff"}}, "tom": {Legs: 3}}
	pets = weak
	d := petsSetting(&pets)
	d.merge(nil, jsontext.Value(`{"rex": {"name": "Rex", "food": ["c"], "words": {"no": "grr"}}, "ada": {}}`))
	want := map[string]pet{
		"rex": {Name: "Rex", Legs: 4, Food: []string{"c"}, Words: map[string]string{"hi": "wuff", "no": "grr"}},
		"tom": {Legs: 3}, "ada": {},
	}
	if diff := cmp.Diff(pets, want); diff != "" {
		t.Errorf("pets differ (-got +want):\n%s", diff)
	}
	if len(weak) != 2 || len(weak["rex"].Words) != 1 {
		t.Errorf("the weaker layer's own value changed: %v", weak)
	}
}
