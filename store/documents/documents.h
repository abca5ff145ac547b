/* SPDX-License-Identifier: MIT */
/* The door of documents: bodies of their entries, and what was looked up lately. */
#ifndef CINTA_DOCUMENTS_H
#define CINTA_DOCUMENTS_H

#include "store/documents/doc_body.h"
#include "store/documents/doc_cache.h"
#include "store/documents/doc_read.h"

#endif
