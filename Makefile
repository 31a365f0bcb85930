# Every target does its own set-up and builds into .build.
# Requirements: Go, git, a POSIX shell and make; for the tests bash, a C compiler,
# Node 20 or later with npm, and either Debian, where they install editors, tmux,
# Chromium, bubblewrap and a llama.cpp server, or Neovim 0.10, Helix 25.01, Emacs 30,
# tmux, Chromium, bubblewrap and a llama.cpp server.

GO      ?= go
BUILD   := $(CURDIR)/.build
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null)
LINT    := $(BUILD)/golangci-lint
FUZZ    ?= 30s

# Go keeps its caches under HOME; a machine without one gets ours.
ifeq ($(strip $(HOME)),)
export HOME := $(BUILD)/home
endif
export GOLANGCI_LINT_CACHE ?= $(BUILD)/cache/golangci-lint

.PHONY: all build quick test test-editors needed pictures recordings profiles vsix neovim helix emacs tmux gemini-cli code-server chromium language-servers llama-server bubblewrap lint tidy vet format bench fuzz nightly kate kills commands corpus zed release shells collector sarif clean

all: build lint test

# build makes .build/emendo for this machine, without C: a program that the
# system's loader has to link starts 2 ms later, and so does every command.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-X main.version=$(VERSION) -X main.commit=$(COMMIT)' -o $(BUILD)/emendo ./cmd/emendo

# vsix packages the VS Code extension for each platform into .build/vsix; for one
# with make vsix PLATFORMS=linux-x64. It needs Node 20 or later, and npm.
PLATFORMS ?= linux-x64 linux-arm64 darwin-arm64 darwin-x64 win32-x64
vsix:
	GO="$(GO)" VERSION="$(VERSION)" COMMIT="$(COMMIT)" editors/build-vsix.sh $(PLATFORMS)

# quick runs the tests that take no longer than a second or two, without the race
# detector and without real editors. It needs nothing but Go and git.
quick:
	$(GO) test -short ./...

# test runs every test with the race detector on, but for those of packages that only
# compute: the detector has nothing to find there and makes them ten times slower.
# Once the modules and the editors are installed, it uses only the loopback network.
test: neovim helix emacs tmux gemini-cli code-server chromium language-servers llama-server
	$(GO) mod download
	mcp/e2e/install.sh
	agent/model/openai/e2e/install.sh
	editors/acp/e2e/install.sh
	$(MAKE) -j2 -Otarget in-editors others
	$(VSCODE_TESTS) measure

# A program with the race detector sleeps for a second before it ends, so that threads that
# still run can report a race. The tests end hundreds of processes.
export GORACE ?= atexit_sleep_ms=10

# in-editors and others run side by side and take about as long: editors leave a third of two
# processors to the tests in Go, which come second.
.PHONY: in-editors others
in-editors:
	failed=; \
	$(VSCODE_TESTS) || failed=yes; \
	$(EDITOR_TESTS) || failed=yes; \
	[ -z "$$failed" ]

# The packages whose tests take longest begin first, so that none of them runs alone at the end.
LONGEST = ./cmd/emendo ./tools/reach ./internal/bench

# What only computes is compiled as the program is, which other tests build and start.
COMPUTING = ./internal/house ./internal/shellcmd/... ./tools/match/...
others:
	failed=; \
	CGO_ENABLED=0 nice $(GO) test -vet=off -trimpath $(COMPUTING) || failed=yes; \
	others=$$($(GO) list ./... | grep -vxF "$$($(GO) list $(COMPUTING))") && \
	EMENDO_BWRAP="$$(internal/sandbox/install-bubblewrap.sh)" nice $(GO_TEST) -timeout 40m $(LONGEST) $$others || failed=yes; \
	[ -z "$$failed" ]

# test-editors runs the tests in real editors, one package at a time, since each
# needs the whole machine. Failures in the newest Neovim and Helix are reported
# but do not fail the target.
test-editors: neovim helix emacs tmux gemini-cli code-server chromium
	mcp/e2e/install.sh
	editors/acp/e2e/install.sh
	$(EDITOR_TESTS)
	$(VSCODE_TESTS)
	$(VSCODE_TESTS) measure
	@$(NEWEST_NEOVIM_TESTS) || echo "test-editors: the tests fail in the newest Neovim, which does not count"
	@$(NEWEST_HELIX_TESTS) || echo "test-editors: the tests fail in the newest Helix, which does not count"

# pictures takes the pictures in docs/images.
pictures: neovim helix emacs tmux code-server chromium
	$(NEOVIM) $(PLAIN) $(IN_TMUX) $(GO_TEST_EDITORS) ./editors/neovim/e2e ./editors/helix/e2e ./editors/emacs/e2e -run TestPictures -update
	EMENDO_PICTURES="$(CURDIR)/docs/images" editors/vscode/e2e/run.sh pictures

# recordings records how an editor reports the edits that a server has it
# make, into ide/ledger/testdata/editors: make recordings EDITORS="neovim=nvim helix=hx".
EDITORS ?= neovim=$$(editors/install-neovim.sh)
recordings: neovim
	$(GO) test -tags editors -count=1 -timeout 60m ./editors/record -v $(addprefix -editor ,$(EDITORS))

# profiles records what editors declare in initialize, into lsp/lsptest/initialize, for
# the tests that play each of them: make profiles EDITORS="neovim=nvim helix=hx".
profiles: neovim
	$(GO) test -tags editors -count=1 -timeout 20m ./editors/record -run Profile -v $(addprefix -profile ,$(EDITORS))

# Tests are compiled and linked without data for debuggers, which is a sixth of the time that it
# takes. make lint vets them, and go test would repeat a part of that.
TEST_FLAGS      = -race -gcflags=all=-dwarf=false -ldflags=-w
GO_TEST         = $(GO) test -vet=off $(TEST_FLAGS)
GO_TEST_EDITORS = $(GO_TEST) -tags editors -count=1 -p 1 -timeout 30m

NEOVIM       = EMENDO_NVIM="$$(editors/install-neovim.sh)"
PLAIN        = EMENDO_HELIX="$$(editors/install-helix.sh)" EMENDO_EMACS="$$(editors/install-emacs.sh)"
IN_TMUX      = EMENDO_TMUX="$$(editors/install-tmux.sh)"
# Gemini CLI runs in a terminal beside Neovim.
TERMINAL     = $(IN_TMUX) EMENDO_GEMINI_CLI="$$(editors/install-gemini-cli.sh)"
EDITOR_TESTS = $(NEOVIM) $(PLAIN) EMENDO_LSP_MODE="$$(editors/install-lsp-mode.sh)" \
	$(TERMINAL) $(GO_TEST_EDITORS) ./editors/...

VSCODE_TESTS = editors/vscode/e2e/run.sh

NEWEST_NEOVIM_TESTS = EMENDO_NVIM="$$(editors/install-neovim.sh sid)" && export EMENDO_NVIM && \
	$(TERMINAL) $(GO_TEST_EDITORS) ./editors/neovim/...
NEWEST_HELIX_TESTS = EMENDO_HELIX="$$(editors/install-helix.sh sid)" && export EMENDO_HELIX && \
	$(IN_TMUX) $(GO_TEST_EDITORS) ./editors/helix/...

# needed installs everything that the tests need from elsewhere. CI does that beside
# the linters, since most of it is waiting.
needed: neovim helix emacs tmux gemini-cli code-server chromium language-servers llama-server bubblewrap
	mcp/e2e/install.sh
	editors/acp/e2e/install.sh
	agent/model/openai/e2e/install.sh
	editors/vscode/install.sh

# neovim, helix, emacs, tmux, gemini-cli, code-server and chromium find those
# programs for the tests, or install them into .editors.
neovim:
	editors/install-neovim.sh

helix:
	editors/install-helix.sh

emacs:
	editors/install-emacs.sh
	editors/install-lsp-mode.sh

tmux:
	editors/install-tmux.sh

gemini-cli:
	editors/install-gemini-cli.sh

code-server:
	editors/install-code-server.sh

chromium:
	editors/install-chromium.sh

# language-servers installs those that the tests start into .editors.
language-servers:
	.tools/language-servers/install.sh

# llama-server finds a llama.cpp server for the tests, or installs Debian's into .editors.
llama-server:
	.tools/llama-server/install.sh

# bubblewrap finds the bubblewrap for the tests of the sandbox, or unpacks one
# into .build.
bubblewrap:
	internal/sandbox/install-bubblewrap.sh

# lint checks go.mod, vets for the systems emendo runs on, and runs the pinned
# linter with its formatters. The linter compiles what the packages import as the
# tests do, which need it next.
lint: tidy vet $(LINT)

# A quarter of the time of a compiler or a linter is for collecting garbage, unless it may
# use more memory.
lint vet $(LINT) $(BUILD)/vet: export GOGC = 400
lint vet $(LINT) $(BUILD)/vet: export GOMEMLIMIT = 6GiB
lint:
	CGO_ENABLED=1 GOFLAGS='$(TEST_FLAGS)' $(LINT) run ./...

tidy:
	$(GO) mod tidy -diff

# vet vets for each system that emendo runs on.
vet: $(BUILD)/vet
	@set -e; for system in linux darwin windows; do \
		echo "GOOS=$$system vet ./..."; \
		GOOS=$$system CGO_ENABLED=0 GOFLAGS=-tags=editors,kate $(BUILD)/vet ./...; \
	done

# format rewrites the sources as the linter's formatters want them.
format: $(LINT)
	$(LINT) fmt ./...

# The linter is pinned in a module of its own, so that its hundreds of
# dependencies stay out of go.mod. It is built after vet and like it, so that what both
# import is compiled once.
TOOL_FLAGS = -trimpath -gcflags=all=-dwarf=false -ldflags='-s -w'

$(LINT): .tools/lint/go.mod .tools/lint/go.sum | $(BUILD)/vet
	$(GO) build -C .tools/lint $(TOOL_FLAGS) -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(BUILD)/vet: .tools/vet/go.mod .tools/vet/go.sum .tools/vet/main.go
	$(GO) build -C .tools/vet $(TOOL_FLAGS) -o $@ .

# bench prints how fast emendo is on this machine, each figure beside its floor
# in the same run, and writes the table into docs/performance.md. It uses rg and
# git where they are installed, and takes some minutes. The benchmarks of single
# packages are run as Go's always are.
bench: language-servers
	$(GO) test -run '^$$' -bench '^BenchmarkTable$$' -benchtime 1x -timeout 30m ./internal/bench \
		-tree $(BUILD)/bench-tree -write $(CURDIR)/docs/performance.md
	$(GO) test -run '^$$' -bench '^BenchmarkResume$$' -benchtime 3x ./agent
	$(GO) test -run '^$$' -bench '^BenchmarkDecide$$' -benchtime 3s ./agent/policy
	$(GO) test -run '^$$' -bench '^BenchmarkVerify$$' -benchtime 100x ./internal/langserver

# fuzz runs every fuzz target for FUZZ each: make fuzz FUZZ=10m.
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "fuzz $$package $$target for $(FUZZ)"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ) $$package; \
		done; \
	done

# nightly runs what takes too long for make test: more of the random cases, long sessions,
# all tasks of testdata/tasks, all journeys in VS Code, Kate, telemetry to a real collector,
# which takes a minute or two to build, and SARIF in programs of others.
# A test that belongs here has a line of its own.
nightly: neovim code-server chromium collector sarif kate
	$(GO) test -count=1 -run '^TestEachBlockIsWrittenOnce$$' -timeout 30m ./lsp/chatdoc -rapid.checks=2000
	$(GO) test -count=1 -run '^TestTheOrderOfVerdictsDoesNotMatter$$' -timeout 30m ./ide/ledger -orders 10000
	$(GO) test -count=1 -run '^TestAnswersLoadNothing$$' ./lsp/chatdoc/grammar -texts 50000
	$(GO) test -count=1 -run '^TestNothingGrowsInLongUse$$' -timeout 30m ./internal/bench -rounds 150
	$(GO) test -count=1 -run '^TestALongViewTakesLittleMemory$$' ./internal/bench -turns 1000
	$(GO) test -count=1 -run '^TestTasksNeedFewAnswers$$' -timeout 60m ./cmd/emendo -tasks
	$(GO) test -count=1 -run '^TestAKillLosesNothingShown$$' -timeout 30m ./cmd/emendo -kills 200
	$(GO) test -count=1 -run '^TestAnythingMayHappen' -timeout 30m ./agent -seeds 100
	$(GO) test -count=1 -timeout 30m ./agent/view -rapid.checks=1000
	$(GO) test -count=1 -run '^TestEndlessStreamsEnd$$' ./agent/model/openai -whole
	$(GO) test -count=1 -run '^TestGarbledEditsAreHeldBackForNewSyntaxErrorsAlone$$' -timeout 30m ./agent/language -seeds 20
	$(GO) test -count=1 -run '^(TestNoCommandLineTakesLong|TestAllowedCommandsRunOnlyWhatWasDecided|TestBashDoesTheSameWithTheCanonicalForm)$$' -timeout 30m ./internal/shellcmd -commands 10000 -longest 8192
	$(GO) test -count=1 -run '^TestRandomCommandsInTheWall$$' -timeout 60m ./tools/reach -wall 10000
	$(GO) test -count=1 -run '^TestFailingCommandsAreAskedAboutWithCause$$' -timeout 30m ./tools/shell -walls 200
	$(GO) test -count=1 -run '^TestPromptReachesItsRequest$$' ./internal/bench/openrequesttest -packages
	$(GO) test -count=1 -run '^TestRecipesAreFollowed$$' -timeout 30m ./internal/house -recipes
	$(GO) test -count=1 -timeout 30m ./lsp/present -whole
	$(NEOVIM) $(GO) test -tags editors -count=1 -run '^TestAFileWithManyHunks$$' -timeout 30m ./editors/neovim/e2e -hunks 3000
	$(NEOVIM) $(GO) test -tags editors -count=1 -run '^TestALongConversationHasAllOfIt$$' -timeout 30m ./editors/neovim/e2e -output 7400
	$(VSCODE_TESTS) all

