package paths

import (
	"os"
	"path/filepath"
	"slices"
)

// Resolve returns a path without links. The part that does not exist is appended to the
// resolved part that does.
func Resolve(p string) string {
	if p == "" {
		return ""
	}
	p = filepath.Clean(p)
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if dir := filepath.Dir(p); dir != p {
		return filepath.Join(Resolve(dir), filepath.Base(p))
	}
	return p
}

// ResolveAll resolves each of the paths.
func ResolveAll(paths []string) []string {
	var l []string
	for _, p := range paths {
		l = append(l, Resolve(p))
	}
	return l
}

// Within reports whether a path is a folder or below it, by name: links are not
// followed.
func Within(path, folder string) bool {
	_, ok := CutFolder(path, folder)
	return ok
}

// WithinAny reports whether a path is, or is below, one of the folders.
func WithinAny(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return Within(path, f) })
}

// CutFolder returns a path relative to a folder, and whether it is that folder, whose
// relative path is ".", or below it.
func CutFolder(path, folder string) (rel string, ok bool) {
	rel, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}

// Absolute returns a path, which may be relative to a folder, as a clean absolute path.
func Absolute(path, folder string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// Exists reports whether something is at a path, even a broken link.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsFile reports whether a path is a regular file, and not a link to one.
func IsFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsFolder reports whether a path is a folder, or a link to one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// IsRealFolder reports whether a path is a folder, and not a link to one.
func IsRealFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Except removes the members of some from paths, in place.
func Except(paths, some []string) []string {
	return slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(some, p) })
}
