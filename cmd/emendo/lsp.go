package main

import (
	"context"
	"errors"
)

const lspUsage = "[--stdio | --pipe=PATH | --socket=PORT] [--clientProcessId=PID] [--debug]"

func (p process) lsp(context.Context, []string) error { return errors.New("lsp") }
