/* SPDX-License-Identifier: MIT */
/*
 * Part of the store's door: libraries that are loaded when they are first needed, libpq here,
 * libcurl in fs/, libarchive in mount/.  Who does not need them pays nothing, and needs none.
 */
#ifndef CINTA_STORE_LIBRARY_H
#define CINTA_STORE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* A function of the library, and where the caller's struct of pointers has it. */
struct library_symbol {
	size_t at;
	const char *name;
};
#define LIBRARY_SYMBOL(of, member, function) { offsetof(struct of, member), #function }

/*
 * Loads `file` and sets the pointers of `functions`; false: it is not here, or lacks one of them.
 * It stays loaded: its threads and those of its libraries may outlive the caller.
 */
bool library_load(const char *file, const struct library_symbol *symbols, size_t count,
                  void *functions);

#endif
