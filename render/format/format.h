/* SPDX-License-Identifier: MIT */
/*
 * The door of render/format for the rest of the room: bytes, JSON, YAML front matter, markdown.
 */
#ifndef CINTA_RENDER_FORMAT_H
#define CINTA_RENDER_FORMAT_H

#include "render/format/bare.h"
#include "render/format/buf.h"
#include "render/format/codes.h"
#include "render/format/frontmatter.h"
#include "render/format/escape.h"
#include "render/format/json.h"
#include "render/format/json_key.h"
#include "render/format/json_tree.h"
#include "render/format/markdown.h"
#include "render/format/pattern.h"
#include "render/format/plain.h"
#include "render/format/quote.h"
#include "render/format/time_read.h"
#include "render/format/utf8.h"

#endif
