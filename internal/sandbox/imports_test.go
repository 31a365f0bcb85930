package sandbox

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The initializer that starts a supervisor runs after those of the imported
// packages, so there must be few.
func TestPackageImportsLittle(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	deps := strings.Fields(string(out))
	for _, late := range []string{"net/http", "crypto/tls", "crypto/x509"} {
		if slices.Contains(deps, late) {
			t.Errorf("package sandbox imports %s, whose initializers every command would wait for", late)
		}
	}
}
