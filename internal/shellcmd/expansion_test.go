package shellcmd

import (
	"testing"
)

// Destructive commands are described with their words expanded.
func TestDestructiveCommandsAreShownWithTheirWordsExpanded(t *testing.T) {
	for command, want := range map[string]string{
		`rm -rf "$UNSET"/*`:                `rm deletes files for good; "$UNSET"/* is /* where UNSET is not set`,
		`rm -rf $UNSET/build ${OTHER}x`:    `rm deletes files for good; $UNSET/build is /build where UNSET is not set; ${OTHER}x is x where OTHER is not set`,
		`rm -rf "$A"`:                      `rm deletes files for good; "$A" is nothing where A is not set`,
		`D=build; rm -rf "$D"/*`:           `rm deletes files for good; "$D"/* is build/*`,
		`D=; rm -rf "$D"/*`:                `rm deletes files for good; "$D"/* is /*`,
		`D=$(pwd); rm -rf "$D/x"`:          `rm deletes files for good`,
		`rm -rf "$(pwd)"/x ${A:-b} ${A%x}`: `rm deletes files for good`,
		`rm -rf build/*`:                   `rm deletes files for good`,
	} {
		if got := Analyze(command, "/w", []string{"/w"}).Destructive; got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}
