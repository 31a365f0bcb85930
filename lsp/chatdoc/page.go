package chatdoc

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
	"github.com/emendo-dev/emendo/lsp/chatdoc/render"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// page is the chat document of a session: what it should hold, and how much of that
// it does. A goroutine that runs while something is missing writes it.
type page struct {
	d       *Documents
	session string
	news    client.Signal // the goroutine looks again

	claimed claimed
	record  record

	mu       sync.Mutex
	doc      *ide.Document      // the open document; nil: none is
	path     string             // of the file; empty: not known
	items    *view.Conversation // of the turn that runs; nil: none does
	turn     string             // that one
	answers  []*answer          // that the document may lack something of, and the last one, in order
	followed []string           // the turns of all answers so far
	failures []string           // of questions that could not be sent
	quotes   []*quoting         // that the user wants to comment on
	working  bool               // the goroutine runs
	out      *delivery          // the edit on its way into the open document; nil: none is
	paced    time.Time          // when the last edit was sent
	typed    time.Time          // when the document was changed last while no edit was on its way
	unseen   bool               // the last answer is to a question asked elsewhere, and was not shown
	hurried  bool               // an answer has ended: the next edit need not wait
	refused  int                // how often in a row the document could not be changed
	warned   bool               // about that, or that the file cannot be written
	stored   time.Time          // when the file was last written
	closed   *ide.Text          // the text with which the document was closed, until the file was compared with it
	reload   reload
	opening  time.Time // when the client was told to open the document, which it has not done since
}

// edit is a change of the document.
type edit struct {
	splices []ide.Splice
	landed  func(text string) // notes that a text has the change; called with the page's mu held
}

// follow keeps the offsets valid while the document changes. It runs on the read
// loop. session returns the session that the document names.
func (p *page) follow(e ide.Event, session func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ours := p.doc != nil && (e.Before != nil && e.Before.URI == p.doc.URI || e.After != nil && e.After.URI == p.doc.URI)
	switch {
	case ours && e.Kind == ide.Closed:
		p.settleDelivery()
		p.doc, p.closed = nil, p.doc.Text
		p.dropDelivery()
		p.reload.closed = time.Now()
		p.d.c.Go(func() { p.claimed.follow(p) })
		p.forgetPlaces()
	case ours && e.Kind == ide.Opened: // again
		p.setDocument(e.After)
	case ours && e.Kind == ide.Saved:
		p.doc = e.After
		if p.out != nil {
			p.out.reported(p.doc.Text.String())
			p.settleDelivery()
			p.startWriting()
		}
		p.reload.saved()
		p.record.noteSaved()
		p.d.c.Go(func() { p.record.update(e.After) })
	case ours:
		p.doc = e.After
		for by := range steps(e) {
			for _, a := range p.answers {
				a.follow(by)
			}
		}
		if p.out != nil {
			p.out.reported(p.doc.Text.String())
		} else {
			p.typed = time.Now()
		}
		p.reload.changed()
	case p.doc == nil && e.After != nil && (session() == p.session || p.reload.reopens(e, session())):
		p.setDocument(e.After)
	default:
		return
	}
	if e.Kind != ide.Saved {
		p.refused = 0
		p.startWriting()
	}
}

// forgetPlaces notes that the offsets are invalid. p.mu is held.
func (p *page) forgetPlaces() {
	for _, a := range p.answers {
		a.forgetPlaces()
	}
}

// setDocument notes that a document is the page's. p.mu is held.
func (p *page) setDocument(d *ide.Document) {
	p.dropDelivery()
	p.doc, p.closed, p.opening = d, nil, time.Time{}
	p.d.c.Go(func() { p.claimed.follow(p) })
	p.reload.opened(d)
	if d.Path != p.path { // another file was saved
		for _, a := range p.answers {
			a.saved = 0
		}
	}
	if strings.HasSuffix(d.Path, ide.ChatSuffix) { // else it is a link to another file, which is not ours to write
		p.path = d.Path
	}
	p.forgetPlaces()
}

// sessionOf returns the session that a document names.
func sessionOf(d *ide.Document) string {
	// The front matter is at the start, and documents may be long.
	const most = 4 << 10
	return grammar.Parse(d.Text.Slice(0, min(d.Text.Len(), most))).Session
}

// startWriting has the page written. p.mu is held.
func (p *page) startWriting() {
	switch {
	case !p.isIncomplete():
	case p.working:
		p.news.Raise()
	default:
		p.working = p.d.c.Go(p.write)
	}
}

// isIncomplete reports whether the document lacks something. p.mu is held.
func (p *page) isIncomplete() bool {
	return len(p.failures) > 0 && p.doc != nil || len(p.quotes) > 0 || slices.ContainsFunc(p.answers, (*answer).pending)
}

// answerOf returns the answer of a turn, or nil. p.mu is held.
func (p *page) answerOf(turnID string) *answer {
	for _, a := range slices.Backward(p.answers) {
		if a.turn == turnID {
			return a
		}
	}
	return nil
}

// addAnswer adds an answer, and drops those that are complete. p.mu is held.
func (p *page) addAnswer(a *answer) *answer {
	p.answers = slices.DeleteFunc(p.answers, func(a *answer) bool { return a.over && !a.pending() })
	p.answers = append(p.answers, a)
	p.followed = append(p.followed, a.turn)
	return a
}

// addBlocks adds blocks to an answer, which end it if it is over. p.mu is held.
func (p *page) addBlocks(a *answer, blocks []render.Block, over bool) {
	a.addBlocks(blocks)
	a.over = a.over || over
	p.hurried = p.hurried || over
	if over || len(blocks) > 0 {
		p.refused = 0
	}
	p.startWriting()
}

// nextEdit returns the next change of a text that the document is to have, nil if there
// is none. p.mu is held.
func (p *page) nextEdit(text string) *edit {
	for i, a := range p.answers {
		if !a.known && !a.sent {
			a.locate(text)
		}
		if a.placed && !a.hasHeading(text) {
			written := a.sure
			if a.locate(text); !a.placed { // the user has removed it
				a.removed, a.written = true, written
			}
		}
		if a.removed && !a.pending() {
			continue
		}
		a.recognize(text)
		switch {
		case !a.placed && a.sent:
			return a.editToPlace(text, p.session)
		case !a.placed:
			return p.insertQuestions(p.answers[i:], text)
		}
		if e := a.editToGrow(text); e != nil {
			return e
		}
	}
	switch {
	case len(p.failures) > 0:
		return p.noticeOfFailures(text)
	case len(p.quotes) > 0:
		return p.editToQuote(text)
	}
	return nil
}

// hasHeading reports whether the heading of an answer is where it was, and the place of
// its next block behind it.
func (a *answer) hasHeading(text string) bool {
	if a.head > a.at || a.at > len(text) || !hasLine(text, a.head, heading) {
		return false
	}
	if !hasHeading(text[grammar.NextLine(text, a.head):max(a.at, grammar.NextLine(text, a.head))]) {
		return true
	}
	for _, s := range grammar.Parse(text).Sections {
		if s.Start == a.head {
			return s.Body <= a.at && a.at <= s.End
		}
	}
	return true // inside a block that the user is typing, which began before it
}

// editToPlace returns the change that adds the heading below a question that the user has
// sent. What they have typed after it since is the next question.
func (a *answer) editToPlace(text, session string) *edit {
	end := min(a.mark, len(text))
	if strings.TrimSpace(text[end:]) == "" {
		end = len(text)
	}
	splices, ok := grammar.Parse(text[:end]).Send(session)
	if !ok { // the user has removed it
		a.sent = false
		return insertAnswers([]*answer{a}, text, session)
	}
	for i := range splices {
		splices[i].Text = inLineEndsOf(text, splices[i].Text)
	}
	last := splices[len(splices)-1]
	a.mark = last.A
	return &edit{splices, func(now string) {
		at, ok := nearest(now, heading, a.mark+strings.LastIndex(last.Text, heading))
		if a.placed, a.known, a.sent = ok, ok, false; ok {
			a.begun, a.head, a.at = true, at, grammar.NextLine(now, at)
		}
	}}
}

