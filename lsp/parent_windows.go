package lsp

import "golang.org/x/sys/windows"

// alive reports whether a process runs. It assumes so if the process cannot be
// opened.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err != windows.ERROR_INVALID_PARAMETER //nolint:errorlint // a plain error number
	}
	defer windows.CloseHandle(h) //nolint:errcheck // it was only queried
	state, err := windows.WaitForSingleObject(h, 0)
	return err != nil || state == uint32(windows.WAIT_TIMEOUT)
}
