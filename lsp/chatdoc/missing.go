package chatdoc

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/lsp/chatdoc/grammar"
)

// catchUp has what the session has and the open document lacks written: the editor
// may have ended without saving it, or another process has continued the session.
func (p *page) catchUp(ctx context.Context) error {
	turns, err := p.record.turns(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doc != nil {
		p.supply(turns, p.doc.Text.String())
		p.wake()
	}
	return nil
}

// supply adds the turns that a text lacks, and those of which it was saved without the
// end, before those that the page follows. p.mu is held.
func (p *page) supply(turns []turn, text string) {
	turns = slices.DeleteFunc(turns, func(t turn) bool { return p.of(t.ID) != nil })
	present := len(turns) - len(missing(turns, text))
	var earlier []*answer
	for i, t := range turns {
		if i < present && !t.begun {
			continue
		}
		a := &answer{turn: t.ID, message: t.Message, question: t.Question, over: true, known: true}
		a.add(t.Blocks)
		if i < present {
			a.saved, a.sure = t.saved, t.saved
			if a.find(text); !a.placed || !a.pending() {
				continue
			}
		}
		earlier = append(earlier, a)
		p.followed = append(p.followed, t.ID)
	}
	p.answers = append(earlier, p.answers...)
	p.refused = 0
}

// asked is an answered question of a document.
type asked struct{ question, answer string }

// is reports whether it is a turn's.
func (x asked) is(t turn) bool {
	if !asks(x.question, t.Question) {
		return false
	}
	lines := placesIn(x.answer, 0, len(x.answer))
	some := false
	for _, b := range t.Blocks {
		if b.Call == "" {
			some = true
			if indexOf(lines, linesOf(b.Text), 0) >= 0 {
				return true
			}
		}
	}
	return !some || len(linesOf(x.answer)) == 0
}

// missing returns the turns at the end of a session that a document lacks. The user
// may have edited questions and answers: those after the last one that is as it was
// count as turns, too.
func missing(turns []turn, text string) []turn {
	var in []asked
	sections := grammar.Parse(text).Sections
	for i, s := range sections {
		if s.Speaker == grammar.You && i+1 < len(sections) && sections[i+1].Speaker == grammar.Emendo {
			next := sections[i+1]
			in = append(in, asked{text[s.Body:s.End], text[next.Body:next.End]})
		}
	}
	for j := len(turns) - 1; j >= 0; j-- {
		for k := len(in) - 1; k >= 0; k-- {
			if in[k].is(turns[j]) {
				return turns[min(j+len(in)-k, len(turns)):]
			}
		}
	}
	return turns[min(len(in), len(turns)):]
}
