//go:build unix

package process

import "os"

func init() { Supervise(os.Args, nil) }
