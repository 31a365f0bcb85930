// Package darwin confines commands on macOS by Seatbelt, which is level B.
package darwin
