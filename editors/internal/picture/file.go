package picture

import (
	"fmt"
	"image/png"
	"os"
	"path/filepath"
)

// Write draws the screen into a PNG file.
func (s Screen) Write(file string) error {
	img, err := s.Draw()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, img)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// Check draws the screen and checks that the PNG file has its size. What is on it may
// differ: screens show times.
func (s Screen) Check(file string) error {
	img, err := s.Draw()
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("%w: run make pictures", err)
	}
	defer f.Close()
	taken, err := png.DecodeConfig(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if size := img.Bounds().Size(); taken.Width != size.X || taken.Height != size.Y {
		return fmt.Errorf("%s is %d by %d, the screen %d by %d: run make pictures", file, taken.Width, taken.Height, size.X, size.Y)
	}
	return nil
}
