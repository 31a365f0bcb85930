//go:build !linux && !darwin

package sandbox

// allMeans are the means of this system, the firmest first.
var allMeans []means

func endSession(string) {} // its commands share nothing

func marked() bool { return false } // there are no views