// insertQuestions returns the change that adds questions which were asked elsewhere.
func (p *page) insertQuestions(from []*answer, text string) *edit {
	var all []*answer
	for _, a := range from {
		if !a.known && !a.sent {
			a.locate(text)
		}
		a.recognize(text)
		if a.placed || a.sent || a.removed && !a.pending() {
			break
		}
		all = append(all, a)
	}
	return insertAnswers(all, text, p.session)
}

func insertAnswers(all []*answer, text, session string) *edit {
	type spot struct {
		answer   *answer
		head, at int // in the inserted text
		count    int // of blocks
		starts   []int
	}
	at, before, after := beforeInput(text)
	var b strings.Builder
	put := func(s string) { b.WriteString(inLineEndsOf(text, s)) }
	put(before)
	var spots []spot
	for _, a := range all {
		blocks := a.blocks
		if a.removed {
			blocks = blocks[a.sure:]
		} else {
			put(questionText(a.question))
		}
		s := spot{answer: a, head: b.Len(), count: len(a.blocks)}
		put(heading + "\n")
		from := b.Len()
		put(blocksOf(blocks))
		s.starts, s.at = startsOf(b.String(), from, blocks, text), b.Len()
		put("\n")
		spots = append(spots, s)
		a.mark = at
	}
	put(after)
	inserted := b.String()
	splices := nameSession(text, session)
	if n := len(splices); n > 0 && splices[n-1].A == at { // one edit, since both are there
		splices[n-1].Text += inserted
	} else {
		splices = append(splices, ide.Splice{A: at, B: at, Text: inserted})
	}
	return &edit{splices, func(now string) {
		for _, s := range spots {
			a := s.answer
			missing := a.blocks[s.count-len(s.starts) : s.count]
			start, ok := nearest(now, inserted, a.mark)
			a.begun, a.placed, a.removed, a.written, a.sure = true, ok, false, s.count, s.count
			if !ok { // the user has typed in it meanwhile
				a.locate(now)
				continue
			}
			a.known, a.head, a.at = true, start+s.head, start+s.at
			for i, b := range missing {
				b.pos = start + s.starts[i]
			}
		}
	}}
}

// nameSession returns the change that adds the session to a document which names none.
func nameSession(text, session string) []ide.Splice {
	splices := grammar.Parse(text).Name(session)
	for i := range splices {
		splices[i].Text = inLineEndsOf(text, splices[i].Text)
	}
	return splices
}

// startsOf returns where blocks start in a text that has them from an offset on, in
// the line ends of a document.
func startsOf(text string, from int, blocks []*block, document string) []int {
	starts := make([]int, len(blocks))
	for i, b := range blocks {
		body := inLineEndsOf(document, strings.Trim(b.Text, "\n"))
		from += max(strings.Index(text[from:], body), 0)
		starts[i] = from
		from += len(body)
	}
	return starts
}

// blocksOf returns blocks as they are written first.
func blocksOf(l []*block) string {
	var b strings.Builder
	for _, x := range l {
		b.WriteString(x.currentText())
	}
	return b.String()
}

// currentText returns the block as it should be now. It then is as it should be.
func (b *block) currentText() string {
	if b.wanted != "" {
		b.Text = strings.Replace(b.Text, b.Line, b.wanted, 1)
		b.Line, b.wanted = b.wanted, ""
	}
	return b.Text
}

