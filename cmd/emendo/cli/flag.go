package cli

import (
	"flag"
	"io"
	"reflect"
	"slices"
	"strings"
)

// A Flag is a flag as help, completion and the manual show it.
type Flag struct {
	Names   []string // as they are typed, the shortest first: -p, --prompt
	Value   string   // a word for the value, or the words to choose from: a|b; empty: none
	Usage   string
	Default string // empty: that of its type
}

// List is the value of a flag that can be given several times.
type List []string

func (l *List) String() string { return strings.Join(*l, ", ") }

// Set implements [flag.Value].
func (l *List) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// Flags returns the flags of a command by their longest names. Flags that set the same
// variable are one flag with several names.
func (c Command) Flags() (l []Flag) {
	if c.Setup == nil {
		return nil
	}
	set := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	c.Setup(set)
	var values []flag.Value
	set.VisitAll(func(f *flag.Flag) {
		if i := slices.IndexFunc(values, func(v flag.Value) bool { return equalValues(v, f.Value) }); i >= 0 {
			l[i].Names = append(l[i].Names, typed(f.Name))
			return
		}
		values = append(values, f.Value)
		l = append(l, newFlag(f))
	})
	for _, f := range l {
		slices.SortFunc(f.Names, func(a, b string) int { return len(a) - len(b) })
	}
	slices.SortStableFunc(l, func(a, b Flag) int { return strings.Compare(a.long(), b.long()) })
	return l
}

func newFlag(f *flag.Flag) Flag {
	value, usage := flag.UnquoteUsage(f)
	if text, ok := strings.CutPrefix(f.Usage, "`"); ok {
		value, usage, _ = strings.Cut(text, "`")
	}
	g := Flag{Names: []string{typed(f.Name)}, Value: value, Usage: strings.TrimSpace(usage)}
	if !slices.Contains([]string{"", "0", "false"}, f.DefValue) {
		g.Default = f.DefValue
	}
	return g
}

// equalValues reports whether two flags set one variable.
func equalValues(a, b flag.Value) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() && a == b
}

// typed returns a flag's name as it is typed.
func typed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// long returns the longest name without its hyphens.
func (f Flag) long() string { return strings.TrimLeft(f.Names[len(f.Names)-1], "-") }

// synopsis returns the names with the value.
func (f Flag) synopsis() string {
	return strings.TrimSpace(strings.Join(f.Names, ", ") + " " + f.Value)
}

// text returns what the flag does, with its default.
func (f Flag) text() string {
	if f.Default == "" {
		return f.Usage
	}
	return f.Usage + " (default " + f.Default + ")"
}
