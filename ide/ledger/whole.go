package ledger

import (
	"github.com/emendo-dev/emendo/ide"
)

// addWhole adds the creation, deletion or renaming of a file to a job. Of several
// hunks on top of each other the last one's text counts.
func (j *job) addWhole(at *place, ops []*op) {
	o := ops[len(ops)-1]
	h := o.h
	text := h.new
	if o.back {
		in := map[*hunk]bool{}
		for _, x := range ops {
			in[x.h] = true
		}
		text = h.under(in)
	}
	makes := !at.exists && (h.file.op != Delete || o.back) && (h.file.op != Rename)
	removes := at.exists && (h.file.op == Delete && !o.back || h.file.op == Create && o.back)
	if at.doc != nil {
		f := ide.FileEdit{Document: at.doc}
		switch {
		case h.file.op == Rename:
			f.RenameTo = h.file.newPath
		case removes && at.path != "" && !at.unsaved:
			f.Delete = true
		default:
			f.Splices = []ide.Splice{{A: 0, B: at.text.Len(), Text: text}}
		}
		spans := []spanOf{} // whole hunks need none
		if len(f.Splices) == 0 {
			spans = nil
		}
		j.fly(at, ops, f, spans)
		return
	}
	w := &write{at: at, ops: ops}
	switch {
	case h.file.op == Rename && o.back:
		w.from, w.to = h.file.newPath, at.path
	case h.file.op == Rename:
		w.from, w.to = at.path, h.file.newPath
	case removes:
		w.remove = true
	case makes:
		w.text = &text
	default:
		w.splices = []ide.Splice{{A: 0, B: at.text.Len(), Text: text}}
	}
	j.writes = append(j.writes, w)
}
