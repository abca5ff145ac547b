/* SPDX-License-Identifier: MIT */
/* The door of facts. */
#ifndef CINTA_FACTS_H
#define CINTA_FACTS_H

#include "store/facts/fact_read.h"

#endif
