package trust

import (
	"io/fs"

	"golang.org/x/sys/windows"
)

// number identifies the folder at path in the file system.
func number(path string) (Folder, error) {
	failed := func(err error) (Folder, error) {
		return Folder{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return failed(err)
	}
	h, err := windows.CreateFile(name, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return failed(err)
	}
	defer windows.CloseHandle(h) //nolint:errcheck // only read through
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return failed(err)
	}
	return Folder{
		Device: uint64(info.VolumeSerialNumber),
		File:   uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow),
		Born:   info.CreationTime.Nanoseconds(),
	}, nil
}

// checkOwner relies on the access list that the file inherits from the user's
// folder.
func checkOwner(fs.FileInfo) error { return nil }
