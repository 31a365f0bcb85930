package turn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// slash runs the slash commands of a turn.
type slash struct{ *Turn }

// command is a slash command with its arguments.
type command struct {
	transcript.Command
	args string
	// run runs the command and returns the answer, in Markdown. Mistakes of the user
	// are such an answer; an error comes from the provider or the disk.
	run func(t slash, ctx context.Context, args string) (string, error)
}

// slashCommands returns the commands that the agent runs itself, in the order of
// the help.
func slashCommands() []command {
	c := func(name, hint, description string, run func(slash, context.Context, string) (string, error)) command {
		return command{Command: transcript.Command{Name: name, Description: description, Hint: hint}, run: run}
	}
	return []command{
		c("help", "", "List these commands.", slash.help),
		c("context", "[exclude | include KIND or FILE]", "Show what the model is given, and leave kinds or files out of it.", slash.showContext),
		c("compact", "[WHAT TO KEEP]", "Have the older part of the conversation summed up. The model is asked for that.", slash.compact),
		c("memory", "[add FACT]", "Show what is written down for the model, or save a fact.", slash.showMemory),
		c("mode", "[default | auto_edit | plan | yolo]", "Show or change how much is asked.", slash.changeMode),
		c("plan", "", "Plan, and change nothing until the plan is approved.", slash.beginPlanning),
		c("model", "[NAME]", "Show or change the model that answers from the next prompt on.", slash.changeModel),
		c("rename", "TITLE", "Give the session another title.", slash.rename),
		c("summarize", "", "Have a line written of what the session was about, for lists. The model is asked for that.", slash.summarize),
		c("usage", "", "Show how many tokens the session has taken.", slash.showUsage),
	}
}

// Commands returns the slash commands that every session has.
func Commands() []transcript.Command {
	var l []transcript.Command
	for _, c := range slashCommands() {
		l = append(l, c.Command)
	}
	return l
}

// ErrUnknownCommand reports a prompt that begins like a slash command and names
// none.
var ErrUnknownCommand = errors.New("unknown command")

// parseSlash returns the name and the arguments of a prompt whose first block is a
// text that begins with a slash and a word.
func parseSlash(p state.Prompt) (name, args string, ok bool) {
	if len(p.Blocks) == 0 || p.Blocks[0].Type != transcript.TextBlock {
		return "", "", false
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(p.Blocks[0].Text), "/")
	if !ok {
		return "", "", false
	}
	name = text
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		name, args = text[:i], strings.TrimSpace(text[i:])
	}
	return name, args, true
}

var commandName = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*$`)

// checkCommand returns an error if a prompt names a command that does not exist,
// so that it does not reach the model. A path is not a command.
func checkCommand(p state.Prompt) error {
	name, _, ok := parseSlash(p)
	if !ok || !commandName.MatchString(name) {
		return nil
	}
	var names []string
	for _, c := range slashCommands() {
		names = append(names, c.Name)
	}
	if slices.Contains(names, name) {
		return nil
	}
	if _, err := os.Lstat("/" + name); err == nil {
		return nil
	}
	hint := "/help lists the commands"
	if near, letters := spelling.Nearest(name, names); letters <= 2 {
		hint = fmt.Sprintf("did you mean /%s?", near)
	}
	return fmt.Errorf("%w /%s; %s", ErrUnknownCommand, name, hint)
}

// CommandOf returns the slash command of a prompt whose first block is a text that
// begins with a slash and the command's name. If the command takes no arguments and
// has some, the prompt is for the model.
func CommandOf(p state.Prompt) (command, bool) {
	name, args, ok := parseSlash(p)
	if !ok {
		return command{}, false
	}
	for _, c := range slashCommands() {
		if c.Name == name {
			c.args = args
			return c, args == "" || c.Hint != "" || c.Name == "plan" // a plan that is not begun in plan mode would be carried out
		}
	}
	return command{}, false
}

// runCommand runs a command as a turn that the model does not see.
func (t slash) runCommand(ctx context.Context, c command) (state.Ended, error) {
	s := t.Session
	id := s.Agent.Options.NewID()
	for _, b := range t.prompt.Blocks {
		t.EmitSynced(transcript.UserChunk{MessageID: id, Block: b, Aside: true})
	}
	text, err := "", context.Cause(ctx)
	if ctx.Err() == nil {
		text, err = c.run(t, ctx, c.args)
	}
	over := transcript.TurnEnded{StopReason: transcript.EndTurn, Aside: true}
	switch {
	case ctx.Err() != nil:
		over.StopReason, err = transcript.StopCancelled, nil
	case err != nil:
		over.StopReason = transcript.StopError
		t.Emit(transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: fmt.Sprintf("/%s was not done", c.Name), Description: err.Error()})
	default:
		t.text = text
		t.Emit(transcript.Text{MessageID: s.Agent.Options.NewID(), Text: text, Aside: true})
	}
	return t.end(over, err)
}

func (slash) help(context.Context, string) (string, error) {
	var b strings.Builder
	b.WriteString("emendo runs these itself; the model does not see them:\n\n")
	for _, c := range Commands() {
		fmt.Fprintf(&b, "- `%s`: %s\n", strings.TrimSpace("/"+c.Name+" "+c.Hint), c.Description)
	}
	b.WriteString("\nEverything else goes to the model as it is.")
	return b.String(), nil
}

func (t slash) changeMode(_ context.Context, args string) (string, error) {
	s := t.Session
	if args == "" {
		var b strings.Builder
		fmt.Fprintf(&b, "The mode is `%s`. There are:\n\n", s.Info().Mode)
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
	return fmt.Sprintf("The mode is `%s` now. %s", m, policy.Modes()[i].Description), nil
}

func (t slash) beginPlanning(ctx context.Context, args string) (string, error) {
	text, err := t.changeMode(ctx, string(policy.Plan))
	if args != "" && err == nil {
		text += " Send what is to be planned as a prompt of its own."
	}
	return text, err
}

func (t slash) changeModel(_ context.Context, name string) (string, error) {
	s := t.Session
	if name == "" {
		return fmt.Sprintf("The model is `%s`. `/model NAME` has another one answer from the next prompt on.", s.Info().Model), nil
	}
	var me *model.Error
	if _, _, err := s.Agent.Choices().Generator(name); err != nil && (!errors.As(err, &me) || me.Kind != model.Auth) {
		return state.Sentence(err), nil
	}
	if err := s.SetModel(name); err != nil {
		return "", err
	}
	return fmt.Sprintf("`%s` answers from the next prompt on.", name), nil
}

func (t slash) rename(_ context.Context, title string) (string, error) {
	if transcript.CleanTitle(title, transcript.GivenTitle) == "" {
		return "Say which title: `/rename TITLE`.", nil
	}
	if err := t.Session.Rename(title); err != nil {
		return "", err
	}
	return fmt.Sprintf("The session is called %q now.", t.Session.Info().Title), nil
}

func (t slash) showUsage(context.Context, string) (string, error) {
	i := t.Session.Info()
	u := i.Usage
	return fmt.Sprintf("| tokens | |\n| --- | ---: |\n| in | %d |\n| of them cached | %d |\n| out | %d |\n| thoughts | %d |\n| all | %d |\n\n%s, and the model takes %d at once.",
		u.Input, u.Cached, u.Output, u.Thought, u.Total, state.Count(i.Turns, "turn"), u.ContextLimit), nil
}

func (t slash) compact(ctx context.Context, focus string) (string, error) {
	s := t.Session
	told := transcript.Compaction{ID: s.Agent.Options.NewID(), Status: compacting}
	t.Emit(told)
	done, err := t.Compactor.SumUp(ctx, focus, func(e transcript.Shortened) error { t.Emit(e); return nil })
	told.Status, told.OriginalTokens, told.NewTokens = compactionFails, done.Before, done.After
	var text string
	switch compact.Status(done.Status) {
	case compact.Compacted, compact.ContentTruncated:
		told.Status = compacted
		text = fmt.Sprintf("A request takes about %d tokens now, where it took %d.", done.After, done.Before)
	case compact.Noop:
		told.Status = compacted
		text = "There is nothing to sum up yet."
	case compact.Inflated, compact.Empty, compact.Failed:
		text = "The summary was of no use, so the conversation stays as it is."
	}
	t.Emit(told)
	return text, err
}

func (t slash) showMemory(ctx context.Context, args string) (string, error) {
	s := t.Session
	verb, fact, _ := strings.Cut(args, " ")
	switch {
	case verb == "add" && memory.Clean(fact) != "":
		save := s.Briefing.Remember()
		if save == nil || !s.Trusted() {
			return "Nothing is saved for a folder that is restricted: trust it first.", nil
		}
		if err := save(fact); err != nil {
			return state.Sentence(err), nil
		}
		return "Saved. Every later prompt in this workspace carries it.", nil
	case args != "":
		return "`/memory` shows what is written down; `/memory add FACT` saves a fact.", nil
	}
	var b strings.Builder
	for _, f := range s.Briefing.Files(ctx) {
		if f.Scope == "saved" {
			fmt.Fprintf(&b, "- %s, saved on your word:\n\n%s\n", state.MarkdownCode(f.Path), state.Indent(f.Text))
		} else {
			fmt.Fprintf(&b, "- %s, %s\n", state.MarkdownCode(f.Path), state.Count(len(f.Text), "byte"))
		}
	}
	if b.Len() == 0 {
		return "Nothing is written down for the model here.", nil
	}
	return "The model is given, with every prompt:\n\n" + b.String(), nil
}

// showContext lists the content of the next request without the prompt, or changes
// what is excluded from it.
func (t slash) showContext(ctx context.Context, args string) (string, error) {
	s := t.Session
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
		return "`/context` shows what the model is given; `/context exclude` and `/context include` take a kind or a file.", nil
	}
	files := s.Briefing.Files(ctx)
	_, said := t.Messages()
	modules, specs := t.Instructor.systemPrompt(files)
	return contextTable(briefing.Items(modules, files, specs, said)) + exclusionsText(s), nil
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

// contextTable lists the context items. The modules of the system prompt are one
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
	fmt.Fprintf(&b, "\n%d bytes in all, before your next prompt.\n", total)
	return b.String()
}

// exclusionsText lists what is excluded.
func exclusionsText(s *state.Session) string {
	left := s.Exclusions()
	if len(left) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nLeft out:\n\n")
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
