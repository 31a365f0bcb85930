package view

import (
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// prompt folds a block of a prompt. Its texts are a part, and what was added to them lines
// and pictures.
func (c *Conversation) prompt(u transcript.Update, e transcript.UserChunk) {
	turn := c.turnOf(u)
	i := c.items[e.MessageID]
	if i != nil && i.Kind == KindQueued { // it was taken
		c.drop(i)
		i = nil
	}
	if i == nil {
		i = &entry{Item: Item{ID: e.MessageID, Kind: KindUser, At: clock(u.At)}, aside: e.Aside}
		if e.Steer {
			i.Look = "steer"
		}
		if turn != nil {
			turn.turn.answered = false
		}
		c.put(i, turn)
		c.offer(turn)
	}
	c.addBlock(i, e.Block)
	c.touch(i, whole)
}

func (c *Conversation) addBlock(i *entry, b transcript.Block) {
	if b.Comment != nil {
		i.blocks = append(i.blocks, b)
		i.Parts = append(i.Parts, commented(*b.Comment)...)
		return
	}
	if b.Mention == nil && b.Type == transcript.TextBlock {
		if n := len(i.Parts); n > 0 && i.Parts[n-1].Kind == Plain {
			i.Parts[n-1].Text += "\n" + b.Text
			return
		}
		i.Parts = append(i.Parts, Part{Kind: Plain, Text: b.Text})
		return
	}
	i.blocks = append(i.blocks, b)
	if b.Type == transcript.ImageBlock {
		p := Part{Kind: Image, MIMEType: b.MIME, Data: b.Data}
		if b.Mention != nil {
			p.Label = or(say("chip", "name", b.Mention.Label))
		}
		i.Parts = append(i.Parts, p)
		return
	}
	i.Lines = append(i.Lines, c.o.chip(b))
}

// commented returns a comment as parts of a prompt: the lines that it is about, and its text.
func commented(m transcript.Comment) []Part {
	first, last := m.Lines()
	r := Range{Position{Line: int(m.Range.Start.Line)}, Position{Line: last}}
	return []Part{
		{Kind: Code, Label: or(namedLines(m.Name, first, last)), Place: &Place{URI: m.URI, Range: &r}, Text: m.Quoted, Source: m.Markdown()},
		{Kind: Markdown, Text: m.Text},
	}
}

// chip returns what the user added to a prompt as a line.
func (o Options) chip(b transcript.Block) Line {
	l := Line{ID: "chip", Look: transcript.MentionFile}
	if b.Mention != nil {
		l.Look = b.Mention.Kind
		if l.Look == transcript.MentionReview {
			l.Look = transcript.MentionChanges
		}
	}
	switch {
	case b.Type == transcript.AudioBlock:
		l.Text = say("chip.audio")
	case b.Mention != nil && b.Mention.Label != "":
		l.Text = say("chip", "name", b.Mention.Label)
	case b.URI != "" && ide.ParseURI(b.URI).Path() != "":
		l.Text = o.placeText(ide.ParseURI(b.URI).Path(), b.Lines)
	default:
		l.Text = say("chip", "name", b.Name+b.URI)
	}
	if b.URI != "" && b.URI != transcript.ProblemsURI {
		l.Place = &Place{URI: b.URI}
		if b.Lines.Any() {
			l.Place.Range = &Range{Position{max(b.Lines.First, 1) - 1, 0}, Position{b.Lines.Last, 0}}
		}
	}
	return l
}

// placeText names a file as the user reads it, with its last part as the short form.
func (o Options) placeText(name string, lines *transcript.Lines) Text {
	near := o.Folders.Near(name)
	if lines.Any() {
		return namedLines(near, max(lines.First, 1), lines.Last)
	}
	t := say("place", "path", near)
	t.Short = say("place", "path", path.Base(near)).Text
	return t
}

// namedLines names lines of a file.
func namedLines(near string, first, last int) Text {
	end := path.Base(near) + ":" + strconv.Itoa(first)
	if first == last {
		return short(say("place.line", "path", near, "line", first), end)
	}
	return short(say("place.lines", "path", near, "line", first, "last", last), end+"-"+strconv.Itoa(last))
}

// short returns a text with a short form.
func short(t Text, s string) Text {
	t.Short = s
	return t
}

// text folds a piece of an answer. Each text of a message is an item, by its number there.
func (c *Conversation) text(u transcript.Update, e transcript.Text) {
	turn := c.turnOf(u)
	id := number(e.MessageID, "", e.Part)
	i := c.items[id]
	if i == nil {
		i = &entry{Item: Item{ID: id, Kind: KindAnswer, State: Running, Parts: []Part{{Kind: Markdown}}, Actions: byID(Copy)}}
		c.endStream(turn)
		c.put(i, turn)
	}
	if i.State != Running {
		i.State = Running
		c.touch(i, head)
	}
	c.grow(i, 0, e.Text)
	if turn != nil {
		turn.turn.stream = i
		turn.turn.answered = turn.turn.answered || strings.TrimSpace(e.Text) != ""
		c.does(turn, say("turn.answering"))
	}
}

// thought folds a piece of the model's reasoning. A new subject begins an item.
func (c *Conversation) thought(u transcript.Update, e transcript.Thought) {
	turn := c.turnOf(u)
	var i *entry
	if turn != nil {
		i = c.items[number(e.MessageID, "t", turn.turn.thoughts[e.MessageID])]
	}
	if i == nil || e.Subject != "" && i.Parts[0].Text != "" && i.Title.Args.Get("subject") != say("thought.subject", "subject", e.Subject).Text {
		n := 1
		if turn != nil {
			n = turn.turn.nextThought(e.MessageID)
		}
		i = &entry{Item: Item{ID: number(e.MessageID, "t", n), Kind: KindThought, State: Running, Title: say("thought"), Parts: []Part{{Kind: Markdown}}}}
		c.endStream(turn)
		c.put(i, turn)
	}
	if e.Subject != "" {
		i.Title = say("thought.subject", "subject", e.Subject)
		c.touch(i, head)
	}
	if i.State != Running {
		i.State = Running
		c.touch(i, head)
	}
	c.grow(i, 0, e.Text)
	if turn != nil {
		turn.turn.stream = i
		if e.Subject != "" {
			c.does(turn, i.Title)
		}
	}
}

// endStream ends the text or thought that a turn streams.
func (c *Conversation) endStream(turn *entry) {
	if turn == nil || turn.turn.stream == nil {
		return
	}
	s := turn.turn.stream
	turn.turn.stream = nil
	if c.items[s.ID] == s && s.State == Running {
		s.State = Done
		c.touch(s, head)
	}
}

// retract removes the texts and thoughts of a message whose stream broke.
func (c *Conversation) retract(u transcript.Update, e transcript.Retract) {
	turn := c.turnOf(u)
	siblings := c.top
	if turn != nil {
		siblings = turn.children
		turn.turn.stream = nil
	}
	for _, i := range append([]*entry(nil), siblings...) {
		if (i.Kind == KindAnswer || i.Kind == KindThought) && strings.HasPrefix(i.ID, e.MessageID+"/") {
			c.drop(i)
		}
	}
}

// plan folds the model's list of tasks. A turn has one.
func (c *Conversation) plan(u transcript.Update, e transcript.Plan) {
	turn := c.turnOf(u)
	id := number(u.TurnID, "plan", 0)
	i := c.items[id]
	if i == nil {
		i = &entry{Item: Item{ID: id, Kind: KindPlan, At: clock(u.At)}}
		c.put(i, turn)
	}
	i.Lines, i.State = nil, Done
	done, current := 0, ""
	for _, p := range e.Entries {
		l := Line{Text: say("plan.entry", "entry", p.Content), State: Waiting}
		switch p.Status {
		case "completed":
			l.State = Done
			done++
		case "in_progress":
			l.State = Running
		}
		if l.State != Done {
			i.State = Running
			if current == "" || l.State == Running {
				current = p.Content
			}
		}
		if p.Priority == "high" {
			l.Look = "high"
		}
		i.Lines = append(i.Lines, l)
	}
	i.Title = say("plan", "done", done, "n", len(e.Entries))
	if current != "" {
		i.Title = short(say("plan.current", "done", done, "n", len(e.Entries), "current", current), i.Title.Text)
	}
	c.touch(i, head)
}

// notice folds a notice. All attempts of a request are one.
func (c *Conversation) notice(u transcript.Update, e transcript.Notice) {
	turn := c.turnOf(u)
	var i *entry
	if turn != nil && e.Code == transcript.NoticeRetry && turn.turn.retry != nil && c.items[turn.turn.retry.ID] == turn.turn.retry {
		i = turn.turn.retry
	} else {
		i = &entry{Item: Item{ID: c.noticeID(u.At, turn), Kind: KindNotice, At: clock(u.At)}}
		c.put(i, turn)
	}
	i.Look = string(e.Severity)
	i.Title = Text{Text: say("notice", "title", e.Title).Text, Code: "notice." + string(e.Code)}
	i.Until = later(u.At, e.RetryAfterMS)
	i.Parts, i.Actions = nil, Remedies(string(e.Code))
	if e.Description != "" {
		kind := Plain
		if e.Code == transcript.NoticeCitation {
			kind = Markdown
		}
		i.Parts = []Part{{Kind: kind, Text: plain(e.Description)}}
	}
	c.touch(i, whole)
	if turn == nil {
		return
	}
	switch e.Code { //nolint:exhaustive // the others change nothing
	case transcript.NoticeRetry:
		turn.turn.retry = i
	case transcript.NoticeContextOverflow:
		turn.turn.overflow = true
	}
	c.does(turn, i.Title)
}

// noticeID returns the ID of a new notice: its number in its turn, or when it came. What came
// outside of turns before it may be missing in a copy, or once the session was rewound.
func (c *Conversation) noticeID(at time.Time, turn *entry) string {
	if turn != nil {
		turn.turn.notices++
		return number(turn.ID, "n", turn.turn.notices)
	}
	id, n := "n"+strconv.FormatInt(at.UnixNano(), 10), 1
	for c.items[id] != nil { // of the same time
		n++
		id = number("n"+strconv.FormatInt(at.UnixNano(), 10), "n", n)
	}
	return id
}

// compaction folds the shortening of the history.
func (c *Conversation) compaction(u transcript.Update, e transcript.Compaction) {
	turn := c.turnOf(u)
	i := c.items[e.ID]
	if i == nil {
		i = &entry{Item: Item{ID: e.ID, Kind: KindNotice, At: clock(u.At)}}
		c.put(i, turn)
	}
	i.Look, i.Note = string(transcript.Info), nil
	switch e.Status {
	case "in_progress":
		i.State, i.Title = Running, say("compaction.running")
	case "completed":
		i.State, i.Title = Done, say("compaction.done")
		if e.OriginalTokens > 0 {
			i.Note = new(say("compaction.tokens", "from", e.OriginalTokens, "to", e.NewTokens))
		}
	default:
		i.State, i.Title, i.Look = Failed, say("compaction.failed"), string(transcript.Warning)
	}
	c.touch(i, head)
}
