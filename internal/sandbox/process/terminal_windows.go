package process

// noControl is nothing: there are no terminals to open.
const noControl = 0
