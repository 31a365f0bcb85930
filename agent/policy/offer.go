package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// answerPriority is the priority of answers, as in Gemini CLI's files.
const answerPriority = 950

// maxOffer limits the length of the words of a permanent answer, in bytes.
const maxOffer = 240

// offers returns the permanent answers to a question about a command: this
// exact command in this session, and more if every part that is asked about can
// be named by its words.
func (m *matching) offers(r tools.Runs, parts []shellcmd.Part, decided []PartDecision) []Offer {
	exact := m.answerRule()
	exact.Whole = LineOf(r)
	l := []Offer{{Scope: Session, What: "exactly this command", Rules: []*Rule{exact}}}
	var project, everywhere []*Rule
	var exactly, begin []string // as the user reads them
	for i, p := range parts {
		if decided[i].Kind == Allow {
			continue
		}
		words, ends, inside := m.prefix(p)
		if len(p.Offer) == 0 || !p.Known || len(p.Writes) > 0 || destroys(r, p) || !p.Covered(words) {
			return l
		}
		rule := m.answerRule()
		rule.Prefixes, rule.Ends = [][]string{words}, ends
		if slices.ContainsFunc(everywhere, rule.decidesSame) {
			continue
		}
		here := *rule
		here.Dir = r.Dir
		project, everywhere = append(project, &here), append(everywhere, rule)
		switch shown := "`" + quoted(words) + "`"; {
		case ends:
			exactly = append(exactly, shown)
		case inside:
			begin = append(begin, shown+" and stay in the workspace")
		default:
			begin = append(begin, shown)
		}
	}
	what := covered(exactly, begin)
	if what == "" || len(what) > maxOffer || tools.Shown(what) != what { // it would cover more than the user can read
		return l
	}
	return append(l, Offer{Scope: Project, What: what, Rules: project}, Offer{Scope: Everywhere, What: what, Rules: everywhere})
}

// The programs for which a person would allow every call that stays in the workspace: a
// rule does not cover paths outside, nor options that run or send something, unless it
// names them.
var (
	// runNothing run nothing of the project: they change files, or read and format them.
	runNothing = []string{
		"mkdir", "rmdir", "touch", "cp", "mv", "ln", "chmod",
		"gofmt", "gofumpt", "goimports", "rustfmt", "clang-format", "black", "isort", "autopep8", "yapf", "shfmt", "shellcheck", "jq",
	}
	// runProject run code of the project: its tests, or what its settings name.
	runProject = []string{"pytest", "mypy", "pylint", "flake8", "eslint", "prettier", "stylelint", "jest", "mocha", "ctest"}
)

// prefix returns the words that a permanent answer about a part begins with. ends: it covers
// these words alone; inside: it covers whatever follows them and stays in the workspace.
// Without a sandbox it covers no path outside and nothing that runs the project's code
// beyond the exact command.
func (m *matching) prefix(p shellcmd.Part) (words []string, ends, inside bool) {
	if len(p.Words) == 0 || p.Network { // further words might name further hosts
		return p.Words, true, false
	}
	name := p.Words[0]
	harmless := slices.Contains(runNothing, name)
	least := p.Words[:min(p.Least, len(p.Words))]
	inside = (harmless || slices.Contains(runProject, name)) && p.Names(len(least)) &&
		!slices.ContainsFunc(least[min(1, len(least)):], func(w string) bool { return !strings.HasPrefix(w, "-") })
	switch {
	case !m.call.Shell.holds() && !(harmless && inside):
		return p.Words, true, false
	case inside:
		return least, false, true
	}
	return p.Offer, false, false
}

// covered describes the commands that an answer covers.
func covered(exactly, begin []string) string {
	var l []string
	if len(exactly) > 0 {
		l = append(l, "exactly "+strings.Join(exactly, " or "))
	}
	if len(begin) > 0 {
		l = append(l, "commands that begin with "+strings.Join(begin, " or "))
	}
	return strings.Join(l, ", and ")
}

