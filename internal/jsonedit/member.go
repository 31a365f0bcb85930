package jsonedit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/tailscale/hujson"
)

// SetMember adds a name to the list of names that key has in an object of the file at path, such
// as skills.disabled, or removes every name that is equal to it. It does not write if nothing
// changes.
func SetMember(path, object, key, name string, member bool, equal func(a, b string) bool) error {
	return ChangeFile(path, func(root hujson.Value) ([]Patch, error) {
		at := "/" + Pointer(object) + "/" + Pointer(key)
		dotted := "/" + Pointer(object+"."+key) // which settings may be written as
		if root.Find(dotted) != nil {
			at = dotted
		}
		var now []string
		if v := root.Find(at); v != nil {
			plain := v.Clone()
			plain.Standardize()
			if err := json.Unmarshal(plain.Pack(), &now); err != nil {
				return nil, fmt.Errorf("%s: %s.%s must be a list of names", path, object, key)
			}
		}
		is := func(n string) bool { return equal(n, name) }
		if slices.ContainsFunc(now, is) == member {
			return nil, nil
		}
		var l []Patch
		for i, n := range slices.Backward(now) { // the others keep their comments
			if !member && is(n) {
				l = append(l, Patch{Op: "remove", Path: at + "/" + strconv.Itoa(i)})
			}
		}
		switch {
		case !member:
			return l, nil
		case root.Find(at) != nil && now != nil:
			return []Patch{{Op: "add", Path: at + "/-", Value: name}}, nil
		case at != dotted && root.Find("/"+Pointer(object)) == nil:
			l = append(l, Patch{Op: "add", Path: "/" + Pointer(object), Value: map[string]any{}})
		}
		return append(l, Patch{Op: "add", Path: at, Value: []string{name}}), nil
	})
}
