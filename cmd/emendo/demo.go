package main

import (
	"context"
	"errors"
)

func (p process) demo(_ context.Context, args []string) error { return errors.New("demo") }
func (p process) lsp(_ context.Context, args []string) error  { return errors.New("lsp") }
