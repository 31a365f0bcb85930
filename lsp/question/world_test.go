package question_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestMain(m *testing.M) { worldtest.Main(m) }

// world is a world with what the tests of this package do in it.
type world struct{ *worldtest.World }

// play is [worldtest.Play].
func play(t *testing.T, p lsptest.Profile, replies []modeltest.Reply, f func(w *world)) {
	t.Helper()
	worldtest.Play(t, p, replies, func(w *worldtest.World) { f(&world{w}) })
}
