/* SPDX-License-Identifier: MIT */
/* The door of render/text for the rest of the room; meaning.h is what other rooms see too. */
#ifndef CINTA_RENDER_TEXT_H
#define CINTA_RENDER_TEXT_H

#include "render/text/fold.h"
#include "render/text/meaning.h"
#include "render/text/normalized_words.h"
#include "render/text/signal_text.h"

#endif
