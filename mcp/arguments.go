package mcp

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/tools"
)

// argumentsOf parses the arguments that the user typed after a prompt's name:
// --name=value or --name="two words", else by position. The last positional
// argument takes the rest of the text.
func argumentsOf(p *sdk.Prompt, typed string) (map[string]string, error) {
	values := map[string]string{}
	var rest []string // positional words
	for _, w := range wordsOf(typed) {
		name, value, named := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		if !strings.HasPrefix(w, "--") || !named {
			rest = append(rest, unquoted(w))
			continue
		}
		if !slices.ContainsFunc(p.Arguments, func(a *sdk.PromptArgument) bool { return a.Name == name }) {
			return nil, fmt.Errorf("unknown argument %s; %s", tools.ShownLine(name, 80), usageOf(p))
		}
		values[name] = unquoted(value)
	}
	var open []*sdk.PromptArgument
	for _, a := range p.Arguments {
		if _, ok := values[a.Name]; !ok {
			open = append(open, a)
		}
	}
	if len(rest) > 0 && len(open) == 0 {
		return nil, fmt.Errorf("too many arguments at %s; %s", tools.ShownLine(rest[0], 80), usageOf(p))
	}
	for i, a := range open {
		switch {
		case len(rest) == 0:
			if a.Required {
				return nil, fmt.Errorf("missing argument %s; %s", tools.ShownLine(a.Name, 80), usageOf(p))
			}
		case i == len(open)-1:
			values[a.Name], rest = strings.Join(rest, " "), nil
		default:
			values[a.Name], rest = rest[0], rest[1:]
		}
	}
	return values, nil
}

// usageOf describes the arguments of a prompt as a clause.
func usageOf(p *sdk.Prompt) string {
	if len(p.Arguments) == 0 {
		return "it takes no arguments"
	}
	return "its arguments are " + hintOf(p) + ", by position or as --name=value"
}

// wordsOf splits a text at white space, except in double quotes at the start of a
// word or after an equals sign.
func wordsOf(text string) (words []string) {
	var word strings.Builder
	quoted, before := false, ' '
	for _, r := range text {
		switch {
		case r == '"' && (quoted || unicode.IsSpace(before) || before == '='):
			quoted = !quoted
			word.WriteRune(r)
		case unicode.IsSpace(r) && !quoted:
			if word.Len() > 0 {
				words = append(words, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
		before = r
	}
	if word.Len() > 0 {
		words = append(words, word.String())
	}
	return words
}

// unquoted strips the quotes around a word.
func unquoted(word string) string {
	if inner, ok := strings.CutPrefix(word, `"`); ok {
		return strings.TrimSuffix(inner, `"`)
	}
	return word
}
