// Package extensions is the command `emendo extensions`: it lists, installs, removes,
// enables and disables extensions. It knows neither exit statuses nor the environment.
package extensions

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/extension"
	"github.com/emendo-dev/emendo/internal/jsonedit"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
)

// A Command is the command in a folder.
type Command struct {
	Stdout   io.Writer
	Warn     func(string)
	Ask      func(question string) (bool, error) // asks the user; nil: no user is available
	Config   string                              // folder of the user's configuration
	Gemini   string                              // folder of Gemini CLI's user settings; may be empty
	Disabled []string                            // the setting extensions.disabled
	Store    *trust.Store
	Dir      string // the folder, absolute, links resolved
	Trusted  bool   // the user trusts it
	Env      func(string) string
}

// ErrDeclined means that the user did not approve.
var ErrDeclined = errors.New("not approved")

// Commands returns the subcommands. with opens the extensions of the current folder.
func Commands(with func(run func(Command) error) error) []cli.Command {
	named := func(run func(c Command, name string) error) cli.Run {
		return func(_ context.Context, args []string) error {
			return with(func(c Command) error { return run(c, args[0]) })
		}
	}
	consent := func(f *flag.FlagSet) *bool {
		given := f.Bool("consent", false, "approve what the extension does")
		f.BoolVar(given, "yes", false, "approve what the extension does")
		return given
	}
	return []cli.Command{
		{Name: "list", Summary: "list the installed extensions", Setup: func(f *flag.FlagSet) cli.Run {
			asJSON := f.Bool("json", false, "print JSON")
			return func(context.Context, []string) error {
				return with(func(c Command) error { return c.list(*asJSON) })
			}
		}},
		{Name: "install", Args: "FOLDER", Summary: "install the extension in a folder", Setup: func(f *flag.FlagSet) cli.Run {
			approved := consent(f)
			return named(func(c Command, folder string) error { return c.install(folder, *approved) })
		}},
		{Name: "enable", Args: "EXTENSION", Summary: "enable an extension, and approve what it does now", Setup: func(f *flag.FlagSet) cli.Run {
			approved := consent(f)
			return named(func(c Command, name string) error { return c.enable(name, *approved) })
		}},
		{Name: "disable", Args: "EXTENSION", Summary: "disable an extension", Setup: func(*flag.FlagSet) cli.Run { return named(Command.disable) }},
		{Name: "remove", Aliases: []string{"uninstall"}, Args: "EXTENSION", Summary: "delete an extension", Setup: func(*flag.FlagSet) cli.Run { return named(Command.remove) }},
	}
}

// Names returns the names of the installed extensions.
func (c Command) Names() (l []string) {
	for _, e := range c.found().Extensions {
		l = append(l, e.Name)
	}
	return l
}

// found returns the extensions of the user and of the folder.
func (c Command) found() extension.List {
	return extension.Find(extension.Options{Config: c.Config, Gemini: c.Gemini, Project: c.Dir, Disabled: c.Disabled})
}

// listed is an extension as `emendo extensions list --json` prints it.
type listed struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Description string `json:"description,omitempty"`
	Folder      string `json:"folder"`
	Source      string `json:"source,omitempty"`
	State       string `json:"state"` // used, or why it is not
}

func (c Command) list(asJSON bool) error {
	found := c.found()
	l := []listed{}
	for _, p := range found.Problems {
		c.Warn(p.String())
	}
	for _, e := range found.Extensions {
		for _, p := range e.Problems {
			c.Warn(p.String())
		}
		l = append(l, listed{e.Name, e.Version, e.Description, e.Dir, e.Source, c.state(e)})
	}
	if asJSON {
		return visible.PrintJSON(c.Stdout, l)
	}
	var b strings.Builder
	if len(l) == 0 {
		b.WriteString("no extensions are installed; install one with `emendo extensions install FOLDER`\n")
	}
	for _, e := range l {
		fmt.Fprintf(&b, "%s %s: %s\n    %s\n", e.Name, e.Version, visible.Line(e.State), visible.Line(e.Folder))
		if e.Description != "" {
			fmt.Fprintf(&b, "    %s\n", e.Description)
		}
	}
	_, err := fmt.Fprint(c.Stdout, visible.Text(b.String()))
	return err
}

