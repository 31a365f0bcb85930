// Package e2e drives emendo as clients of the Agent Client Protocol do: the official
// TypeScript library and acpx, which install.sh installs.
package e2e
