// Package frontend defines what a front end implements: how sessions are shown,
// what the client can do, and the questions that it asks the user. It knows neither
// sessions nor any wire.
package frontend
