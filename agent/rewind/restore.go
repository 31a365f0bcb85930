package rewind

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/emendo-dev/emendo/ide/disk"
)

// A writer is where files are restored; *[disk.Tree] implements it.
type writer interface {
	Write(ctx context.Context, p disk.Path, data []byte, o disk.WriteOptions) error
	Remove(ctx context.Context, p disk.Path, expect *disk.Hash) error
	Chmod(p disk.Path, mode fs.FileMode) error
}

// A step is a change of one file. was is what it must hold now, so that an unknown
// change stops the step.
type step struct {
	path          disk.Path
	was, want     []byte      // nil: no file
	wasMode, mode fs.FileMode // the permissions before and after; zero: unchanged, or the usual ones of a new file
}

// step returns the step that changes a file on disk to another content.
func (c current) step(want Content) (step, error) {
	data, err := want.Bytes()
	return step{c.path, c.data, data, c.content.Mode, want.Mode}, err
}

// inverse returns the step that undoes s.
func (s step) inverse() step { return step{s.path, s.want, s.was, s.mode, s.wasMode} }

// restore carries out all steps or none: after an error every file holds what it
// held before. undo undoes all of them.
func restore(ctx context.Context, files writer, steps []step) (undo func() error, err error) {
	done := 0
	undo = func() error {
		var errs []error
		for ; done > 0; done-- {
			// The files are put back although the caller has given up.
			if err := steps[done-1].inverse().do(context.WithoutCancel(ctx), files); err != nil {
				errs = append(errs, fmt.Errorf("restoring a file: %w", err))
			}
		}
		return errors.Join(errs...)
	}
	for _, s := range steps {
		if err := s.do(ctx, files); err != nil {
			return nil, errors.Join(err, undo())
		}
		done++
	}
	return undo, nil
}

func (s step) do(ctx context.Context, files writer) error {
	var expect disk.Hash
	if s.was != nil {
		expect = sha256.Sum256(s.was)
	}
	switch {
	case s.want == nil && s.was == nil:
		return nil
	case s.want == nil:
		return files.Remove(ctx, s.path, &expect)
	case s.was == nil:
		return files.Write(ctx, s.path, s.want, disk.WriteOptions{Expect: &expect, Mode: s.mode})
	}
	write := func() error {
		if bytes.Equal(s.was, s.want) {
			return nil
		}
		return files.Write(ctx, s.path, s.want, disk.WriteOptions{Expect: &expect})
	}
	if s.mode == 0 || s.wasMode == 0 || s.mode == s.wasMode {
		return write()
	}
	if s.mode&0o200 == 0 { // once it has that mode it cannot be written
		if err := write(); err != nil {
			return err
		}
		err := files.Chmod(s.path, s.mode)
		if err != nil {
			s.mode, s.wasMode = 0, 0
			err = errors.Join(err, s.inverse().do(context.WithoutCancel(ctx), files))
		}
		return err
	}
	if err := files.Chmod(s.path, s.mode); err != nil {
		return err
	}
	if err := write(); err != nil {
		return errors.Join(err, files.Chmod(s.path, s.wasMode))
	}
	return nil
}
