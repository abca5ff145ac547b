/* SPDX-License-Identifier: MIT */
/* The door of the search by meaning. */
#ifndef CINTA_VECTORS_H
#define CINTA_VECTORS_H

#include "store/vectors/search_hybrid.h"
#include "store/vectors/vector_file.h"

#endif
