package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
)

const doctorUsage = "[--json] [--online]"

// A finding is one thing that was looked at.
type finding struct {
	Name   string  `json:"name"`
	Status verdict `json:"status"`
	Says   string  `json:"message"`
	Mend   string  `json:"mend,omitempty"` // what to do about it
	// StartMS is how long a command takes that does nothing, in milliseconds.
	StartMS float64 `json:"startMs,omitempty"`
}

// A verdict is how well something is.
type verdict string

const (
	fine    verdict = "ok"
	lacking verdict = "warning" // emendo works without it, or less well
	broken  verdict = "failure" // emendo does not work
)

// An examination is what the checks look at, and what they have found.
type examination struct {
	process  process
	paths    settings.Paths
	settings settings.Settings
	dir      string
	trusted  bool
	online   bool // a request to the model may be made
	found    []finding
}

func (e *examination) add(name string, v verdict, mend, format string, a ...any) {
	says := oneLine(printable(e.process.secrets.Text(fmt.Sprintf(format, a...))))
	e.found = append(e.found, finding{Name: name, Status: v, Says: says, Mend: mend})
}

// doctor says what emendo lacks on this machine, and what to do about it.
func (p process) doctor(ctx context.Context, args []string) error {
	f := newFlags("doctor")
	asJSON := f.Bool("json", false, "as JSON")
	online := f.Bool("online", false, "ask the model for a word as well, which is one request")
	rest, err := p.parse(f, doctorUsage, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return badInput("doctor takes no argument, but there is %q", rest[0])
	}
	e := &examination{process: p, online: *online}
	if e.places() {
		for _, check := range []func(context.Context){e.settingsCheck, e.trustCheck, e.storage, e.credentials, e.network, e.model, e.sandbox, e.programs, e.editors} {
			check(ctx)
		}
	}
	if err := p.tellFindings(e.found, *asJSON); err != nil {
		return err
	}
	for _, found := range e.found {
		if found.Status == broken {
			return exit{code: exitFailure}
		}
	}
	return nil
}

// places finds out where things are; false when there is nothing to look at.
func (e *examination) places() bool {
	var err error
	if e.paths, err = e.process.folders(); err != nil {
		e.add("folders", broken, "set HOME, or EMENDO_HOME, to an absolute path", "%v", err)
		return false
	}
	if e.dir, err = realDir("."); err != nil {
		e.add("folders", broken, "go to a folder that is there", "%v", err)
		return false
	}
	level, err := trust.Open(e.paths.State).Decide(e.dir)
	if err != nil {
		e.add("trust", broken, "mend or remove the file that it names", "%v", err)
	}
	e.trusted = err == nil && level == trust.Trusted
	return true
}

// settingsCheck reads every file of settings and of rules.
func (e *examination) settingsCheck(context.Context) {
	var wrong []string
	warn := func(text string) { wrong = append(wrong, text) }
	set, err := e.process.load(e.paths, e.dir, e.trusted, nil, nil, warn)
	if err != nil {
		e.add("settings", broken, "correct the file at that place", "%v", err)
		set = settings.Defaults()
	}
	e.settings = set
	rules := &policies{paths: e.paths, warn: warn}
	if err := rules.usable(e.dir, []string{e.dir}, e.trusted); err != nil {
		e.add("policies", broken, "correct the rule; until then nothing is allowed without a question", "%v", err)
	}
	for _, text := range wrong {
		e.add("settings", lacking, "correct the file at that place", "%s", text)
	}
	if err == nil && len(wrong) == 0 {
		e.add("settings", fine, "", "read from %s", e.paths.Config)
	}
}

func (e *examination) trustCheck(context.Context) {
	if e.trusted {
		e.add("trust", fine, "", "%s is trusted", e.dir)
		return
	}
	e.add("trust", lacking, "emendo trust add", "%s is restricted: the agent reads and proposes, and runs nothing", e.dir)
}

// credentials says where the key comes from, and never what it is.
func (e *examination) credentials(context.Context) {
	w := wiring{process: e.process, paths: e.paths, log: slog.New(slog.DiscardHandler)}
	m := w.models(e.settings)
	_, _, err := m.generator(e.settings.Model.Name)
	if failure, ok := errors.AsType[*model.Error](err); ok {
		err = errors.New(failure.Message) // no request was made
	}
	if err != nil {
		e.add("credentials", broken, "set GEMINI_API_KEY, or see README.md for the other ways", "%v", err)
		return
	}
	e.add("credentials", fine, "", "%s", m.source(e.settings.Model.Name))
}

// source says where the credentials of a model are from.
func (m *models) source(name string) string {
	if strings.HasPrefix(name, "replay:") {
		return "none are needed for recorded answers"
	}
	for _, variable := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"} {
		if m.env(variable) != "" {
			return "the variable " + variable
		}
		if stored, err := m.keys.read(); err == nil && stored[variable] != "" {
			return variable + " in " + m.keys.path
		}
	}
	if m.settings.Security.Auth.SelectedType == "gateway" {
		return "none: the gateway at GOOGLE_GEMINI_BASE_URL needs no key"
	}
	return "Google's application default credentials, for the project " + cmp.Or(m.env("GOOGLE_CLOUD_PROJECT"), "(none)")
}

// marks stand before what was found.
var marks = map[verdict]string{fine: "ok  ", lacking: "warn", broken: "FAIL"}

func (p process) tellFindings(found []finding, asJSON bool) error {
	usable := true
	for _, f := range found {
		usable = usable && f.Status != broken
	}
	if asJSON {
		return json.NewEncoder(p.stdout).Encode(map[string]any{"version": version, "usable": usable, "checks": found})
	}
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s  %-12s %s\n", marks[f.Status], f.Name, f.Says)
		if f.Mend != "" {
			fmt.Fprintf(&b, "%19s→ %s\n", "", f.Mend)
		}
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}
