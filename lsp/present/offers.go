package present

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// offers are what the user decides on in a conversation: the prompts that wait, and the hunks of
// its calls. Nothing is decided that came or changed after what the user saw.
type offers struct {
	seq   int64 // changes so far
	about map[string]offer
	seen  seen
}

// offer is what one of them is about.
type offer struct {
	sum   [sha256.Size]byte
	since int64 // the change with which it became so
}

// note notes what an offer is about now.
func (o *offers) note(id string, about any) {
	raw, err := json.Marshal(about)
	if err != nil {
		panic(err) // blocks and texts have a form
	}
	sum := sha256.Sum256(raw)
	if before, ok := o.about[id]; ok && before.sum == sum {
		return
	}
	if o.about == nil {
		o.about = map[string]offer{}
	}
	o.seq++
	o.about[id] = offer{sum, o.seq}
}

// noteHunks notes the hunks of a change set that wait. One that is decided and waits again is
// another offer.
func (o *offers) noteHunks(cs ledger.ChangeSet) {
	for _, f := range cs.Files {
		for _, h := range f.Hunks {
			if h.State.Waits() {
				o.note(h.ID, []any{h.OldText, h.NewText, h.Dependents})
			} else {
				delete(o.about, h.ID)
			}
		}
	}
}

// isNewer reports whether an offer came or changed after a version of the view; false for an ID
// without an offer.
func (o *offers) isNewer(id string, version int64) bool {
	return o.about[id].since > o.seen.at(version)
}

// isSeen reports whether an offer was in a version of the view as it is now.
func (o *offers) isSeen(id string, version int64) bool {
	_, known := o.about[id]
	return known && !o.isNewer(id, version)
}
