// Package frontend describes whoever shows sessions to the user: what it
// implements, what it can do, and the questions that it puts. It knows neither
// sessions nor any wire.
package frontend
