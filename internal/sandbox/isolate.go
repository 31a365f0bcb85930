package sandbox

// An isolation is what a child does at level A before it starts the command.
type isolation struct {
	View     *view `json:",omitempty"` // to make; nil: it is in it already
	Devices  bool  `json:",omitempty"` // to be made unchangeable, in a view that is there
	Loopback bool  `json:",omitempty"` // to be switched on, in a network of its own
	// Outlet is the descriptor of a socket through which a listening socket is
	// sent to the server; zero: none.
	Outlet int `json:",omitempty"`
}
