package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Files is where files are restored; *[disk.Tree] implements it.
type Files interface {
	Write(ctx context.Context, p disk.Path, data []byte, o disk.WriteOptions) error
	Remove(ctx context.Context, p disk.Path, expect *disk.Hash) error
	Chmod(p disk.Path, mode fs.FileMode) error
}

// Step is a change of one file. Was is what it must hold now, so that an unknown
// change stops the step.
type Step struct {
	Path          disk.Path
	Was, Want     []byte      // nil: no file
	WasMode, Mode fs.FileMode // the permissions before and after; zero: unchanged, or the usual ones of a new file
}

// Restore carries out all steps or none: after an error every file holds what it
// held before. undo undoes all of them.
func Restore(ctx context.Context, files Files, steps []Step) (undo func() error, err error) {
	done := 0
	undo = func() error {
		var errs []error
		for ; done > 0; done-- {
			s := steps[done-1]
			s.Was, s.Want, s.WasMode, s.Mode = s.Want, s.Was, s.Mode, s.WasMode
			// The files are put back although the caller has given up.
			if err := s.do(context.WithoutCancel(ctx), files); err != nil {
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

func (s Step) do(ctx context.Context, files Files) error {
	var expect disk.Hash
	if s.Was != nil {
		expect = sha256.Sum256(s.Was)
	}
	switch {
	case s.Want == nil && s.Was == nil:
		return nil
	case s.Want == nil:
		return files.Remove(ctx, s.Path, &expect)
	case s.Was == nil:
		return files.Write(ctx, s.Path, s.Want, disk.WriteOptions{Expect: &expect, Mode: s.Mode})
	}
	write := func() error {
		if bytes.Equal(s.Was, s.Want) {
			return nil
		}
		return files.Write(ctx, s.Path, s.Want, disk.WriteOptions{Expect: &expect})
	}
	if s.Mode == 0 || s.WasMode == 0 || s.Mode == s.WasMode {
		return write()
	}
	if s.Mode&0o200 == 0 { // once it has that mode it cannot be written
		if err := write(); err != nil {
			return err
		}
		err := files.Chmod(s.Path, s.Mode)
		if err != nil {
			s.Was, s.Want, s.WasMode, s.Mode = s.Want, s.Was, 0, 0
			err = errors.Join(err, s.do(context.WithoutCancel(ctx), files))
		}
		return err
	}
	if err := files.Chmod(s.Path, s.Mode); err != nil {
		return err
	}
	if err := write(); err != nil {
		return errors.Join(err, files.Chmod(s.Path, s.WasMode))
	}
	return nil
}
