package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// runner runs a built-in command.
type runner struct {
	session *state.Session
	turn    *state.Conversation // of the session
	host    Host
}

// builtIn is a command that emendo runs itself.
type builtIn struct {
	transcript.Command
	// run runs the command and returns its output in Markdown, which includes
	// mistakes of the user. An error comes from the provider or the disk.
	run func(r runner, ctx context.Context, args string) (string, error)
}

// builtIns returns the built-in commands in the order of the help.
func builtIns() []builtIn {
	c := func(name, hint, description string, run func(runner, context.Context, string) (string, error)) builtIn {
		return builtIn{Command: transcript.Command{Name: name, Description: description, Hint: hint}, run: run}
	}
	return []builtIn{
		c("help", "", "List the slash commands.", runner.help),
		c("commands", "[reload]", "List the custom commands, with their files.", runner.showCommands),
		c("skills", "[reload]", "List the skills, with their files.", runner.showSkills),
		c("agents", "[reload]", "List the agents, with their files.", runner.showAgents),
		c("context", "[exclude | include KIND or FILE]", "Show what is sent to the model, or exclude a kind or file from it.", runner.showContext),
		c("compact", "[WHAT TO KEEP]", "Summarize the older part of the conversation. This asks the model.", runner.compact),
		c("memory", "[add FACT]", "Show the context files and saved facts, or save a fact.", runner.showMemory),
		c("mode", "[default | auto_edit | plan | yolo]", "Show or change the approval mode.", runner.changeMode),
		c("plan", "", "Switch to plan mode: no changes until you approve a plan.", runner.beginPlanning),
		c("model", "[NAME]", "Show or change the model.", runner.changeModel),
		c("putback", "[FILE]", "Put back what was moved aside since a command had made it.", runner.putBack),
		c("rename", "TITLE", "Rename the session.", runner.rename),
		c("summarize", "", "Summarize the session in one line, for lists. This asks the model.", runner.summarize),
		c("mcp", "[SERVER]", "Show the MCP servers, with their states and tools.", runner.showServers),
		c("usage", "", "Show how many tokens the session has used.", runner.showUsage),
	}
}

func (t runner) help(ctx context.Context, _ string) (string, error) {
	var b strings.Builder
	b.WriteString("Built-in commands, which the model does not see:\n\n")
	list := func(c transcript.Command) {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("/"+c.Name+" "+c.Hint), c.Description)
	}
	for _, c := range BuiltIn() {
		list(c)
	}
	if l := custom(ctx, t.session.Site()).Commands; len(l) > 0 {
		b.WriteString("\nCustom commands; `/commands` lists their files:\n\n")
		for _, c := range l {
			list(c.Command)
		}
	}
	if l := served(t.session, nil); len(l) > 0 {
		b.WriteString("\nPrompts of MCP servers:\n\n")
		for _, c := range l {
			list(c)
		}
	}
	b.WriteString("\nAny other prompt is sent to the model.")
	return b.String(), nil
}

// showCommands lists the custom commands with their files, read again as for every
// use.
func (t runner) showCommands(ctx context.Context, _ string) (string, error) {
	set := custom(ctx, t.session.Site())
	var rows []string
	for _, c := range set.Commands {
		rows = append(rows, fmt.Sprintf("| `/%s` | %s | %s | %s |", c.Name, tableCell(c.Description), c.Scope.With(c.Extension), state.MarkdownCode(c.File)))
	}
	return t.listing("No custom commands. To add one, write a prompt to `.emendo/commands/NAME.toml`.", "command | | source | file", rows, set.Problems,
		"project commands are not loaded, and no command runs a program")
}

// showSkills lists the skills with their files, as they are now.
func (t runner) showSkills(ctx context.Context, _ string) (string, error) {
	set := t.session.Skills(ctx)
	var rows []string
	for _, s := range set.List {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |", tableCell(s.Name), tableCell(visible.Short(s.Description, 200)), s.Scope.With(s.Extension), state.MarkdownCode(s.File)))
	}
	return t.listing("No skills. To add one, write `.emendo/skills/NAME/SKILL.md`.", "skill | | source | file", rows, set.Problems, "project skills are not loaded")
}

