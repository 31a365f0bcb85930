package toolchain

// interpreters are what may run commands, best first; usualPath is where
// programs are when the search path does not say.
var (
	interpreters = []string{"pwsh.exe", "powershell.exe"}
	usualPath    = []string{`C:\Windows\System32\WindowsPowerShell\v1.0`, `C:\Windows\System32`, `C:\Windows`}
)

// argv is how the interpreter is told to run a command and nothing else, such
// as the user's profile.
func argv(shell, command string) []string {
	return []string{shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command}
}
