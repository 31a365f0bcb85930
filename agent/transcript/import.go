package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/geminichat"
	"github.com/emendo-dev/emendo/agent/policy"
)

// Import is what an imported conversation does not say of itself.
type Import struct {
	Cwd   string // the session's folder: absolute, links resolved
	Model string // where no answer names one
	Now   time.Time
	NewID func() string // nil: random
}

// ErrNoSession says that a conversation is nothing that could be gone on with.
var ErrNoSession = errors.New("there is no session in it")

// Import stores a conversation of Gemini CLI as a session, under the id that it
// has there. A session that is stored already stays as it is: added is false.
func (st *Store) Import(c geminichat.Chat, im Import) (info SessionInfo, added bool, err error) {
	id := importedID(c.SessionID)
	if c.Kind == "subagent" {
		return SessionInfo{}, false, fmt.Errorf("%s is what a subagent did: %w", id, ErrNoSession)
	}
	switch info, _, err := st.Read(id); {
	case err == nil:
		return info, false, nil
	case !errors.Is(err, ErrUnknownSession):
		return SessionInfo{}, false, err
	}
	if im.NewID == nil {
		im.NewID = RandomID
	}
	start := Started{
		SessionID: id, Cwd: im.Cwd, Roots: []string{im.Cwd}, CreatedAt: c.StartTime.UTC().Truncate(time.Millisecond),
		Model: cmp.Or(lastModel(c), im.Model), Mode: policy.Default, ImportedAt: im.Now.UTC().Truncate(time.Millisecond),
	}
	if c.StartTime.IsZero() {
		start.CreatedAt = start.ImportedAt
	}
	b := importer{newID: im.NewID, at: start.CreatedAt, calls: callsOf(c)}
	b.add(start)
	b.title(c)
	b.chat(c)
	if !b.said {
		return SessionInfo{}, false, fmt.Errorf("%s: nobody said anything: %w", id, ErrNoSession)
	}
	for _, r := range b.records {
		info.Fold(r)
	}
	b.add(info.ToSummary())
	if err := st.save(start, b.records); err != nil {
		return SessionInfo{}, false, fmt.Errorf("importing session %s: %w", id, err)
	}
	return info, true, nil
}

var noID = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// importedID is a session's id there as one of ours.
func importedID(id string) string {
	id = noID.ReplaceAllString(id, "_")
	return id[:min(len(id), 64)]
}

func lastModel(c geminichat.Chat) (name string) {
	for _, m := range c.Messages {
		name = cmp.Or(m.Model, name)
	}
	return name
}

// title names the session as it was summed up, or by its first prompt.
func (b *importer) title(c geminichat.Chat) {
	title := CleanTitle(c.Summary, GivenTitle)
	for _, m := range c.Messages {
		if text := m.Content.Text(); title == "" && m.Type == "user" && !ignored(text) {
			title = TitleOf([]Block{{Type: TextBlock, Text: text}})
		}
	}
	if title != "" {
		b.add(InfoChanged{Title: title, At: b.at})
	}
}

// ignored says whether a text of the user's is no prompt: a command of that
// program, or what it adds to a conversation itself.
func ignored(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range []string{"/", "?", "<session_context>", "<hook_context>"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}