// state describes whether an extension is used in the folder.
func (c Command) state(e extension.Extension) string {
	switch {
	case !e.Used():
		return e.Off
	case !c.Trusted:
		return "not used: the folder is restricted"
	}
	v, looks, err := c.looks(e, cmp.Or(e.Project, e.Dir))
	if err != nil {
		return "used, but what it starts cannot be approved: " + err.Error()
	}
	waiting := 0
	for _, l := range looks {
		if l.State != trust.Approved {
			waiting++
		}
	}
	if waiting > 0 {
		return fmt.Sprintf("used; %d of the %d programs that it starts need your approval", waiting, len(v.Starts))
	}
	return "used"
}

// looks returns what an extension would start, with the user's decisions for a folder.
func (c Command) looks(e extension.Extension, folder string) (inventory.Inventory, []trust.Look, error) {
	v, err := inventory.OfExtension(e, e.Dir, c.Env)
	if err != nil {
		return v, nil, err
	}
	var l []trust.Look
	for _, entry := range v.Starts {
		look, err := c.Store.Approved(folder, entry)
		if err != nil {
			return v, nil, err
		}
		l = append(l, look)
	}
	return v, l, nil
}

// consent shows what an extension does, and asks whether that is approved.
func (c Command) consent(e extension.Extension, v inventory.Inventory, looks []trust.Look, given bool, verb string) error {
	text := fmt.Sprintf("%s %s\n", e.Name, e.Version)
	if e.Description != "" {
		text += e.Description + "\n"
	}
	if _, err := fmt.Fprint(c.Stdout, visible.Text(text+v.Text(looks))); err != nil {
		return err
	}
	switch {
	case given:
		return nil
	case c.Ask == nil:
		return cli.BadInput("read what the extension does, then approve it with: emendo extensions %s --consent", verb)
	}
	switch yes, err := c.Ask("Approve this? [y/N] "); {
	case err != nil:
		return err
	case !yes:
		return ErrDeclined
	}
	return nil
}

// named returns an extension of the user's that is the first of its name.
func (c Command) named(name string) (extension.Extension, error) {
	all := c.found().Extensions
	for _, e := range all {
		if e.Name == name && e.Project == "" {
			return e, nil
		}
	}
	if slices.ContainsFunc(all, func(e extension.Extension) bool { return e.Name == name }) {
		return extension.Extension{}, cli.BadInput("the extension %s is of the project %s: `emendo trust add` approves what it starts, and the setting extensions.disabled disables it", name, c.Dir)
	}
	return extension.Extension{}, cli.BadInput("no extension %s is installed; `emendo extensions list` lists them", name)
}

// enable approves what an extension starts, and removes it from the disabled ones.
func (c Command) enable(name string, given bool) error {
	e, err := c.named(name)
	if err != nil {
		return err
	}
	v, looks, err := c.looks(e, e.Dir)
	if err != nil {
		return err
	}
	if err := c.consent(e, v, looks, given, "enable "+name); err != nil {
		return err
	}
	if err := c.Store.ApproveOnly(e.Dir, looks...); err != nil {
		return err
	}
	if err := c.setDisabled(name, false); err != nil {
		return err
	}
	return c.report("enabled %s", name)
}

func (c Command) disable(name string) error {
	if !slices.ContainsFunc(c.found().Extensions, func(e extension.Extension) bool { return e.Name == name }) {
		return cli.BadInput("no extension %s is installed; `emendo extensions list` lists them", name)
	}
	if err := c.setDisabled(name, true); err != nil {
		return err
	}
	return c.report("disabled %s", name)
}

// setDisabled adds a name to the user's setting of disabled extensions, or removes it.
func (c Command) setDisabled(name string, disabled bool) error {
	return jsonedit.SetMember(filepath.Join(c.Config, "settings.json"), "extensions", "disabled", name, disabled, func(a, b string) bool { return a == b })
}

func (c Command) remove(name string) error {
	e, err := c.named(name)
	if err != nil {
		return err
	}
	if filepath.Dir(e.Dir) != c.folder() {
		return cli.BadInput("the extension %s is in %s, where Gemini CLI installed it: remove it with `gemini extensions uninstall %s`, or disable it", name, e.Dir, name)
	}
	if err := c.Store.ApproveOnly(e.Dir); err != nil { // forgets the approvals
		return err
	}
	if err := os.RemoveAll(e.Dir); err != nil {
		return fmt.Errorf("remove the extension %s: %w", name, err)
	}
	if err := c.setDisabled(name, false); err != nil {
		return err
	}
	return c.report("removed %s", name)
}

func (c Command) report(format string, a ...any) error {
	_, err := fmt.Fprintf(c.Stdout, format+"\n", a...)
	return err
}

// folder is the folder of emendo's own extensions of the user.
func (c Command) folder() string { return filepath.Join(c.Config, extension.FolderName) }
