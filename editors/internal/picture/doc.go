// Package picture draws screens of cells as the pictures of docs/images, with fonts that
// need no system. It knows neither editors nor tests.
package picture
