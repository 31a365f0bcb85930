CC      ?= cc
CFLAGS  ?= -O2 -Wall -Wextra
LDFLAGS ?=
PREFIX  ?= /usr/local
BUILD   := build

SOURCES := $(wildcard src/*.c)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
TESTS   := $(wildcard tests/*.c)
RUNNERS := $(TESTS:tests/%.c=$(BUILD)/test-%)

.PHONY: all test clean install uninstall

all: $(BUILD)/ringd

$(BUILD)/ringd: $(OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^

$(BUILD)/%.o: src/%.c | $(BUILD)
	$(CC) $(CFLAGS) -MMD -c -o $@ $<

$(BUILD)/test-%: tests/%.c $(OBJECTS) | $(BUILD)
	$(CC) $(CFLAGS) -Isrc -o $@ $^

$(BUILD):
	mkdir -p $@

test: $(RUNNERS)
	@set -e; for runner in $(RUNNERS); do \
		echo "running $$runner"; \
		$$runner; \
	done

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BUILD)/ringd $(DESTDIR)$(PREFIX)/bin/ringd
	install -d $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 644 doc/ringd.8 $(DESTDIR)$(PREFIX)/share/man/man8/ringd.8

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ringd
	rm -f $(DESTDIR)$(PREFIX)/share/man/man8/ringd.8

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d)
