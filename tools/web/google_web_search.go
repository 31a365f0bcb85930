package web

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/web/address"
)

// SearchName is the name of the tool that searches the web.
const SearchName = "google_web_search"

// maxQuery bounds a query, in characters: the user reads all of it.
const maxQuery = 400

// Search is the tool that searches the web through the model's provider.
var Search = tools.Declare(tools.Spec{
	Name: SearchName, Display: "GoogleSearch", Kind: tools.Fetch,
	Aliases: []string{"web_search", "WebSearch"}, Synonyms: map[string]string{"search_query": "query", "q": "query", "search_term": "query"},
	FormerNames: []string{"WebSearchTool"}, ClaudeNames: []string{"WebSearch"},
	Needs: tools.Needs{Trust: true, Search: true},
}, pages, tools.NewParams[searchArgs](), prepareSearch)

type searchArgs struct {
	Query string `json:"query" jsonschema:"What to find out, as a question or keywords."`
}

func prepareSearch(_ context.Context, env tools.Env, args searchArgs) (tools.Action, error) {
	query := visible.OneLine(args.Query)
	switch {
	case query == "":
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: query is empty")
	case utf8.RuneCountInString(query) > maxQuery:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: query: expected at most %d characters; shorten it", maxQuery)
	case env.Redact != nil && env.Redact(query) != query:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: query contains a secret, which is never sent; remove it")
	}
	return tools.Action{
		Title:  "Search the web for " + tools.Shown(query),
		Effect: tools.Sends{Provider: true},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
			if env.Search == nil {
				return tools.Result{Origin: tools.OfEmendo, Err: tools.Errorf(tools.SearchFailure, "cannot search: the model's provider has no search; use %s if you know an address", FetchName)}
			}
			found, err := env.Search(ctx, query)
			switch {
			case ctx.Err() != nil:
				return tools.CancelledResult("")
			case err != nil:
				return tools.Result{Origin: tools.OfEmendo, Err: tools.Errorf(tools.SearchFailure, "The search failed: %s", tools.UntrustedLine(err.Error()))}
			}
			text, sources := cited(found)
			return tools.Result{Output: tools.EncloseUntrusted(text), Display: text, Origin: tools.OfWeb, From: []tools.Author{{Origin: tools.OfWeb, Name: "a web search"}}, Leads: leads(found), Summary: fmt.Sprintf("Found %d sources", sources)}
		},
	}, nil
}

// leads returns the addresses of the pages that support an answer.
func leads(f tools.Found) []tools.Lead {
	var l []tools.Lead
	for _, s := range f.Sources {
		if u, err := address.Parse(s.URL); err == nil && s.URL != "" {
			l = append(l, tools.Lead{To: u.String()})
		}
	}
	return l
}
