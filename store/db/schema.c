/* SPDX-License-Identifier: MIT */
/* Holds the SQL texts; the build turns the .sql files into C strings. */
#include "store/db/schema.h"

const char schema_sql[] =
#include "store/tape/tape.inc"
	;
const char views_sql[] =
#include "store/views/views.inc"
	;
const char gone_sql[] = "CREATE INDEX IF NOT EXISTS v_gone ON tape (seq) WHERE body IS NULL";
