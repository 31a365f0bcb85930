package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// How much of the pages of one call is kept.
const (
	maxShown = 36_000   // bytes that the model reads, which the pages share
	maxKept  = 1 << 20  // bytes of text in the file of the session, likewise
	maxBlobs = 10 << 20 // bytes of images and PDF
)

// An outcome is what became of one address.
type outcome struct {
	url    *url.URL // as it was asked for
	failed string   // why there is no page; empty: there is one
	page   page
	from   *url.URL // after redirects
	heard  bool     // the server's words are in the page or in failed
	leads  []tools.Lead
}

// fetching is the work of one call.
type fetching struct {
	approved []*url.URL // that are fetched
	outcomes []*outcome // of all addresses, in order
}

// run fetches all addresses and fills in the outcomes.
func (f *fetching) run(ctx context.Context, c *client) {
	ctx, stop := context.WithTimeoutCause(ctx, maxTime, errTooSlow)
	defer stop()
	free := make(chan struct{}, sideBySide)
	var converting sync.Mutex // a page needs many times its size while it is converted
	var all sync.WaitGroup
	for _, o := range f.outcomes {
		if o.failed != "" {
			continue
		}
		all.Go(func() {
			select {
			case free <- struct{}{}:
				defer func() { <-free }()
			case <-ctx.Done():
				o.failed = context.Cause(ctx).Error()
				return
			}
			r, err := c.get(ctx, o.url, f.approved, func(from, to *url.URL) { o.leads = append(o.leads, tools.Lead{From: from.String(), To: to.String()}) })
			if err != nil {
				o.failed = failureReason(ctx, err)
				return
			}
			converting.Lock()
			defer converting.Unlock()
			if ctx.Err() != nil {
				o.failed = context.Cause(ctx).Error()
				return
			}
			o.setResponse(r)
		})
	}
	all.Wait()
}

// setResponse turns a response into the outcome.
func (o *outcome) setResponse(r response) {
	o.heard, o.from = true, r.url
	p, err := read(r)
	switch {
	case r.status >= 300:
		o.failed = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", r.status, http.StatusText(r.status)))
		if err == nil && p.kind != "text/html" && p.blob == nil && strings.TrimSpace(p.text) != "" { // an API says what is wrong
			o.failed += ": " + visible.Short(tools.Shown(visible.OneLine(p.text)), 500)
		}
	case err != nil:
		o.failed = err.Error()
	case p.blob == nil && strings.TrimSpace(p.text) == "":
		o.failed = "the page has no text; it may need scripts or a login"
	default:
		o.page = p
	}
}

// result describes the outcomes to the model and the user.
func (f *fetching) result() tools.Result {
	r := tools.Result{Origin: tools.OfEmendo}
	var got []*outcome
	var failures, shown []string
	blobs := 0
	for _, o := range f.outcomes {
		if b := o.page.blob; o.failed == "" && b != nil {
			if blobs += len(b.Data); blobs > maxBlobs {
				o.failed = fmt.Sprintf("more than %d MB of images and PDF in one call; fetch it alone", maxBlobs>>20)
			}
		}
		if o.heard { // an address that a server redirects to, of at most a line, is no content
			r.Origin = tools.OfWeb
			r.From = append(r.From, tools.Author{Origin: tools.OfWeb, Name: o.from.Hostname()})
		}
		r.Leads = append(r.Leads, o.leads...)
		if o.failed != "" {
			failures = append(failures, fmt.Sprintf("- %s: %s", o.url, tools.UntrustedLine(o.failed)))
			shown = append(shown, fmt.Sprintf("- `%s`: %s", o.url, o.failed))
			continue
		}
		got = append(got, o)
		shown = append(shown, fmt.Sprintf("- `%s`: %s", o.from, o.size()))
		if o.page.blob != nil {
			r.Blobs = append(r.Blobs, *o.page.blob)
		}
	}
	r.Display = strings.Join(shown, "\n")
	r.Summary = "Fetched " + fetched(f.outcomes, got)
	if len(got) == 0 {
		r.Err = tools.Errorf(tools.FetchFailure, "Nothing was fetched.\n%s", strings.Join(failures, "\n"))
		return r
	}
	r.Output, r.Shortened = compose(got, maxShown)
	if r.Shortened {
		r.Raw, _ = compose(got, maxKept)
	}
	if len(failures) > 0 {
		r.Output += "\n\nNot fetched:\n" + strings.Join(failures, "\n")
	}
	return r
}

// fetched counts what was fetched of all.
func fetched(all, got []*outcome) string {
	if len(all) == 1 && len(got) == 1 {
		return got[0].size()
	}
	return fmt.Sprintf("%d of %d addresses", len(got), len(all))
}

func (o *outcome) size() string {
	if o.page.blob != nil {
		return fmt.Sprintf("%s, %d bytes", o.page.kind, len(o.page.blob.Data))
	}
	return fmt.Sprintf("%d characters", len([]rune(o.page.text)))
}

// compose returns the pages one after another in at most that many bytes of
// text, which they share fairly: what short ones leave, longer ones get.
func compose(got []*outcome, most int) (text string, cut bool) {
	share := map[*outcome]int{}
	byLength := slices.SortedFunc(slices.Values(got), func(a, b *outcome) int { return cmp.Compare(len(a.page.text), len(b.page.text)) })
	for i, o := range byLength {
		share[o] = min(len(o.page.text), most/(len(byLength)-i))
		most -= share[o]
	}
	var parts []string
	for _, o := range got {
		head := "Source: " + o.from.String()
		if o.from.String() != o.url.String() {
			head += " (asked for as " + o.url.String() + ")"
		}
		if o.page.blob != nil {
			parts = append(parts, fmt.Sprintf("%s\n(%s, %d bytes) is attached.", head, o.page.kind, len(o.page.blob.Data)))
			continue
		}
		body := o.page.text
		if n := share[o]; n < len(body) {
			cut = true
			body = strings.ToValidUTF8(body[:n], "")
			head += fmt.Sprintf("\n(the first %d of %d bytes)", n, len(o.page.text))
		} else if o.page.cut {
			head += "\n(only the beginning: the page is too large)"
		}
		if o.page.title != "" {
			body = "Title: " + o.page.title + "\n\n" + body
		}
		parts = append(parts, head+"\n"+tools.EncloseUntrusted(body))
	}
	return strings.Join(parts, "\n\n"), cut
}
