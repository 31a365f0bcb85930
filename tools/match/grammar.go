package match

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// grammar is the little that placeholders need to know of a language: which text is
// comment or string over several lines, and where dots are part of it.
type grammar struct {
	prose bool // dots and examples are part of such files
	// dots: a line of three dots is an expression or a statement.
	dots   bool
	block  bool // it is one only alone in its block
	spans  []span
	quotes string // delimit strings within one line
	note   string // begins a comment to the end of the line
}

// span is a kind of comment or string that may have several lines. A span that is
// whole begins and ends with lines that begin so.
type span struct {
	open, shut string
	whole      bool
}

var (
	slashes = span{"/*", "*/", false}
	triple  = []span{{`"""`, `"""`, false}, {"'''", "'''", false}}
	tick    = span{"`", "`", false}

	cLike      = grammar{spans: []span{slashes}, quotes: `"'`, note: "//"}
	withTick   = grammar{spans: []span{slashes, tick}, quotes: `"'`, note: "//"}
	withTriple = grammar{spans: []span{slashes, triple[0]}, quotes: `"`, note: "//"}
	rust       = grammar{spans: []span{slashes}, note: "//"}
	python     = grammar{dots: true, block: true, spans: triple, quotes: `"'`, note: "#"}
	stubs      = grammar{dots: true, spans: triple, quotes: `"'`, note: "#"}
	hash       = grammar{spans: triple, quotes: `"`, note: "#"}
	ruby       = grammar{dots: true, spans: []span{{"=begin", "=end", true}}, quotes: `"'`, note: "#"}
	perl       = grammar{dots: true, spans: []span{{"=", "=cut", true}}, quotes: `"'`, note: "#"}
	dotted     = grammar{dots: true, quotes: `"'`, note: "#"}
	lua        = grammar{dots: true, spans: []span{{"--[[", "]]", false}, {"[[", "]]", false}}, quotes: `"'`, note: "--"}
	sql        = grammar{spans: []span{slashes, {"{-", "-}", false}}, quotes: `"'`, note: "--"}
	lisp       = grammar{spans: []span{{`"`, `"`, false}, {"#|", "|#", false}}, note: ";"}
	markup     = grammar{dots: true}
	percent    = grammar{note: "%"}
	prose      = grammar{prose: true, spans: []span{{"```", "```", true}, {"~~~", "~~~", true}}}
)

// grammars are the grammars of files by their extension or, without one, their
// name. Every other file is prose.
var grammars = sync.OnceValue(func() map[string]*grammar {
	all := map[string]*grammar{}
	for list, g := range map[string]*grammar{
		".c .h .cc .cpp .cxx .hh .hpp .hxx .inl .m .mm .cu .css .scss .less .proto .d .v .sv .zig .glsl .wgsl .sol .gradle .json .json5 .jsonc .php": &cLike,
		".go .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .astro":                                                                              &withTick,
		".java .kt .kts .scala .swift .cs .dart .groovy .fs .fsx":                                                                                    &withTriple,
		".rs": &rust,
		".py": &python, ".pyi": &stubs,
		".sh .bash .zsh .fish .toml .ini .cfg .conf .mk .cmake .tf .hcl .nix .ps1 .ex .exs .cr .nim .tcl .awk makefile gnumakefile dockerfile": &hash,
		".rb .rake gemfile rakefile":     &ruby,
		".pl .pm .t":                     &perl,
		".r .jl .yaml .yml":              &dotted,
		".lua":                           &lua,
		".sql .hs .elm .ads .adb":        &sql,
		".lisp .el .clj .cljs .scm .rkt": &lisp,
		".html .htm .xhtml .xml .xaml .svg .jsp .erb .hbs .twig": &markup,
		".erl .hrl": &percent,
	} {
		for name := range strings.FieldsSeq(list) {
			all[name] = g
		}
	}
	return all
})

func grammarOf(name string) grammar {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	key := path.Ext(base)
	if key == "" {
		key = base
	}
	if g := grammars()[key]; g != nil {
		return *g
	}
	return prose
}

// dotsAreCode reports whether line no, of three dots, is part of the language there.
func (g grammar) dotsAreCode(lines []line, no int) bool {
	last, before := no-1, ""
	for ; last >= 0; last-- {
		if before = g.withoutNote(lines[last].body); before != "" {
			break
		}
	}
	if last < 0 {
		return g.dots
	}
	if strings.Contains(",([{", before[len(before)-1:]) {
		return g.dots || !strings.HasSuffix(before, "{") // goes on with a list
	}
	if !g.block {
		return g.dots
	}
	// A statement of the same block, other than the one that says what it is.
	stands := parse(lines[last].body).indent == parse(lines[no].body).indent
	return !stands || strings.Contains(`"':@`, before[len(before)-1:]) || strings.HasPrefix(before, "@")
}

// withoutNote returns a line without white space around it and a comment at its end,
// as far as that is easily seen.
func (g grammar) withoutNote(s string) string {
	if at := strings.Index(s, g.note); at >= 0 && g.note != "" {
		s = s[:at]
	}
	if at := strings.Index(s, "/*"); at >= 0 && strings.HasSuffix(strings.TrimSpace(s), "*/") && slices.Contains(g.spans, slashes) {
		s = s[:at]
	}
	return strings.TrimSpace(s)
}

// within reports for each line whether it begins inside a comment or a string that
// an earlier line began.
func (g grammar) within(lines []line) []bool {
	in := make([]bool, len(lines))
	var open *span
	for no, l := range lines {
		in[no] = open != nil
		switch {
		case open == nil || !open.whole:
			open = g.after(l.body, open)
		case strings.HasPrefix(strings.TrimLeft(l.body, " \t"), open.shut):
			open = nil
		}
	}
	return in
}

// after returns the span that is open after a line, given the one before it.
func (g grammar) after(s string, open *span) *span {
	for i := 0; i <= len(s); i++ {
		if open != nil {
			at := strings.Index(s[i:], open.shut)
			if at < 0 {
				return open
			}
			i += at + len(open.shut)
			open = nil
		}
		if i >= len(s) {
			return nil
		}
		if g.note != "" && strings.HasPrefix(s[i:], g.note) && g.opens(s, i) == nil {
			return nil
		}
		switch {
		case s[i] == '\\':
			i++
		case g.opens(s, i) != nil:
			if open = g.opens(s, i); open.whole {
				return open
			}
			i += len(open.open) - 1
		case strings.IndexByte(g.quotes, s[i]) >= 0:
			for k := i + 1; k < len(s); k++ {
				if s[k] == '\\' {
					k++
				} else if s[k] == s[i] {
					i = k
					break
				}
			}
		}
	}
	return open
}

// opens returns the span that begins at offset i of a line, or nil.
func (g grammar) opens(s string, i int) *span {
	for k, p := range g.spans {
		at := i == 0 || isBlank(s[:i]) && p.open != "="
		if strings.HasPrefix(s[i:], p.open) && (!p.whole || at) && (p.open != "=" || len(s) > 1 && s[1] >= 'a' && s[1] <= 'z') {
			return &g.spans[k]
		}
	}
	return nil
}
