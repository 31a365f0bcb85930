package main

import (
	"context"
	"errors"
)

func (p process) demo(_ context.Context, args []string) error { return errors.New("demo") }
