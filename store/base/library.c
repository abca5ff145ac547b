/* SPDX-License-Identifier: MIT */
/* Loading by the name that a library has for programs (library.h). */
#include "store/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *file, const struct library_symbol *symbols, size_t count,
                  void *functions)
{
	void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; lib && i < count; i++) {
		void *symbol = dlsym(lib, symbols[i].name);
		if (!symbol)
			return false;
		memcpy((char *)functions + symbols[i].at, &symbol, sizeof symbol);
	}
	return lib != NULL;
}
