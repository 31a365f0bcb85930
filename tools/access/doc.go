// Package access describes what a command may reach beyond its sandbox, and what it met there.
// It opens nothing and asks nobody.
package access
