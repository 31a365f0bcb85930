package paths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// resolve is a path without links; what does not exist is below what does.
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

func ResolveAll(paths []string) []string {
	var l []string
	for _, p := range paths {
		l = append(l, Resolve(p))
	}
	return l
}

func UnderAny(path string, folders []string) bool {
	for _, f := range folders {
		if Below(path, f) {
			return true
		}
	}
	return false
}

// below says whether a clean path is dir or in it, by name.
func Below(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func IsFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func IsDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// except is all but the members of some.
func Except(paths, some []string) []string {
	return slices.DeleteFunc(paths, func(p string) bool { return slices.Contains(some, p) })
}
