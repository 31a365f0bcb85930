package transcript

import "slices"

// allRoots are the folders that a session had when its log ended.
func RootsOf(st Started, rs []Record) []string {
	roots := slices.Clone(st.Roots)
	for _, r := range rs {
		if e, ok := r.Event.(FoldersAdded); ok {
			roots = append(roots, e.Folders...)
		}
	}
	slices.Sort(roots[len(st.Roots):])
	return append(roots[:len(st.Roots):len(st.Roots)], slices.Compact(roots[len(st.Roots):])...)
}
