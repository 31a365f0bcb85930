// Package profile describes what a command may reach of the machine, and how firmly it
// is kept from the rest. It applies nothing itself.
package profile