// showAgents lists the subagents with their files, as they are now.
func (t runner) showAgents(ctx context.Context, _ string) (string, error) {
	set := subagent.Of(ctx, t.session)
	var rows []string
	for _, a := range set.Agents {
		names := cmp.Or(strings.Join(a.ToolNames(), ", "), "all")
		if a.Remote != nil {
			names = "remote, at " + state.MarkdownCode(a.Remote.Place())
		}
		if servers := slices.Sorted(maps.Keys(a.Servers)); len(servers) > 0 {
			names += "; from its MCP servers " + tableCell(strings.Join(servers, ", "))
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |", a.Name, tableCell(visible.Short(a.Description, 200)), names, a.Scope.With(a.Extension), state.MarkdownCode(a.File)))
	}
	return t.listing("No agents: the settings disable them.", "agent | | tools | source | file", rows, set.Problems, "project agents are not loaded")
}

// listing returns a table of what files define, and what is wrong with files. none stands for
// a table without rows, and restricted says what a restricted folder is without.
func (t runner) listing(none, columns string, rows, problems []string, restricted string) (string, error) {
	text := none + "\n"
	if len(rows) > 0 {
		text = "| " + columns + " |\n|" + strings.Repeat(" --- |", strings.Count(columns, "|")+1) + "\n" + strings.Join(rows, "\n") + "\n"
	}
	if len(problems) > 0 {
		text += "\n- " + strings.Join(problems, "\n- ") + "\n"
	}
	if !t.session.Trusted() {
		text += "\nThe folder is restricted: " + restricted + ".\n"
	}
	return text, nil
}

// tableCell escapes a text for a cell of a Markdown table.
func tableCell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func (t runner) changeMode(_ context.Context, args string) (string, error) {
	s := t.session
	if args == "" {
		var b strings.Builder
		fmt.Fprintf(&b, "The mode is `%s`. Modes:\n\n", s.Info().Mode)
		for _, m := range policy.Modes() {
			fmt.Fprintf(&b, "- `/mode %s`: %s\n", m.ID, m.Description)
		}
		return b.String(), nil
	}
	m, err := policy.ParseMode(args)
	if err != nil {
		return state.Sentence(err), nil
	}
	switch err := s.SetMode(m); {
	case errors.Is(err, transcript.ErrUntrusted):
		return state.Sentence(err), nil
	case err != nil:
		return "", err
	}
	i := slices.IndexFunc(policy.Modes(), func(o policy.ModeInfo) bool { return o.ID == m })
	return fmt.Sprintf("The mode is now `%s`. %s", m, policy.Modes()[i].Description), nil
}

func (t runner) beginPlanning(ctx context.Context, args string) (string, error) {
	text, err := t.changeMode(ctx, string(policy.Plan))
	if args != "" && err == nil {
		text += " Send the task as a separate prompt."
	}
	return text, err
}

func (t runner) changeModel(_ context.Context, name string) (string, error) {
	s := t.session
	if name == "" {
		return fmt.Sprintf("The model is `%s`. Change it with `/model NAME`.", s.Info().Model), nil
	}
	var me *model.Error
	if _, _, err := s.Agent.Choices().Generator(name); err != nil && (!errors.As(err, &me) || me.Kind != model.Auth) {
		return state.Sentence(err), nil
	}
	if err := s.SetModel(name); err != nil {
		return "", err
	}
	return fmt.Sprintf("The model is now `%s`.", name), nil
}

func (t runner) rename(_ context.Context, title string) (string, error) {
	if transcript.CleanTitle(title, transcript.GivenTitle) == "" {
		return "A title is required: `/rename TITLE`.", nil
	}
	if err := t.session.Rename(title); err != nil {
		return "", err
	}
	return fmt.Sprintf("Renamed the session to %q.", t.session.Info().Title), nil
}

func (t runner) showUsage(context.Context, string) (string, error) {
	i := t.session.Info()
	u := i.Usage
	cost := ""
	switch {
	case u.Priced > 0 && u.Priced < u.Total:
		cost = fmt.Sprintf(" They cost at least $%.4f by the published prices; those of %d tokens are not known.", u.Cost, u.Total-u.Priced)
	case u.Priced > 0:
		cost = fmt.Sprintf(" They cost about $%.4f by the published prices.", u.Cost)
	}
	left := ""
	if who, err := t.session.Agent.ResolveModel(i.Model); err == nil {
		if a, ok := model.As[model.Allower](who.Gen); ok {
			if left = model.DescribeAllowances(a.Allowances(), time.Now()); left != "" {
				left = "\n\n" + left
			}
		}
	}
	return fmt.Sprintf("| tokens | |\n| --- | ---: |\n| in | %d |\n| of them cached | %d |\n| out | %d |\n| thoughts | %d |\n| all | %d |\n\n%s, and the model takes %d at once.%s%s",
		u.Input, u.Cached, u.Output, u.Thought, u.Total, tools.Count(i.Turns, "turn", "turns"), u.ContextLimit, cost, left), nil
}

func (t runner) showServers(_ context.Context, name string) (string, error) {
	if name == "list" { // as on the command line
		name = ""
	}
	if all := t.session.Servers(); all != nil {
		return all.Describe(name), nil
	}
	return "No MCP servers.", nil
}

func (t runner) compact(ctx context.Context, focus string) (string, error) {
	r, err := t.host.Compact(ctx, focus)
	switch r.Status {
	case compact.Compacted, compact.ContentTruncated:
		return fmt.Sprintf("Compacted: a request now takes about %d tokens, down from %d.", r.After, r.Before), err
	case compact.Noop:
		return "There is nothing to summarize yet.", err
	case compact.Inflated, compact.Empty, compact.Failed:
		return "The summary was not usable, so the conversation is unchanged.", err
	}
	return "", err
}

func (t runner) showMemory(ctx context.Context, args string) (string, error) {
	s := t.session
	verb, fact, _ := strings.Cut(args, " ")
	switch {
	case verb == "add" && briefing.Clean(fact) != "":
		save := s.Briefing.Remember()
		if save == nil || !s.Trusted() {
			return "Facts cannot be saved for a restricted folder. Trust it first.", nil
		}
		if err := save(fact); err != nil {
			return state.Sentence(err), nil
		}
		return "Saved. It is sent with every prompt in this workspace.", nil
	case args != "":
		return "`/memory` shows the context files and saved facts; `/memory add FACT` saves a fact.", nil
	}
	var b strings.Builder
	for _, f := range s.Briefing.Files(ctx) {
		if f.Scope == "saved" {
			fmt.Fprintf(&b, "- %s, saved facts:\n\n%s\n", state.MarkdownCode(f.Path), state.Indent(f.Text))
		} else {
			fmt.Fprintf(&b, "- %s, %s\n", state.MarkdownCode(f.Path), tools.Count(len(f.Text), "byte", "bytes"))
		}
	}
	if b.Len() == 0 {
		return "No context files and no saved facts.", nil
	}
	return "Sent to the model with every prompt:\n\n" + b.String(), nil
}

// showContext lists the content of the next request without the prompt, or changes
// what is excluded from it.
func (t runner) showContext(ctx context.Context, args string) (string, error) {
	s := t.session
	verb, what, _ := strings.Cut(args, " ")
	what = strings.TrimSpace(what)
	switch {
	case args == "":
	case what != "" && (verb == "exclude" || verb == "include"):
		e := exclusionOf(s, what)
		if err := e.Check(); err != nil {
			return state.Sentence(err), nil
		}
		if err := s.Exclude(e, verb == "exclude"); err != nil {
			return "", err
		}
	default:
		return "`/context` shows what is sent to the model; `/context exclude` and `/context include` take a kind or a file.", nil
	}
	return contextTable(t.host.Items(ctx)) + exclusionsText(s), nil
}

// exclusionOf parses what the user excludes: the name of a kind, or a file.
func exclusionOf(s *state.Session, what string) transcript.Exclusion {
	if _, ok := transcript.Reasons[what]; ok || slices.Contains(transcript.Excludable, what) {
		return transcript.Exclusion{Kind: what}
	}
	if !filepath.IsAbs(what) {
		what = filepath.Join(s.Started.Cwd, what)
	}
	return transcript.Exclusion{Path: disk.RealPath(what)}
}

// contextTable lists the context items. The modules of the system prompt share a
// row.
func contextTable(items []transcript.ContextItem) string {
	var rows []transcript.ContextItem
	total := 0
	for _, i := range items {
		total += i.Size
		if n := len(rows); i.Kind == transcript.KindSystem && n > 0 && rows[n-1].Kind == transcript.KindSystem {
			rows[n-1].Size += i.Size
			continue
		} else if i.Kind == transcript.KindSystem {
			i.Source = ""
		}
		rows = append(rows, i)
	}
	var b strings.Builder
	b.WriteString("| kind | source | bytes | why |\n| --- | --- | ---: | --- |\n")
	for _, i := range rows {
		fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", i.Kind, state.MarkdownCode(i.Source), i.Size, i.Reason)
	}
	fmt.Fprintf(&b, "\n%d bytes in total, without your next prompt.\n", total)
	return b.String()
}

// exclusionsText lists what is excluded.
func exclusionsText(s *state.Session) string {
	left := s.Record.Exclusions()
	if len(left) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nExcluded:\n\n")
	for _, e := range left {
		switch {
		case e.Path == "":
			fmt.Fprintf(&b, "- everything of kind %s\n", e.Kind)
		case e.Kind == "":
			fmt.Fprintf(&b, "- %s\n", state.MarkdownCode(e.Path))
		default:
			fmt.Fprintf(&b, "- %s as %s\n", state.MarkdownCode(e.Path), e.Kind)
		}
	}
	return b.String()
}

// putBack puts back what was moved aside: a file, or all.
func (t runner) putBack(_ context.Context, name string) (string, error) {
	if name != "" && !filepath.IsAbs(name) {
		name = filepath.Join(t.session.Started.Cwd, name)
	}
	back, err := t.session.Asides.PutBack(name)
	var b strings.Builder
	for _, m := range back {
		fmt.Fprintf(&b, "- %s is back.\n", state.MarkdownCode(m.From))
	}
	if err != nil {
		fmt.Fprintf(&b, "- %s\n", err)
	}
	if b.Len() == 0 {
		return "Nothing is there to put back.", nil
	}
	return b.String(), nil
}
