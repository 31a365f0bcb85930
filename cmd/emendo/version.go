package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
)

// version and commit are set by the build. Otherwise, as after go install, they are
// those recorded by the toolchain.
var version, commit string

func init() {
	if version == "" {
		info, _ := debug.ReadBuildInfo()
		version = versionOf(info)
	}
}

// versionOf returns the version of the program's main module, without the leading
// v.
func versionOf(info *debug.BuildInfo) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.1.0-dev"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

func (p process) version(f *flag.FlagSet) cli.Run {
	asJSON := f.Bool("json", false, "print JSON")
	return func(context.Context, []string) error {
		c := commit
		if c == "" {
			c = builtFrom()
		}
		if *asJSON {
			return json.NewEncoder(p.stdout).Encode(map[string]string{"version": version, "commit": c, "goVersion": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
		}
		_, err := fmt.Fprintf(p.stdout, "emendo %s (%s, %s, %s/%s)\n", version, c, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
}

// builtFrom returns the commit recorded by the toolchain, if any.
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
