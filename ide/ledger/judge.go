package ledger

// set changes the state and notes that watchers must be told.
func (h *hunk) set(s State, reason string) {
	if h.state != s || h.reason != reason {
		h.file.set.changed = true
	}
	h.state, h.reason = s, reason
}

// judgeOne finds the state of one hunk from the text at its span, and says
// which hunks under it have to be judged after it.
func (p *place) judgeOne(h *hunk) (under []*hunk) {
	if h.over != nil && h.over.state == Accepted {
		h.accept()
		return nil
	}
	h.over = nil
	old, put := p.standsOld(h)
	switch {
	case old && !(h.old == h.new && h.state == Accepted):
		for _, e := range put {
			e.h.over = nil
			if e.h.followed {
				e.h.a, e.h.b = h.a+e.a, h.a+e.b
				under = append(under, e.h)
			}
		}
		h.stand()
	case p.standsNew(h):
		for _, n := range h.needs {
			n.h.over = h
			if n.h.followed {
				n.h.a, n.h.b = h.a, h.b
				under = append(under, n.h)
			}
		}
		if h.edited {
			h.edited, h.file.set.changed = false, true
		}
		h.accept()
	default:
		h.lose()
	}
	return under
}

// stand: the old text stands.
func (h *hunk) stand() {
	if h.edited {
		h.edited, h.file.set.changed = false, true
	}
	if h.goal == Pending {
		h.landed = true
	}
	if h.rejected {
		h.set(Rejected, "")
		return
	}
	h.set(Pending, "")
}

// accept: the new text stands.
func (h *hunk) accept() {
	if h.goal == Accepted {
		h.landed = true
	}
	h.set(Accepted, "")
}

// lose: another text stands than either. What the user accepted or rejected
// stays so, whatever becomes of the text then.
func (h *hunk) lose() {
	switch h.state {
	case Accepted:
		if !h.edited {
			h.edited, h.file.set.changed = true, true
		}
	case Rejected, Superseded:
	default:
		h.set(Conflicted, reasonEdited)
	}
}

// standsOld says whether the text at the span is the hunk's old text, and
// which hunks stand where in it.
func (p *place) standsOld(h *hunk) (bool, []placing) {
	if h.whole {
		switch h.file.op {
		case Create:
			return p.text.Len() == 0 && (!p.exists || p.doc != nil), nil
		case Rename:
			return p.exists, nil
		case Modify, Delete:
			if !p.exists && len(h.needs) == 0 {
				return false, nil
			}
		default:
			panic("ledger: unknown operation " + string(h.file.op))
		}
	}
	if !aligned(p.text, h.a, h.b) {
		return false, nil
	}
	text := p.text.Slice(h.a, h.b)
	for _, f := range h.forms() {
		if f.text == text {
			return true, f.put
		}
	}
	return false, nil
}

// standsNew says whether the text at the span is the hunk's new text.
func (p *place) standsNew(h *hunk) bool {
	switch {
	case h.whole && (h.file.op == Delete || h.file.op == Rename):
		return !p.exists
	case h.whole && !p.exists:
		return false
	}
	return aligned(p.text, h.a, h.b) && p.text.Slice(h.a, h.b) == h.new
}
