package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the build.
var (
	version = "0.1.0-dev"
	commit  = ""
)

func (p process) version(_ context.Context, args []string) error {
	f := newFlags("version")
	asJSON := f.Bool("json", false, "print JSON")
	rest, err := p.parse(f, "[--json]", args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return badInput("version takes no arguments, got %q", rest[0])
	}
	c := commit
	if c == "" {
		c = builtFrom()
	}
	if *asJSON {
		return json.NewEncoder(p.stdout).Encode(map[string]string{"version": version, "commit": c, "goVersion": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	_, err = fmt.Fprintf(p.stdout, "emendo %s (%s, %s, %s/%s)\n", version, c, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// builtFrom returns the commit that the toolchain recorded, if it did.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown commit"
}
