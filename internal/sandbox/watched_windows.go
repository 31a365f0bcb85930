package sandbox

// noControl is nothing: there are no terminals to open.
const noControl = 0
