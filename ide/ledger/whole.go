package ledger

import (
	"github.com/emendo-dev/emendo/ide"
)

// addWhole makes the part of a job that makes, removes or renames a file. Of
// several hunks on top of each other the last one's text counts.
func (j *job) addWhole(at *place, ops []*op) {
	o := ops[len(ops)-1]
	h := o.h
	waits := make([]*hunk, len(ops))
	for i, x := range ops {
		waits[i] = x.h
	}
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
		case removes && at.path != "":
			f.Delete = true
		default:
			f.Splices = []ide.Splice{{A: 0, B: at.text.Len(), Text: text}}
		}
		j.edit.Files = append(j.edit.Files, f)
		j.waits = append(j.waits, waits...)
		return
	}
	w := &write{at: at}
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
