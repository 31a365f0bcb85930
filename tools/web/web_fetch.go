package web

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/web/address"
)

// FetchName is the name of the tool that fetches pages.
const FetchName = "web_fetch"

// NewFetch returns the tool that fetches pages.
func NewFetch(o Options) tools.Tool {
	return tools.Declare(tools.Spec{
		Name: FetchName, Display: "WebFetch", Kind: tools.Fetch,
		Aliases: []string{"WebFetch", "fetch", "fetch_url"}, Synonyms: map[string]string{"uri": "url", "address": "url"},
		FormerNames: []string{"WebFetchTool"}, ClaudeNames: []string{"WebFetch"},
		Needs: tools.Needs{Trust: true},
	}, pages, fetchParams, newClient(o).prepare)
}

type fetchArgs struct {
	URL    string `json:"url,omitempty" jsonschema:"One address."`
	Prompt string `json:"prompt,omitempty" jsonschema:"Instead of url: a text with up to 20 addresses, all of which are fetched."`
}

var fetchParams = tools.NewParams[fetchArgs]()

// addresses returns what a call asks for, each once.
func (a fetchArgs) addresses() ([]*url.URL, error) {
	if strings.TrimSpace(a.URL) != "" {
		u, err := address.Parse(a.URL)
		if err != nil {
			return nil, tools.Errorf(tools.InvalidParams, "invalid params: %v", err)
		}
		return []*url.URL{u}, nil
	}
	l, err := address.In(a.Prompt)
	switch {
	case err != nil:
		return nil, tools.Errorf(tools.InvalidParams, "invalid params: %v", err)
	case len(l) == 0:
		return nil, tools.Errorf(tools.InvalidParams, "invalid params: url is required, or a prompt that has addresses beginning with https://")
	case len(l) > maxAddresses:
		return nil, tools.Errorf(tools.InvalidParams, "invalid params: %d addresses; the limit is %d", len(l), maxAddresses)
	}
	return l, nil
}

func (c *client) prepare(_ context.Context, env tools.Env, args fetchArgs) (tools.Action, error) {
	all, err := args.addresses()
	if err != nil {
		return tools.Action{}, err
	}
	var f fetching
	for _, u := range all {
		if env.Redact != nil && env.Redact(u.String()) != u.String() {
			return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: an address contains a secret, which is never sent; remove it")
		}
		if address.Local(u) {
			f.outcomes = append(f.outcomes, &outcome{url: u, failed: u.Hostname() + " is not in the public network, and nothing else is fetched; try run_shell_command for a server on this machine"})
			continue
		}
		f.outcomes = append(f.outcomes, &outcome{url: u})
		f.approved = append(f.approved, u)
	}
	if len(f.approved) == 0 {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "cannot fetch %s: %s", all[0], f.outcomes[0].failed)
	}
	var urls []string
	for _, u := range f.approved {
		urls = append(urls, u.String())
	}
	title := "Fetch " + urls[0]
	if len(urls) > 1 {
		title = fmt.Sprintf("Fetch %d addresses", len(urls))
	}
	return tools.Action{
		Title:  title,
		Effect: tools.Sends{URLs: urls},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
			f.run(ctx, c)
			return f.result()
		},
	}, nil
}