// offersOfCall returns the offer for a call that is not a command: exactly this
// call.
func (m *matching) offersOfCall() []Offer {
	switch m.call.Effect.(type) { //nolint:gochecksumtype // the traits of the others say it
	case tools.Calls:
		return m.offersOfServer()
	case tools.Samples:
		return m.offerOfSampling()
	}
	if !tools.TraitsOf(m.call.Effect).Repeatable {
		return nil
	}
	pattern := wholly(m.args.given())
	if len(pattern) > maxExpression {
		return nil
	}
	rule := m.answerRule()
	if rule.Args = regexp.MustCompile(pattern); !m.args.match(rule) { // its path leads elsewhere
		return nil
	}
	rule.Definition = m.call.definition()
	rules := []*Rule{rule}
	return []Offer{{Scope: Session, What: "exactly this call", Rules: rules}, {Scope: Project, What: "exactly this call", Rules: rules}, {Scope: Everywhere, What: "exactly this call", Rules: rules}}
}

// offersOfServer returns the offers for a call of a tool of an MCP server: the tool,
// as it is defined now, and in this session all tools of the server.
func (m *matching) offersOfServer() []Offer {
	at := m.call.Server
	if at == nil {
		return nil
	}
	tool, server := m.answerRule(), m.answerRule()
	tool.Server, tool.Definition = at.Server, at.Definition
	server.Server, server.Tools = at.Server, nil
	what := fmt.Sprintf("the tool %s of the server %s", tools.Shown(at.Tool), tools.Shown(at.Server))
	rules := []*Rule{tool}
	return []Offer{
		{Scope: Session, What: what, Rules: rules},
		{Scope: Session, What: "all tools of the server " + tools.Shown(at.Server), Rules: []*Rule{server}, Whole: true},
		{Scope: Project, What: what, Rules: rules},
		{Scope: Everywhere, What: what, Rules: rules},
	}
}

// offerOfSampling returns the offer for what a server wants of the model.
func (m *matching) offerOfSampling() []Offer {
	if m.call.Server == nil {
		return nil
	}
	rule := m.answerRule()
	rule.Server = m.call.Server.Server
	return []Offer{{Scope: Session, What: "answers of the model for the server " + tools.Shown(rule.Server), Rules: []*Rule{rule}}}
}

// answerRule returns the rule of an answer without its conditions. It applies
// in this mode and in those that ask less, and not without the current sandbox.
func (m *matching) answerRule() *Rule {
	r := &Rule{
		Tier: OfUser, Name: "your answer", Tools: []string{m.call.Tool}, Decision: Allow, Priority: answerPriority, Answer: true,
		Sandbox: m.call.Shell.holds(), Outside: m.line.outgrows != "",
	}
	_, runs := m.call.Effect.(tools.Runs)
	r.Sandbox = r.Sandbox && runs
	all := []Mode{Plan, Default, AutoEdit, Yolo}
	r.Modes = all[max(0, slices.Index(all, m.call.Mode)):]
	return r
}

// quoted returns words so that [split] parses them again.
func quoted(words []string) string {
	l := make([]string, len(words))
	for i, w := range words {
		l[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\`$&|;<>()*?[]{}#~!") {
			l[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(l, " ")
}

// split parses the words of a prefix as a shell would; false if a quote is not
// closed.
func split(s string) (words []string, ok bool) {
	var word strings.Builder
	begun := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
			continue
		case '\'', '"':
			end := i + 1
			for ; end < len(s) && s[end] != c; end++ {
				if c == '"' && s[end] == '\\' && end+1 < len(s) {
					end++
				}
				word.WriteByte(s[end])
			}
			if end >= len(s) {
				return nil, false
			}
			i = end
		case '\\':
			if i++; i == len(s) {
				return nil, false
			}
			word.WriteByte(s[i])
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	if begun {
		words = append(words, word.String())
	}
	return words, true
}
