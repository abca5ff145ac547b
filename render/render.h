/* SPDX-License-Identifier: MIT */
/*
 * The door of the renderer: records to pages and offered lines to records.
 * Everything here is pure: bytes in, bytes out; no I/O, no clock, no store.
 *
 * Outputs are appended to a caller-owned `struct buf`; check `failed` once.
 * Functions that read what a user offered return 0 or a negative RENDER_ code
 * and then fill `why`.
 */
#ifndef CINTA_RENDER_H
#define CINTA_RENDER_H

#include "render/answers/answers.h"
#include "render/context/context.h"
#include "render/documents/documents.h"
#include "render/facts/facts.h"
#include "render/format/plain.h"
#include "render/html/html.h"
#include "render/import/import.h"
#include "render/logs/logs.h"
#include "render/pages/pages.h"
#include "render/plot/plot.h"
#include "render/search/search.h"
#include "render/secrets/secrets.h"
#include "render/text/meaning.h"
#include "render/vectors/vectors.h"

#endif
