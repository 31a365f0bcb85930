package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
)

// newFlags makes a flag set that neither prints nor exits by itself.
func newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// errHelp means that help was printed.
var errHelp = exit{code: exitOK}

// parse reads flags before, between and after other arguments, and returns those.
// Nothing after "--" is a flag.
func (p process) parse(f *flag.FlagSet, usage string, args []string) (rest []string, err error) {
	var plain []string
	if i := slices.Index(args, "--"); i >= 0 {
		args, plain = args[:i], args[i+1:]
	}
	for {
		if err := f.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fmt.Fprintf(p.stdout, "usage: emendo %s %s\n", f.Name(), usage)
				f.SetOutput(p.stdout)
				f.PrintDefaults()
				return nil, errHelp
			}
			return nil, badInput("%s: %v", f.Name(), err)
		}
		if args = f.Args(); len(args) == 0 {
			return append(rest, plain...), nil
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// isSet reports whether a flag was given.
func isSet(f *flag.FlagSet, name string) bool {
	set := false
	f.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}
