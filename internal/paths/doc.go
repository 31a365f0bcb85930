// Package paths compares and resolves absolute paths. Its functions take the path
// first and the folder second, as [strings.HasPrefix] does.
package paths