# kate runs the tests in Kate, which needs an X server.
kate:
	EMENDO_KATE="$$(editors/install-kate.sh)" $(GO_TEST) -tags kate -count=1 ./editors/kate/e2e

# kills kills the program KILLS times at random points and checks that nothing was
# lost; make test does that less often.
KILLS ?= 500
kills:
	$(GO) test -count=1 -run '^TestAKillLosesNothingShown$$' -timeout 30m ./cmd/emendo -kills $(KILLS)

# commands runs COMMANDS random commands that are allowed in bash, a fifth of them
# in each of UTF-8, C, GBK, GB18030 and Shift JIS, and looks for files that have
# changed and for what was not decided. Then it runs as many that nobody allowed in the
# sandbox, and looks for changes outside and of what is guarded. make test runs fewer.
COMMANDS ?= 100000
commands:
	I18NPATH="$$(internal/shellcmd/install-charmaps.sh)" $(GO) test -count=1 -v -timeout 60m ./internal/shellcmd \
		-run '^(TestAllowedCommandsRunOnlyWhatWasDecided|TestBashDoesTheSameWithTheCanonicalForm)$$' -commands $(COMMANDS) -locales
	$(GO) test -count=1 -v -timeout 600m -run '^TestRandomCommandsInTheWall$$' ./tools/reach -wall $(COMMANDS)

# corpus prints the results for edits garbled as models garble them, by class: make corpus SEED=7 SEEDS=100.
SEED  ?= 1001
SEEDS ?= 10
corpus:
	$(GO) test -count=1 -v -run 'TestTable$$' ./tools/match/matchtest -seed $(SEED) -seeds $(SEEDS)

# zed builds the extension for Zed into .build/zed and runs its tests. Without a
# Rust that has the target wasm32-wasip2 it takes Debian's.
zed:
	editors/zed/build.sh

# shells runs the tests of completion in zsh and fish.
shells:
	PATH="$$(.tools/shells/install.sh):$$PATH" $(GO) test -tags shells -count=1 -run 'Completes' ./cmd/emendo

# collector sends telemetry to a real OpenTelemetry collector, by both protocols. The
# collector is pinned in a module of its own.
COLLECTOR := $(BUILD)/collector
collector:
	CGO_ENABLED=0 $(GO) build -C .tools/collector -trimpath -o $(COLLECTOR) .
	EMENDO_COLLECTOR=$(COLLECTOR) $(GO) test -tags collector -count=1 -run '^TestARealCollector' ./cmd/emendo

# sarif has programs of others read what emendo review writes.
sarif:
	EMENDO_SARIF_READERS="$$(.tools/sarif/install.sh)" $(GO) test -tags sarif -count=1 -run '^TestOthersReadSARIF$$' ./cmd/emendo

# release builds what a release consists of into .build/release, as a snapshot, twice,
# and compares the checksums. Its programs are pinned in a module of their own.
GORELEASER := $(BUILD)/goreleaser
CYCLONEDX  := $(BUILD)/cyclonedx-gomod
release: $(GORELEASER) $(CYCLONEDX)
	GO="$(GO)" GORELEASER=$(GORELEASER) CYCLONEDX=$(CYCLONEDX) .tools/release/release.sh $(RELEASE)

$(GORELEASER): .tools/release/go.mod .tools/release/go.sum
	$(GO) build -C .tools/release -trimpath -o $@ github.com/goreleaser/goreleaser/v2

$(CYCLONEDX): .tools/release/go.mod .tools/release/go.sum
	$(GO) build -C .tools/release -trimpath -o $@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

clean:
	rm -rf $(BUILD)/emendo $(BUILD)/bench-tree $(LINT)
