//go:build editors

package record

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixtures is where the recordings are.
const fixtures = "../../ide/ledger/testdata/editors"

// programs are the editors to record: -editor neovim=/usr/bin/nvim. profiles are those whose
// initialize to record.
var (
	programs = map[string][]string{}
	profiles = map[string][]string{}
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "stub" {
		os.Exit(stub(os.Getenv("RECORD_SOCKET")))
	}
	into := func(l map[string][]string) func(string) error {
		return func(v string) error {
			name, program, ok := strings.Cut(v, "=")
			if _, known := drivers[name]; !ok || !known {
				return fmt.Errorf("want one of the editors of drivers, = and a program, and got %q", v)
			}
			l[name] = append(l[name], program)
			return nil
		}
	}
	flag.Func("editor", "record the editor `name=program`, and write its fixture; more than once for more editors", into(programs))
	flag.Func("profile", "record what the editor `name=program` sends in initialize", into(profiles))
	flag.Parse()
	os.Exit(m.Run())
}

// stub is the program that the editor starts for its language server. It puts
// the editor through to the test.
func stub(socket string) int {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.Close() // the editor has gone
	}()
	if _, err := io.Copy(os.Stdout, conn); err != nil {
		return 1
	}
	return 0
}
