package sessiontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/tools"
)

// same compares a text with a section, or, without one, with the file at the start
// of the script.
func (p *play) same(name, section, got string) error {
	if section != "" {
		return p.script.expect(section, got)
	}
	want, ok := p.script.section(name)
	if !ok || want != got {
		return fmt.Errorf("it is not as in the beginning:\n%s", difference(want, got))
	}
	return nil
}

func (p *play) buffer(words string) error {
	name, section := word(words)
	uri := p.uri(name)
	if !p.editor.IsOpen(uri) {
		return fmt.Errorf("%s is not open", name)
	}
	return p.same(name, section, p.editor.Text(uri))
}

func (p *play) disk(words string) error {
	name, section := word(words)
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return err
	}
	return p.same(name, section, string(b))
}

func (p *play) gone(words string) error {
	_, err := os.Lstat(filepath.Join(p.dir, words))
	switch {
	case err == nil:
		return errors.New("it is there")
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// hunks compares the states of the hunks of all sessions.
func (p *play) hunks(words string) error {
	sets, err := p.sets()
	if err != nil {
		return err
	}
	return p.script.expect(words, p.stable(shownHunks(sets, p.name)))
}

// updates compares the session's updates since the last time.
func (p *play) updates(words string) error {
	return p.script.expect(words, p.stable(p.session.told.take()))
}

// told compares the last message sent to the model.
func (p *play) told(words string) error {
	l := p.model.Requests()
	if len(l) == 0 {
		return errors.New("the model was not asked")
	}
	m := l[len(l)-1].Messages
	return p.script.expect(words, p.stable(told(m[len(m)-1:], p.named)))
}

// history compares all that the model was sent the last time.
func (p *play) history(words string) error {
	l := p.model.Requests()
	if len(l) == 0 {
		return errors.New("the model was not asked")
	}
	return p.script.expect(words, p.stable(told(l[len(l)-1].Messages, p.named)))
}

// question compares the oldest open question.
func (p *play) question(words string) error {
	q, err := p.oldest()
	if err != nil {
		return err
	}
	return p.script.expect(words, p.stable(shownQuestion(q, p.name)))
}

func shownQuestion(q *question, name func(string) string) string {
	var x struct {
		ToolCall struct {
			Title   string          `json:"title"`
			Name    string          `json:"name"`
			Content json.RawMessage `json:"content"`
		} `json:"toolCall"`
		Preview struct {
			ChangeSetID string   `json:"changeSetId"`
			Command     string   `json:"command"`
			Cwd         string   `json:"cwd"`
			Parsed      []string `json:"parsed"`
			Saves       []string `json:"saves"`
			Unsaved     []string `json:"unsaved"`
			Paths       []string `json:"paths"`
			PlanURI     string   `json:"planUri"`
			URLs        []string `json:"urls"`
		} `json:"preview"`
	}
	if q.raw != nil {
		if err := json.Unmarshal(q.raw, &x); err != nil {
			return err.Error()
		}
	}
	var b strings.Builder
	say := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, text)
		}
	}
	say("message", strings.ReplaceAll(q.text, "\n", "\n    "))
	say("call", strings.TrimSpace(x.ToolCall.Name+" "+x.ToolCall.Title))
	say("content", contentOf(x.ToolCall.Content))
	if x.Preview.ChangeSetID != "" {
		say("preview", "a change set")
	}
	say("command", x.Preview.Command)
	say("in", x.Preview.Cwd)
	say("parsed", strings.Join(x.Preview.Parsed, "; "))
	for _, u := range x.Preview.Saves {
		say("saves", name(u))
	}
	for _, u := range x.Preview.Unsaved {
		say("unsaved", name(u))
	}
	say("paths", strings.Join(x.Preview.Paths, ", "))
	say("addresses", strings.Join(x.Preview.URLs, ", "))
	if x.Preview.PlanURI != "" {
		say("plan", path.Base(x.Preview.PlanURI))
	}
	b.WriteString(wanted(q.elicit))
	say("options", strings.Join(q.ids, ", "))
	return b.String()
}

// wanted returns what the model wants to know, one question a line.
func wanted(raw json.RawMessage) string {
	var x struct{ Questions []tools.Question }
	if raw != nil {
		if err := json.Unmarshal(raw, &x); err != nil {
			return err.Error()
		}
	}
	var b strings.Builder
	for _, q := range x.Questions {
		kind := string(q.Type)
		if q.MultiSelect {
			kind += " of several"
		}
		fmt.Fprintf(&b, "%s (%s): %s\n", q.Header, kind, q.Question)
		for _, o := range q.Options {
			fmt.Fprintf(&b, "    - %s: %s\n", o.Label, o.Description)
		}
	}
	return b.String()
}

// chatTimes matches the beginning of the path of a chat document, up to the local time
// in its name.
var chatTimes = regexp.MustCompile(`\.emendo/chats/[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{4}-`)

// messages compares the messages to the user since the last time.
func (p *play) messages(words string) error {
	all := p.editor.Seen().Messages
	text := chatTimes.ReplaceAllString(strings.Join(all[p.read:], "\n----\n"), ".emendo/chats/")
	p.read = len(all)
	return p.script.expect(words, p.stable(text))
}

// marks compares the diagnostics that are shown now.
func (p *play) marks(words string) error {
	shown := p.editor.Seen().Diagnostics
	var b strings.Builder
	for _, uri := range slices.Sorted(maps.Keys(shown)) {
		for _, m := range shown[uri] {
			fmt.Fprintf(&b, "%s:%d: %s\n", p.name(uri), m.Range.Start.Line+1, strings.ReplaceAll(m.Message, "\n", "\n    "))
		}
	}
	return p.script.expect(words, p.stable(b.String()))
}

// status compares what the status line shows now.
func (p *play) status(words string) error {
	all := p.editor.Seen().Statuses
	if len(all) == 0 {
		return errors.New("no status was sent")
	}
	x := all[len(all)-1]
	text := fmt.Sprintf("%s: %s\nmode: %s\npending hunks: %d\n", x.Kind, x.Message, x.Mode, x.PendingHunks)
	if x.Command != nil {
		text += "command: " + x.Command.Command + "\n"
	}
	return p.script.expect(words, p.stable(text))
}

// ran compares the commands that were started.
func (p *play) ran(words string) error {
	var b strings.Builder
	for _, c := range p.spawn.Started() {
		fmt.Fprintf(&b, "%s: %s\n", c.Dir, c.Argv[len(c.Argv)-1])
	}
	return p.script.expect(words, p.stable(b.String()))
}

// difference shows two texts line by line.
func difference(want, got string) string {
	return diff.Unified("want", "got", want, got)
}
