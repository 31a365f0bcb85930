package view

import "encoding/json"

// Change is one difference of a view. One of Item, Session, Status, Question, Hunk, Append, Move and
// Drop is set.
type Change struct {
	Item     *Item     `json:"item,omitempty"`
	Session  any       `json:"session,omitempty"`
	Status   *Item     `json:"status,omitempty"`
	Question *Question `json:"question,omitempty"`
	Hunk     *HunkView `json:"hunk,omitempty"`
	After    After     `json:"after,omitzero"` // of Item and Question: where it stands

	Append  string `json:"append,omitempty"`  // the item whose part gets Text at its end
	Part    int    `json:"part,omitempty"`    // the index of that part
	Text    string `json:"text,omitempty"`    // for Append
	Omitted int    `json:"omitted,omitempty"` // for Append: of the part, once Text is added

	Move    string   `json:"move,omitempty"`    // the URI of a document whose hunks have moved
	Version *int32   `json:"version,omitempty"` // for Move: of the document
	Lines   [][2]int `json:"lines,omitzero"`    // for Move: from which line on by how many, in ascending order

	Drop []string `json:"drop,omitempty"` // with all that is below
}

// After says behind which sibling something stands. The zero value says nothing: at the end if
// it is new.
type After struct {
	Set bool
	ID  string // empty: before all others
}

// Behind returns that something stands behind a sibling; first for an empty ID.
func Behind(id string) After { return After{true, id} }

// MarshalJSON returns the sibling's ID, or null.
func (a After) MarshalJSON() ([]byte, error) {
	if a.ID == "" {
		return []byte("null"), nil
	}
	return json.Marshal(a.ID)
}

// UnmarshalJSON reads an ID, or null.
func (a *After) UnmarshalJSON(b []byte) error {
	*a = After{Set: true}
	return json.Unmarshal(b, &a.ID)
}