// editToGrow returns the change that adds the blocks which are missing and replaces the
// lines that say something else by now; nil if there is none.
func (a *answer) editToGrow(text string) *edit {
	var splices []ide.Splice
	var replaced []*block
	for _, b := range a.blocks[:a.written] {
		if b.wanted == "" || b.edited {
			continue
		}
		twice := slices.ContainsFunc(replaced, func(o *block) bool { return o.pos == b.pos })
		if twice || !hasLine(text, b.pos, b.Line) {
			b.edited = true
			a.blocks = append(a.blocks, &block{Block: render.Block{Text: "\n" + b.wanted + "\n", Call: b.Call, Line: b.wanted}, live: true})
			b.wanted, b.allow = "", "" // that line is not this one
			continue
		}
		if end := b.pos + len(b.Line); b.pos < a.at && a.at <= end { // the user has removed what was between
			a.at = grammar.NextLine(text, end)
		}
		splices = append(splices, ide.Splice{A: b.pos, B: b.pos + len(b.Line), Text: b.wanted})
		replaced = append(replaced, b)
	}
	missing := a.blocks[a.written:]
	count := len(a.blocks)
	var inserted ide.Splice
	var starts []int // of the missing blocks in what is inserted
	if len(missing) > 0 {
		inserted = insertion(text, a.at, blocksOf(missing))
		splices = append(splices, inserted)
		starts = startsOf(inserted.Text, 0, missing, text)
	}
	if len(splices) == 0 {
		return nil
	}
	slices.SortStableFunc(splices, func(a, b ide.Splice) int { return cmp.Or(a.A-b.A, a.B-b.B) })
	lines := make([]string, len(replaced))
	for i, b := range replaced {
		lines[i] = b.wanted
	}
	return &edit{splices, func(now string) {
		for i, b := range replaced {
			if b.Line = lines[i]; b.wanted == b.Line {
				b.wanted = ""
			}
		}
		if len(missing) == 0 {
			return
		}
		a.written, a.sure = count, count
		at, ok := nearest(now, inserted.Text, a.at)
		if !ok { // the user has typed in it meanwhile
			a.known = false
			return
		}
		last := inLineEndsOf(now, strings.Trim(missing[len(missing)-1].Text, "\n"))
		a.at = grammar.NextLine(now, at+starts[len(starts)-1]+len(last))
		for i, b := range missing {
			b.pos = at + starts[i]
		}
	}}
}

// noticeOfFailures returns the change that says why questions could not be sent: it adds a
// notice before the input, in which the question stays.
func (p *page) noticeOfFailures(text string) *edit {
	failures := p.failures
	var format render.Answer
	var blocks strings.Builder
	for _, f := range failures {
		for _, b := range format.AddNotice("Error", f) {
			blocks.WriteString(b.Text)
		}
	}
	done := func(string) { p.failures = slices.Clone(p.failures[len(failures):]) }
	at, before, after := beforeInput(text)
	for _, s := range grammar.Parse(text).Sections {
		if s.Speaker == grammar.Emendo && s.End == at {
			if strings.HasSuffix(strings.TrimSpace(withLineFeeds(text[s.Body:s.End])), strings.TrimSpace(blocks.String())) {
				done(text) // it says so already
				return nil
			}
			return &edit{[]ide.Splice{insertion(text, contentEnd(text, s), blocks.String())}, done}
		}
	}
	note := before + heading + "\n" + blocks.String() + "\n" + after
	return &edit{[]ide.Splice{{A: at, B: at, Text: inLineEndsOf(text, note)}}, done}
}

// askedIn returns the questions that lines of the document ask, and where.
func (p *page) askedIn(d *ide.Document, enc ide.Encoding) []question.Asked {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doc == nil || p.doc.URI != d.URI {
		return nil
	}
	var l []question.Asked
	for _, a := range p.answers {
		for i, b := range a.blocks {
			if b.asks != nil && i < a.written && a.known && b.pos+len(b.Line) <= d.Text.Len() {
				line := d.Text.Range(b.pos, b.pos+len(b.Line), enc)
				l = append(l, question.Asked{Question: b.asks, Line: line, Last: line.Start.Line})
			}
		}
	}
	return l
}
