package process

import "os"

// readNow reads nothing: pipes have no deadlines here, so none has passed.
func readNow(*os.File, []byte) (int, error) { return 0, nil }
