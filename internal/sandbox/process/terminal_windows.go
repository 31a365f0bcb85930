package process

// noControl is zero: there are no terminals to open.
const noControl = 0
