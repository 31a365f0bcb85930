package langservertest

import (
	"os"
	"path/filepath"
	"testing"
)

// Installed returns the folder of the language servers that
// .tools/language-servers/install.sh installs. In short tests it skips.
func Installed(tb testing.TB) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("needs language servers")
	}
	if dir := os.Getenv("EMENDO_LANGUAGE_SERVERS"); dir != "" {
		return dir
	}
	at, err := os.Getwd()
	for ; err == nil && at != filepath.Dir(at); at = filepath.Dir(at) {
		dir := filepath.Join(at, ".editors", "language-servers", "bin")
		if _, err := os.Stat(filepath.Join(dir, "gopls")); err == nil {
			return dir
		}
	}
	tb.Fatal("the language servers of the tests are missing: run .tools/language-servers/install.sh")
	return ""
}
