package present

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

// commentDoers are the actions of the entries of lists of comments.
var commentDoers = map[string]doer{
	kindComment + "/" + view.Open:   openComment,
	kindComment + "/" + view.Edit:   editComment,
	kindComment + "/" + view.Remove: removeComment,
}

// findComment finds a comment of an open session.
func findComment(v *Views, id string) (transcript.Comment, bool) {
	h := v.c.Host.Current()
	if h == nil {
		return transcript.Comment{}, false
	}
	return h.Agent.FindComment(id)
}

// placeOf returns where a comment is.
func placeOf(c transcript.Comment) *view.Place {
	first, last := c.Lines()
	return &view.Place{URI: c.URI, Range: &view.Range{Start: view.Position{Line: first - 1}, End: view.Position{Line: last}}}
}

func openComment(_ context.Context, v *Views, c chosen) (acted, error) {
	found, ok := findComment(v, c.ID)
	if !ok {
		return acted{}, errGone
	}
	return steps(view.Step{Open: placeOf(found)})
}

// editComment has the client open the text of a comment, or puts what became of it in its place. A
// comment without a text is removed.
func editComment(ctx context.Context, v *Views, c chosen) (acted, error) {
	found, ok := findComment(v, c.ID)
	switch {
	case !ok:
		return acted{}, errGone
	case c.Text == nil:
		return steps(view.Step{Edit: &found.Text, Place: placeOf(found)})
	case strings.TrimSpace(*c.Text) == "":
		return removeComment(ctx, v, c)
	}
	h, err := v.c.Host.Get(ctx)
	if err == nil {
		err = h.Agent.EditComment(ctx, c.ID, *c.Text)
	}
	v.c.Touch()
	return acted{}, err
}

func removeComment(ctx context.Context, v *Views, c chosen) (acted, error) {
	h, err := v.c.Host.Get(ctx)
	if err == nil {
		err = h.Agent.RemoveComment(ctx, c.ID)
	}
	v.c.Touch()
	return acted{}, err
}
