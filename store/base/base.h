/* SPDX-License-Identifier: MIT */
/*
 * The door of store/base: clocks, files and hashes, which know nothing of a memory.  Locks and
 * tickers, which fs/ and mount/ use too, have doors of the room: store/lock.h, store/ticker.h.
 */
#ifndef CINTA_STORE_BASE_H
#define CINTA_STORE_BASE_H

#include "store/base/chain.h"
#include "store/base/clock.h"
#include "store/base/disk.h"
#include "store/base/file_id.h"
#include "store/base/pack.h"
#include "store/base/private.h"
#include "store/base/time_text.h"
#include "store/lock.h"
#include "store/ticker.h"

#endif
