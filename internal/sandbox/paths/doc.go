// Package paths resolves and compares absolute paths.
package paths
