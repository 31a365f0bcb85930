package chatdoc_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// marker is a character that the user types; no one else does.
const marker = "¤"

// clumsy returns how an editor answers edits: in one of the ways in which editors do,
// or in any of them.
func clumsy(kind string, r *rand.Rand) func(int, ide.Edit) idetest.Answer {
	kinds := []string{"well", "refusing", "lying", "echoing", "late", "in pieces", "silent"}
	return func(int, ide.Edit) idetest.Answer {
		k := kind
		if k == "anyhow" {
			k = kinds[r.IntN(len(kinds))]
		}
		switch k {
		case "refusing":
			if r.IntN(2) == 0 {
				return idetest.Answer{Refuse: ide.ErrRefused}
			}
		case "lying":
			return idetest.Answer{Lie: r.IntN(8) == 0}
		case "echoing":
			return idetest.Answer{Echo: time.Duration(r.IntN(400)) * time.Millisecond}
		case "late":
			return idetest.Answer{Late: time.Duration(1+r.IntN(400)) * time.Millisecond}
		case "in pieces":
			return idetest.Answer{Pieces: time.Duration(1+r.IntN(400)) * time.Millisecond}
		case "silent":
			return idetest.Answer{Never: r.IntN(4) == 0}
		}
		return idetest.Answer{}
	}
}

// typesSomewhere types a marker anywhere but in the front matter and in headings, and
// a character at the end.
func (w *world) typesSomewhere(uri string, r *rand.Rand, i int) {
	text := w.Editor.Text(uri)
	if r.IntN(3) == 0 {
		c := string(rune('A' + i%26))
		w.Editor.Type(uri, len(text), len(text), c)
		return
	}
	var offs []int
	at := 0
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(l, "## ") && !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "session:") {
			for k := range l {
				offs = append(offs, at+k)
			}
		}
		at += len(l)
	}
	if len(offs) > 0 {
		k := offs[r.IntN(len(offs))]
		w.Editor.Type(uri, k, k, marker)
	}
}

// The user types while an answer comes, and the editor applies edits in its own way:
// nothing that anyone has written is lost or doubled, and all of it is in order.
func TestTypingWhileAnAnswerComes(t *testing.T) {
	const seeds = 8
	for _, kind := range []string{"well", "refusing", "lying", "echoing", "late", "in pieces", "silent", "anyhow"} {
		for _, form := range []string{"ranges", "whole", "merged"} {
			t.Run(kind+", "+form, func(t *testing.T) {
				for seed := range uint64(seeds) {
					typingWhileAnAnswerComes(t, kind, form, rand.New(rand.NewPCG(seed, 7)))
				}
			})
		}
	}
}

func typingWhileAnAnswerComes(t *testing.T, kind, form string, r *rand.Rand) {
	t.Helper()
	var reply modeltest.Reply
	var want strings.Builder
	for i := range 8 {
		text := fmt.Sprintf("Part %d of it.\n\n", i)
		want.WriteString(text)
		reply = append(reply, modeltest.Say(text), modeltest.Pause(time.Duration(r.IntN(600))*time.Millisecond))
	}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{reply}, func(w *world) {
		w.Editor.OnEdit = clumsy(kind, rand.New(rand.NewPCG(r.Uint64(), 3)))
		w.Editor.Whole, w.Editor.Merged = form == "whole", form == "merged"
		u := w.Chat("a.emendo.md", "## You\n\nWhy?\n")
		id, _ := w.Send(u)
		typed := 0
		for i := range 40 {
			<-time.After(time.Duration(r.IntN(200)) * time.Millisecond)
			if strings.Contains(w.Editor.Text(u), "## emendo") {
				w.typesSomewhere(u, r, i)
				typed++
			}
		}
		<-time.After(3 * time.Minute)
		for range 8 { // what an editor has dropped without a word is known to be missing once it saves
			w.Editor.SaveFile(u)
			<-time.After(time.Minute)
		}
		got := w.Editor.Text(u)
		plain := strings.ReplaceAll(strings.ReplaceAll(got, marker, ""), id, "SESSION")
		for strings.Contains(plain, "\n\n\n") {
			plain = strings.ReplaceAll(plain, "\n\n\n", "\n\n")
		}
		last := strings.LastIndex(plain, "## You\n")
		answer := plain[:max(last, 0)]
		if expected := "---\nsession: SESSION\n---\n\n## You\n\nWhy?\n\n## emendo\n\n" + want.String(); answer != expected {
			t.Errorf("%s, %s: the document is\n%s\nwant before the input\n%s\nmessages %q", kind, form, got, expected, w.Editor.Seen().Messages)
		}
		if n := strings.Count(got, marker) + len(strings.Trim(plain[last+len("## You\n"):], "\n")); n != typed {
			t.Errorf("%s, %s: %d of %d typed characters are there:\n%s", kind, form, n, typed, got)
		}
	})
}

func TestAnAnswerDoesNotGrowWhileTheUserTypesBelow(t *testing.T) {
	reply := modeltest.Reply{modeltest.Say("Part.\n\n")}
	for range 40 {
		reply = append(reply, modeltest.Pause(300*time.Millisecond), modeltest.Say("Part.\n\n"))
	}
	play(t, lsptest.Recorded("helix"), []modeltest.Reply{reply}, func(w *world) {
		u := w.Chat("a.emendo.md", "## You\n\nWhy?\n")
		w.Send(u)
		<-time.After(time.Second)
		parts := func() int { return strings.Count(w.Editor.Text(u), "Part.") }
		seen := parts()
		grown := 0
		const keys = 30
		for i := range keys { // nine seconds
			end := len(w.Editor.Text(u))
			w.Editor.Type(u, end, end, string(rune('a'+i%26)))
			<-time.After(300 * time.Millisecond)
			if now := parts(); now > seen {
				seen, grown = now, grown+1
			}
		}
		if grown == 0 || grown > 2 { // the user need not stop to see more, but not with each key
			t.Errorf("the answer grew %d times during %d keys", grown, keys)
		}
		<-time.After(time.Minute)
		if got := parts(); got != 41 {
			t.Errorf("%d of 41 parts are there", got)
		}
	})
}
