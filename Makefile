# SPDX-License-Identifier: MIT
# cinta: build, run, test.  `make help` lists the targets.

CC      ?= gcc
VERSION := 0.1.0
PREFIX  ?= /usr/local
LIBS    := fuse3 sqlite3 libcrypto jansson yaml-0.1 libcmark libpcre2-8
# Profiles: SAN=address,undefined  SAN=thread  COV=1; each has its own objects.
comma   := ,
PROFILE := $(if $(SAN),-san-$(subst $(comma),-,$(SAN)))$(if $(COV),-cov)
B       := build$(PROFILE)

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Wno-overlength-strings
OPT     := $(if $(SAN),-O1 -fno-omit-frame-pointer -fsanitize=$(SAN),-O2)$(if $(COV), -O0 --coverage)
CPPFLAGS += -D_GNU_SOURCE -DFUSE_USE_VERSION=312 -DCINTA_VERSION='"$(VERSION)"' -I. -I$(B)
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(LIBS) libcurl))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs $(LIBS)))$(PKG_LIBS)
ALL_CFLAGS = -std=c17 -g $(OPT) $(WARN) $(PKG_CFLAGS) $(CFLAGS)
ALL_LIBS   = $(PKG_LIBS) -lpthread -lm

room     = $(patsubst %.c,$(B)/%.o,$(wildcard $(1)/*.c))
ROOMS   := $(B)/libfs.a $(B)/librender.a $(B)/libstore.a

all: $(B)/cinta ## build build/cinta

# Sanitizers bring an allocator of their own.
$(B)/cinta: $(filter-out $(if $(SAN),$(B)/mount/wipe.o),$(call room,mount)) $(ROOMS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
$(B)/libstore.a: $(call room,store) $(B)/store/ranks.o
$(B)/librender.a: $(call room,render)
$(B)/libfs.a: $(call room,fs)
$(ROOMS):
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
# SQL texts become C strings.
$(B)/store/%.inc: store/%.sql
	@mkdir -p $(@D)
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' $< > $@
$(B)/store/schema.o: $(B)/store/schema.inc $(B)/store/views.inc
# The vocabularies of the tokenizers become a table for lookups.
$(B)/store/ranks.table: store/ranks.py store/ranks.bin
	@mkdir -p $(@D)
	python3 $< table store/ranks.bin $@
$(B)/store/ranks.o: store/ranks.S $(B)/store/ranks.table
	$(CC) -DRANKS_TABLE='"$(B)/store/ranks.table"' -c -o $@ $<

# ---- tests: each tests/FAMILY/test_*.c is a program; other .c files there help it
FAMILIES := unit golden hostile wire fault
CASES    := $(foreach f,$(FAMILIES),$(wildcard tests/$(f)/test_*.c))
HELPERS  := $(filter-out $(CASES),$(foreach f,$(FAMILIES),$(wildcard tests/$(f)/*.c)))
helpers  = $(patsubst %.c,$(B)/%.o,$(filter $(dir $(1))%,$(HELPERS)))
PROGRAMS := $(patsubst %.c,$(B)/%,$(CASES))

.SECONDEXPANSION:
$(PROGRAMS): $(B)/%: $(B)/%.o $$(call helpers,$$*) $(ROOMS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS) -lcmocka
test-programs: $(PROGRAMS)

test: deps ## all tests; ends with "N passed, N failed"
	@$(MAKE) -s all
	@tests/run
check-layers: ## the walls between the rooms, and the house style
	@tests/layers.sh
check-man: all ## the manual pages: lint, and nothing left out
	@tests/check-man.sh $(B)/cinta
bench: deps ## measure; tests/bench/run says against what
	@$(MAKE) -s all
	@tests/bench/run
bench-signals: $(B)/tests/bench/signals ## precision and recall of the signals
	@$< $(if $(V),-v)
$(B)/tests/bench/signals: $(addprefix $(B)/tests/,bench/signals.o unit/signal_set.o) $(B)/librender.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
bench-topics: $(B)/tests/bench/topics ## topic shifts found, on LOCOMO=file
	@$<
$(B)/tests/bench/topics: $(B)/tests/bench/topics.o $(B)/librender.a $(B)/libstore.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
bench-tokens: $(B)/tests/bench/tokens ## exact tokens beside tiktoken, from npm
	@B=$(B) node tests/bench/tokens.mjs
bench-recall: $(B)/tests/bench/recall ## what a search finds: LOCOMO=file
	@$< $(LOCOMO)
bench-search: $(B)/tests/bench/search ## how fast a search is: N=messages
	@$< $(or $(N),1000000)
$(addprefix $(B)/tests/bench/,tokens recall search): %: %.o $(B)/libstore.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
bench-context: all ## what context.md costs and saves, on LOCOMO=file
	@python3 tests/bench/context.py $(B)/cinta "$(LOCOMO)"
bench-meaning: $(B)/tests/bench/meaning ## what meaning adds to words: LOCOMO=file VECTORS=file
	@$< "$(LOCOMO)" "$(VECTORS)"
bench-vectors: $(B)/tests/bench/vectors ## how fast that is: N=texts D=dimensions
	@$< $(or $(N),100000) $(or $(D),1536)
$(B)/tests/bench/meaning $(B)/tests/bench/vectors: %: %.o $(B)/libstore.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(ALL_LIBS)
run: deps ## an example memory, mounted at ./memory
	@$(MAKE) -s all
	@docs/example/run.sh

# ---- what must be installed (Debian 12)
PACKAGES := gcc libc6-dev make pkg-config libfuse3-dev fuse3 libsqlite3-dev sqlite3 libssl-dev \
	openssl libjansson-dev libcurl4-openssl-dev libyaml-dev libpcre2-dev libcmark-dev libcmocka-dev bats mandoc \
	tmux python3 nodejs strace rsync xxd git clang procps attr e2fsprogs util-linux \
	vim vim-tiny neovim nano emacs-nox micro joe ne mg kakoune jed vis busybox ed gawk perl patch \
	moreutils libglib2.0-bin zip gdb
PACKAGES += $(if $(shell command -v npm 2>/dev/null),,npm) # Node's own packages bring it along
APT      := $(if $(filter 0,$(shell id -u)),,sudo )env DEBIAN_FRONTEND=noninteractive apt-get
missing   = $(shell dpkg-query -W -f '$${Package} $${db:Status-Abbrev}\n' $(PACKAGES) 2>/dev/null | \
	awk -v want='$(PACKAGES)' '$$2 ~ /^ii/ { have[$$1] = 1 } \
	END { n = split(want, w, " "); for (i = 1; i <= n; i++) if (!have[w[i]]) print w[i] }')

deps: ## install missing Debian packages
	@set -e; missing='$(missing)'; if [ -n "$$missing" ]; then \
		echo "installing $$missing"; \
		$(APT) install -qy --no-install-recommends $$missing || { \
			$(APT) update -q; \
			$(APT) install -qy --no-install-recommends $$missing; }; fi

install: all ## into PREFIX (/usr/local), below DESTDIR
	install -D -m 755 $(B)/cinta $(DESTDIR)$(PREFIX)/bin/cinta
	install -D -m 644 docs/cinta.1 $(DESTDIR)$(PREFIX)/share/man/man1/cinta.1
	install -D -m 644 docs/cinta.5 $(DESTDIR)$(PREFIX)/share/man/man5/cinta.5
uninstall: ## what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/cinta $(DESTDIR)$(PREFIX)/share/man/man1/cinta.1 \
		$(DESTDIR)$(PREFIX)/share/man/man5/cinta.5
clean: ## all build directories
	rm -rf build build-san-* build-cov
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	@echo "  profiles: SAN=address,undefined  SAN=thread  COV=1"

-include $(shell find $(B) -name '*.d' 2>/dev/null)
.PHONY: all test test-programs check-layers check-man bench bench-signals bench-topics run deps install uninstall clean help bench-tokens bench-recall bench-search bench-context bench-meaning bench-vectors
.DELETE_ON_ERROR:
