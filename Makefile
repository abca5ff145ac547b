# SPDX-License-Identifier: MIT
# cinta: build, run, test.  `make help` lists the targets.

CC      ?= gcc
VERSION := 0.1.0
PREFIX  ?= /usr/local
LIBS    := fuse3 sqlite3 libcrypto jansson yaml-0.1 libcmark libpcre2-8 zlib
# Profiles: SAN=address,undefined  SAN=thread  COV=1; each has its own objects.
comma   := ,
PROFILE := $(if $(SAN),-san-$(subst $(comma),-,$(SAN)))$(if $(COV),-cov)
B       := build$(PROFILE)

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-overlength-strings \
	$(if $(WERROR),-Werror)# CI and tests set WERROR=1; tomorrow's compiler must not stop a user
OPT     := $(if $(SAN),-O1 -fno-omit-frame-pointer -fsanitize=$(SAN),-O2)$(if $(COV), -O0 --coverage)
# Debian's hardening, in the profile that is installed; what this compiler cannot do is left out.
HARDEN   = $(if $(SAN)$(COV),,$(HARDEN_CC) -fPIE $(FORTIFY))
HARDEN_LD = $(if $(SAN)$(COV),,-pie -Wl,-z,relro,-z,now)
FORTIFY  = $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
HARDEN_CC = $(eval HARDEN_CC := $$(foreach f,-fstack-protector-strong -fstack-clash-protection \
	-fcf-protection -mbranch-protection=standard,$$(shell $$(CC) -Werror $$f -S -o /dev/null \
	-x c /dev/null 2>/dev/null && echo $$f)))$(HARDEN_CC)
# No path of this machine goes into the program: equal sources give equal binaries.
MAPS    := $(if $(filter /%,$(B)),-ffile-prefix-map='$(B)'=build) -ffile-prefix-map='$(CURDIR)'=.
# The sanitizers' profiles also check the order of locks (store/lock.h).
DEFS    := $(if $(SAN),-DCINTA_CHECK) -D_GNU_SOURCE -DFUSE_USE_VERSION=312 -DCINTA_VERSION='"$(VERSION)"' -I. -I$(B)
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(subst -I,-isystem ,$$(shell pkg-config --cflags $(LIBS) libcurl libarchive libpq)))$(PKG_CFLAGS)
PKG_LIBS   = $(eval PKG_LIBS := $$(shell pkg-config --libs $(LIBS)))$(PKG_LIBS)
ALL_CFLAGS = -std=c17 -g $(OPT) $(WARN) $(HARDEN) $(MAPS) $(PKG_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(HARDEN_LD) $(LDFLAGS)
ALL_LIBS   = $(PKG_LIBS) -lstemmer -lpthread -lm # libstemmer has no .pc file

# A room is a folder with all folders below it: below(FOLDER,PATTERN) finds its files.
below    = $(sort $(shell find $(1) -name '$(2)'))
room     = $(patsubst %.c,$(B)/%.o,$(call below,$(1),*.c))
ROOMS   := $(B)/libfs.a $(B)/librender.a $(B)/libstore.a
# The tables of the tape, and of the views in the order of the floors.
TABLES  := $(foreach r,views logs documents facts context memories,store/$(r)/$(r).sql)
TEXTS   := $(B)/store/tape/tape.inc $(B)/store/server/server.inc $(B)/store/server/tables.inc $(B)/store/views/views.inc $(B)/render/pages/readme.inc \
	$(B)/render/plot/style.inc $(B)/render/html/style.inc $(B)/render/html/search.inc $(B)/mount/mcp/tools.inc
RANKS   := $(B)/store/tokens
HASHES  := $(B)/render/html/hashes.inc

all: $(B)/cinta ## build build/cinta

# Sanitizers bring an allocator of their own.
$(B)/cinta: $(filter-out $(if $(SAN),$(B)/mount/words/wipe.o),$(call room,mount)) $(ROOMS)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)
$(B)/libstore.a: $(call room,store) $(RANKS)/ranks.o
$(B)/librender.a: $(call room,render)
$(B)/libfs.a: $(call room,fs)
$(ROOMS): # q, not r: files in two folders may have one name
	@rm -f $@
	$(AR) qcs $@ $^

$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(DEFS) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
# Texts become C strings; .d files say who includes which.
$(B)/store/tape/tape.inc: store/tape/tape.sql
$(B)/store/server/server.inc: store/server/server.sql
$(B)/store/server/tables.inc: store/server/tables.sql
$(B)/store/views/views.inc: $(TABLES)
$(B)/render/pages/readme.inc: render/pages/readme.md
$(B)/render/plot/style.inc: render/plot/style.css
$(B)/render/html/style.inc: render/html/style.css
$(B)/render/html/search.inc: render/html/search.js
$(B)/mount/mcp/tools.inc: mount/mcp/tools.json
$(TEXTS):
	@mkdir -p $(@D)
	cat $^ | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' > $@
$(call room,store) $(call room,render) $(call room,mount): | $(TEXTS) $(HASHES)
# What the policy of a page allows: these styles and this script, by their hashes.
$(HASHES): render/html/hashes.py render/plot/style.css render/html/style.css render/html/search.js
	@mkdir -p $(@D)
	python3 $^ > $@
# The vocabularies of the tokenizers become a table for lookups.
$(RANKS)/ranks.table: store/tokens/ranks.py store/tokens/ranks.bin
	@mkdir -p $(@D)
	python3 $< table store/tokens/ranks.bin $@
$(RANKS)/ranks.o: store/tokens/ranks.S $(RANKS)/ranks.table
	$(CC) $(HARDEN_CC) -DRANKS_TABLE='"$(RANKS)/ranks.table"' -c -o $@ $<

# ---- tests: each test_*.c below tests/FAMILY is a program; its other .c files help all of them
FAMILIES := unit golden hostile wire fault
CASES    := $(foreach f,$(FAMILIES),$(call below,tests/$(f),test_*.c))
PROGRAMS := $(patsubst %.c,$(B)/%,$(CASES))
SOURCES  := $(foreach f,$(FAMILIES),$(call below,tests/$(f),*.c))
helpers  = $(patsubst %.c,$(B)/%.o,$(filter tests/$(1)/%,$(filter-out $(CASES),$(SOURCES))))

define FAMILY
$(B)/tests/$(1)/help.a: $(call helpers,$(1))
	@mkdir -p $$(@D) && rm -f $$@
	$(AR) qcs $$@ $$^
$(filter $(B)/tests/$(1)/%,$(PROGRAMS)): %: %.o $(B)/tests/$(1)/help.a $(ROOMS)
	$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(ALL_LIBS) -lcmocka
endef
$(foreach f,$(FAMILIES),$(eval $(call FAMILY,$(f))))

# A fuzzer tries its corpus by replay.c, or looks for more by libFuzzer, which clang has.
FUZZERS  := $(patsubst %.c,$(B)/%,$(call below,tests/fuzz,fuzz_*.c))
DRIVER    = $(if $(findstring fuzzer,$(SAN)),-fsanitize=fuzzer,$(B)/tests/fuzz/replay.o)
$(FUZZERS): %: %.o $(B)/tests/fuzz/replay.o $(B)/tests/wire/help.a $(ROOMS)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(DRIVER) $(filter %.a,$^) $(ALL_LIBS)
test-programs: $(PROGRAMS) $(FUZZERS)
FUZZ_WITH = CC=clang SAN=fuzzer-no-link,address,undefined B=build-fuzz
fuzz: ## look for inputs that break a rule: T=name SECONDS=60
fuzz-merge: ## keep few inputs that cover as much: T=name
fuzz fuzz-merge:
	@test -n "$(T)" || { echo 'T= one of $(patsubst fuzz_%,%,$(notdir $(FUZZERS)))'; exit 2; }
	@$(MAKE) -s $(FUZZ_WITH) $(T:%=build-fuzz/tests/fuzz/fuzz_%)
	@$(foreach t,$(T),BUILD=build-fuzz tests/fuzz/run $(@:fuzz-%=%) $(t) $(or $(SECONDS),60) &&) true

test: export WERROR := 1
test: test-deps ## all tests; ends with "N passed, N failed"
	@$(MAKE) -s all
	@tests/run
test-long: export WERROR := 1
test-long: test-deps ## hours of the same: long storms, many kills, ten minutes of each fuzzer
	@$(MAKE) -s all
	@CINTA_LONG=1 tests/run
	@$(MAKE) -s fuzz SECONDS=600 T='$(patsubst fuzz_%,%,$(notdir $(FUZZERS)))'
test-clients: test-deps ## real agents from npm, without a network: some hundred MB
	@$(MAKE) -s all
	@tests/clients/run
test-cluster: test-deps cluster-deps ## memories on a PostgreSQL server of its own, as Debian has it
	@$(MAKE) -s all
	@tests/cluster/run
test-pages: pages-deps ## the pages of .cinta/html/ in Chromium, with puppeteer-core and axe-core from npm
	@$(MAKE) -s all
	@tests/pages/run
check-layers: all ## the walls between rooms and sub-rooms, and the house style
	@tests/layers.sh
	@tests/house/links.py . $(B)
check-man: all ## the manual pages: lint, and nothing left out
	@tests/check-man.sh $(B)/cinta
bench: bench-deps ## measure; tests/bench/run says against what
	@$(MAKE) -s all
	@tests/bench/run
bench-import: bench-deps ## a file of messages taken in, beside cat >> of the same into a mount
	@$(MAKE) -s all
	@B=$(B) tests/bench/run import
bench-years: bench-deps $(B)/tests/bench/years ## two years of a memory: what grows with it
	@$(MAKE) -s all
	@B=$(B) tests/bench/years.py
$(B)/tests/bench/years: $(B)/tests/bench/years.o $(ROOMS)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)
bench-signals: $(B)/tests/bench/signals ## precision and recall of the signals: LOCOMO=file
	@$< $(if $(V),-v) $(LOCOMO)
$(B)/tests/bench/signals: $(addprefix $(B)/tests/,bench/signals.o unit/help.a) $(B)/librender.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)
bench-topics: $(B)/tests/bench/topics ## topic shifts found, on LOCOMO=file
	@$<
$(B)/tests/bench/topics: $(B)/tests/bench/topics.o $(B)/librender.a $(B)/libstore.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)
bench-tokens: $(B)/tests/bench/tokens ## exact tokens beside tiktoken, from npm
	@B=$(B) node tests/bench/tokens.mjs
bench-recall: $(B)/tests/bench/recall ## what a search finds: LOCOMO=file
	@$< $(LOCOMO)
bench-questions: all ## 64 questions in Spanish to the example memory: DICTIONARY=spa-eng
	@docs/example/run.sh $(B)/example $(B)/example.db > /dev/null
	@$(if $(DICTIONARY),$(B)/cinta umount $(B)/example; \
		$(B)/cinta mount -o dictionary=$(DICTIONARY) $(B)/example.db $(B)/example > /dev/null)
	@python3 tests/bench/questions.py $(B)/example; $(B)/cinta umount $(B)/example
bench-search: $(B)/tests/bench/search ## how fast a search is: N=messages
	@$< $(or $(N),1000000)
$(addprefix $(B)/tests/bench/,tokens recall search): %: %.o $(B)/libstore.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ALL_LIBS)
bench-context: all ## what context.md costs and saves, on LOCOMO=file
	@python3 tests/bench/context.py $(B)/cinta "$(LOCOMO)"
bench-meaning: $(B)/tests/bench/meaning ## what meaning adds to words: LOCOMO=file VECTORS=file
	@$< "$(LOCOMO)" "$(VECTORS)"
bench-vectors: $(B)/tests/bench/vectors ## how fast that is: N=texts D=dimensions
	@$< $(or $(N),100000) $(or $(D),1536)
$(B)/tests/bench/recall $(B)/tests/bench/meaning: $(B)/tests/bench/talks.o
$(B)/tests/bench/meaning $(B)/tests/bench/vectors: %: %.o $(B)/libstore.a
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ALL_LIBS)
run: deps ## an example memory, mounted at ./memory
	@$(MAKE) -s all
	@docs/example/run.sh

picture: all ## README's picture, from a real session
	@docs/example/picture.py docs/session.svg $(B)/cinta

# ---- what must be installed (Debian 12 and later): to build and mount, to test, to measure
PACKAGES := gcc libc6-dev make pkg-config libfuse3-dev fuse3 libsqlite3-dev libssl-dev \
	libjansson-dev libarchive-dev libcurl4-openssl-dev libpq-dev libyaml-dev libpcre2-dev libcmark-dev libstemmer-dev zlib1g-dev \
	python3
TEST_PACKAGES := sqlite3 openssl libcmocka-dev bats mandoc bsdextrautils xxd binutils \
	tmux nodejs strace rsync git clang procps attr e2fsprogs util-linux \
	vim vim-tiny neovim nano emacs-nox micro joe ne mg kakoune jed vis busybox ed gawk perl patch \
	moreutils libglib2.0-bin zip gdb faketime jq
TEST_PACKAGES += $(if $(shell command -v npm 2>/dev/null),,npm) # Node's own packages bring it along
PAGES_PACKAGES := chromium fonts-dejavu-core nodejs fuse3 python3
PAGES_PACKAGES += $(if $(shell command -v npm 2>/dev/null),,npm)
CLUSTER_PACKAGES := postgresql libpq5 pgbouncer
BENCH_PACKAGES := sqlite3 git nodejs
need     = mount/packaging/need.sh

deps: ## install the Debian packages it takes to build and mount
	@$(need) "To build cinta and mount it" $(PACKAGES)
test-deps: deps
	@$(need) "To test cinta" $(TEST_PACKAGES)
pages-deps: deps
	@$(need) "To test the pages" $(PAGES_PACKAGES)
cluster-deps: deps
	@$(need) "To test memories on a server" $(CLUSTER_PACKAGES)
bench-deps: deps
	@$(need) "To measure cinta" $(BENCH_PACKAGES)

# What stands where.  mount(8) looks for helpers in /sbin alone.
BIN      = $(DESTDIR)$(PREFIX)/bin
SHARE    = $(DESTDIR)$(PREFIX)/share
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
SBIN    ?= $(if $(filter /usr /usr/local,$(PREFIX)),/usr,$(PREFIX))/sbin
UNITS    = $(DESTDIR)$(PREFIX)/lib/systemd/user
BASHDIR  = $(SHARE)/bash-completion/completions
FISHDIR  = $(SHARE)/fish/vendor_completions.d
PLUGIN   = $(SHARE)/cinta/claude-plugin
PLUGINS := .claude-plugin/plugin.json hooks/hooks.json .mcp.json skills/memory/SKILL.md
PLACED   = $(BIN)/cinta $(DESTDIR)$(SBIN)/mount.cinta $(SHARE)/man/man1/cinta.1 \
	$(SHARE)/man/man5/cinta.5 $(SHARE)/man/man8/mount.cinta.8 $(UNITS)/cinta@.service \
	$(BASHDIR)/cinta $(DESTDIR)$(ZSHDIR)/_cinta $(FISHDIR)/cinta.fish $(addprefix $(PLUGIN)/,$(PLUGINS))

install: all ## into PREFIX (/usr/local), below DESTDIR
	install -d $(sort $(dir $(PLACED)))
	install -m 755 $(B)/cinta $(BIN)/cinta
	ln -sfr $(BIN)/cinta $(DESTDIR)$(SBIN)/mount.cinta
	install -m 644 docs/cinta.1 $(SHARE)/man/man1
	install -m 644 docs/cinta.5 $(SHARE)/man/man5
	install -m 644 docs/mount.cinta.8 $(SHARE)/man/man8
	sed 's,@BINDIR@,$(PREFIX)/bin,' mount/packaging/cinta@.service > $(UNITS)/cinta@.service
	for f in $(PLUGINS); do install -m 644 mount/packaging/claude-plugin/$$f $(PLUGIN)/$$f || exit; done
	$(B)/cinta --completion bash > $(BASHDIR)/cinta
	$(B)/cinta --completion zsh > $(DESTDIR)$(ZSHDIR)/_cinta
	$(B)/cinta --completion fish > $(FISHDIR)/cinta.fish
uninstall: ## what install put there
	rm -f $(PLACED)

# ---- releases: what tools want at the top of a tree stands in mount/packaging
dist: ## the sources as they are released: build/dist/cinta_VERSION.orig.tar.gz
	@rm -rf $(B)/dist && mount/packaging/lay-out.sh $(B)/dist/cinta-$(VERSION)
	@tar -C $(B)/dist --exclude=cinta-$(VERSION)/debian --sort=name --owner=0 --group=0 \
		--numeric-owner -czf $(B)/dist/cinta_$(VERSION).orig.tar.gz cinta-$(VERSION)
deb: deps dist ## the Debian package and its source, in build/dist
	@$(need) "To make a package" build-essential debhelper
	cd $(B)/dist/cinta-$(VERSION) && dpkg-buildpackage -us -uc
reuse: dist ## licences: `reuse lint`
	@$(need) "To look after licences" reuse
	cd $(B)/dist/cinta-$(VERSION) && reuse lint
test-deb: ## as root: that package in bare chroots of Debian, from build to purge
	@$(need) "For the chroots" debootstrap
	@tests/debian/run -s package.sh
clean: ## all build directories
	rm -rf build build-san-* build-cov build-fuzz
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	@echo "  profiles: SAN=address,undefined  SAN=thread  COV=1"

-include $(shell find $(B) -name '*.d' 2>/dev/null)
.PHONY: all picture test test-clients test-cluster cluster-deps test-pages pages-deps test-deps bench-deps test-long fuzz fuzz-merge test-programs check-layers check-man bench bench-signals bench-topics run deps dist deb reuse test-deb install uninstall clean help bench-tokens bench-recall bench-questions bench-search bench-context bench-meaning bench-vectors bench-years bench-import
.DELETE_ON_ERROR:
