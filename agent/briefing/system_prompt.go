package briefing

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/tools/shell"
)

// Facts are what the modules depend on.
type Facts struct {
	Mode    string             // as sessions name it: default, auto_edit, plan, yolo
	Trusted bool               // the folder may act
	Watched bool               // someone is there to ask, or to review edits
	Git     bool               // the session's folder is in a repository
	Plans   string             // the session's folder of plans, while it plans and a plan can be approved
	Sandbox string             // the letter of the level that commands are held at, C for none
	Unasked bool               // commands run unasked in the sandbox
	Tools   []string           // names of what the model may call
	Files   []File             // what the user and the project have written down
	Skills  []definition.Skill // that the model can activate
}

// maxSkills bounds the list of skills, in bytes.
const maxSkills = 12 << 10

// SkillList returns the skills as a list, one a line.
func (f Facts) SkillList() string {
	var b strings.Builder
	for i, s := range f.Skills {
		line := fmt.Sprintf("- %s: %s (%s)\n", s.Name, s.Description, s.File)
		if b.Len()+len(line) > maxSkills {
			fmt.Fprintf(&b, "- and %d more: activate_skill names them\n", len(f.Skills)-i)
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// Offers reports whether the model may call the tool of that name.
func (f Facts) Offers(tool string) bool { return slices.Contains(f.Tools, tool) }

// Runs reports whether commands may run.
func (f Facts) Runs() bool {
	return f.Trusted && f.Mode != "plan" && f.Offers(shell.Name)
}

// Sandboxed reports whether commands run in a sandbox.
func (f Facts) Sandboxed() bool { return f.Sandbox == "A" || f.Sandbox == "B" }

// Applies reports whether edits are applied without approval.
func (f Facts) Applies() bool { return f.Trusted && (f.Mode == "auto_edit" || f.Mode == "yolo") }

// PromptOptions say what of the system prompt is the user's own.
type PromptOptions struct {
	// Off says that the module of that name, one of [ModuleNames], is left out; nil:
	// none is.
	Off func(name string) bool
	// Replacement stands for all modules but memory, unless it is empty.
	Replacement string
}

// Module is a part of the system prompt.
type Module struct {
	Name string
	Text string
}

// module is a page with the case in which it is read.
type module struct {
	name, page string
	applies    func(Facts) bool
}

func always(Facts) bool { return true }

// modules are all there are, in their order. The names are those that users
// switch by.
var modules = []module{
	{"preamble", "preamble.md", always},
	{"coreMandates", "core_mandates.md", always},
	{"givenContext", "given_context.md", always},
	{"planningWorkflow", "planning_workflow.md", func(f Facts) bool { return f.Mode == "plan" }},
	{"primaryWorkflows", "primary_workflows.md", func(f Facts) bool { return f.Mode != "plan" }},
	{"taskTracker", "task_tracker.md", func(f Facts) bool {
		return f.Mode != "plan" && (f.Offers("write_todos") || f.Offers("tracker_create_task"))
	}},
	{"agentSkills", "skills.md", func(f Facts) bool { return len(f.Skills) > 0 }},
	{"operationalGuidelines", "operational_guidelines.md", always},
	{"interactiveYoloMode", "interactive_yolo_mode.md", func(f Facts) bool { return f.Mode == "yolo" && f.Trusted }},
	{"restricted", "restricted.md", func(f Facts) bool { return !f.Trusted }},
	{"unattended", "unattended.md", func(f Facts) bool { return !f.Watched }},
	{"sandbox", "sandbox.md", Facts.Runs},
	{"git", "git.md", func(f Facts) bool { return f.Git && f.Trusted }},
}

// MemoryModule is the name of the module behind all others: what was written down.
const MemoryModule = "memory"

// ModuleNames are the names of the modules of the system prompt, in their order.
func ModuleNames() []string {
	var names []string
	for _, m := range modules {
		names = append(names, m.name)
	}
	return append(names, MemoryModule)
}

//go:embed prompt/*.md
var pages embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pages, "prompt/*.md"))
})

// SystemPrompt puts the modules together that hold for the facts.
func SystemPrompt(f Facts, o PromptOptions) []Module {
	var built []Module
	off := func(name string) bool { return o.Off != nil && o.Off(name) }
	if o.Replacement != "" {
		built = append(built, Module{"replacement", f.substitute(o.Replacement)})
	} else {
		for _, m := range modules {
			if m.applies(f) && !off(m.name) {
				built = append(built, Module{m.name, f.render(m.page)})
			}
		}
	}
	if len(f.Files) > 0 && !off(MemoryModule) {
		built = append(built, Module{MemoryModule, f.render("memory.md") + f.written()})
	}
	return built
}

// PromptText is the modules as one text.
func PromptText(ms []Module) string {
	var texts []string
	for _, m := range ms {
		if t := strings.TrimSpace(m.Text); t != "" {
			texts = append(texts, t)
		}
	}
	return blankLines.ReplaceAllString(strings.Join(texts, "\n\n"), "\n\n") + "\n"
}

// WithoutMemory is the modules without what was written down: what a replacement stands
// for.
func WithoutMemory(ms []Module) []Module {
	return slices.DeleteFunc(slices.Clone(ms), func(m Module) bool { return m.Name == MemoryModule })
}

var blankLines = regexp.MustCompile(`\n{3,}`)

func (f Facts) render(page string) string {
	var b strings.Builder
	if err := templates().ExecuteTemplate(&b, page, f); err != nil {
		panic(fmt.Sprintf("prompt: the page %s: %v", page, err)) // the pages are ours, and a test renders each
	}
	return b.String()
}

// written is the files, the farthest first.
func (f Facts) written() string {
	var b strings.Builder
	for _, file := range f.Files {
		b.WriteString("\n" + file.enclosed())
	}
	return b.String()
}

// enclosed is the file between lines that say where it comes from.
func (f File) enclosed() string {
	return fmt.Sprintf("--- from %s (%s) ---\n%s\n--- end of %s ---\n", f.Name, scopes[f.Scope], strings.TrimSpace(f.Text), f.Name)
}

// scopes are how the model reads whose a file is.
var scopes = map[string]string{
	"user":      "the user's own, for every project",
	"project":   "the project's",
	OfExtension: "an extension's",
	"saved":     "saved on the user's word, for this workspace",
}

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// substitute fills in what a replacement may name: ${AvailableTools},
// ${<tool>_ToolName}, ${AgentSkills}, and ${SubAgents}, of which there are none.
func (f Facts) substitute(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		name := v[2 : len(v)-1]
		tool, isTool := strings.CutSuffix(name, "_ToolName")
		switch {
		case name == "AvailableTools":
			return strings.Join(f.Tools, ", ")
		case name == "AgentSkills":
			return f.SkillList()
		case name == "SubAgents":
			return ""
		case isTool && f.Offers(tool):
			return tool
		}
		return v
	})
}
