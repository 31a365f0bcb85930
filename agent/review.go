package agent

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/secret"
)

// The texts of a prompt for a review.
const (
	reviewChanges = "Review these changes. Look for what they break: bugs, security holes, lost data, callers and tests that no longer fit, cases that are missing. Read around each change, and read what it calls and who calls it, before you judge it. Report each problem with report_finding as soon as you are sure of it, at the lines as they are in the files now. Do not change anything. At the end say in one or two sentences what you looked at; if you found nothing, say so."
	reviewNames   = "\n\nNames of files are relative to %s, the root of the repository."
	reviewRest    = "\n\nThe diff is long, so its end is left out. Read these files too, which it changes:\n- "
	noDiff        = "(only new files)\n"
	reviewNew     = "\n\nThese files are new, and not in the diff. Read them:\n- "
)

// mostListed bounds how many names of files a prompt has.
const mostListed = 300

// Review returns the prompt that has changes reviewed, with the diff of them. The diff is empty
// if nothing has changed.
func (a *Agent) Review(ctx context.Context, o DiffOf) (state.Prompt, Diff, error) {
	var p state.Prompt
	d, err := a.Diff(ctx, o)
	if err != nil {
		return p, d, err
	}
	var added []string
	if o.Of == "uncommitted" {
		if added, err = a.Process.Options.Git.NewFiles(ctx, d.Folder); err != nil {
			return p, d, fmt.Errorf("%w: %w", ErrNoDiff, err)
		}
	}
	if d.Text == "" && len(added) == 0 {
		return p, d, nil
	}
	text := reviewChanges
	if r, ok := gitdir.Nearest(d.Folder); ok && r.Tree != d.Folder {
		text += fmt.Sprintf(reviewNames, r.Tree)
	}
	if secret.Shortened(d.Text) {
		text += reviewRest + listed(d.Files)
	}
	if len(added) > 0 {
		text += reviewNew + listed(added)
	}
	d.Files = append(d.Files, added...)
	p.Blocks = []transcript.Block{{Type: transcript.TextBlock, Text: text}, {
		Type: transcript.ResourceBlock, URI: string(ide.FileURI(d.Folder)) + "#changes", MIME: "text/x-diff", Text: cmp.Or(d.Text, noDiff),
		Mention: &transcript.Mention{Kind: transcript.MentionReview, Label: phrase.Say("review." + o.Of).Text},
	}}
	return p, d, nil
}

// listed returns the lines of a list, without the mark of the first one.
func listed(names []string) string {
	if more := len(names) - mostListed; more > 0 {
		names = append(names[:mostListed:mostListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "\n- ")
}
