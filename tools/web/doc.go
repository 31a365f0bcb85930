// Package web has the tools that reach the web. It owns what may be reached (the
// public network, by http and https), how much is read and for how long, and how
// a page becomes text for the model. It knows neither the gate, which decides
// about each call, nor a front end.
package web
