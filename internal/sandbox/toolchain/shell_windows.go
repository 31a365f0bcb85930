package toolchain

// interpreters are the shells that may run commands, best first; usualPath is the search
// path if the environment has none.
var (
	interpreters = []string{"pwsh.exe", "powershell.exe"}
	usualPath    = []string{`C:\Windows\System32\WindowsPowerShell\v1.0`, `C:\Windows\System32`, `C:\Windows`}
)

// shellArguments returns the arguments by which a shell runs a command and nothing else, such as
// start files.
func shellArguments(shell, command string) []string {
	return []string{shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command}
}
