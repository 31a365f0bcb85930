package jsonedit

import (
	"encoding/json"
	"fmt"
	"slices"

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
		list := slices.DeleteFunc(slices.Clone(now), is)
		if member {
			list = append(list, name)
		}
		var l []Patch
		if at != dotted && root.Find("/"+Pointer(object)) == nil {
			l = append(l, Patch{Op: "add", Path: "/" + Pointer(object), Value: map[string]any{}})
		}
		return append(l, Patch{Op: "add", Path: at, Value: list}), nil
	})
}
