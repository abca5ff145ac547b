/* SPDX-License-Identifier: MIT */
/* Holds the SQL texts; the build turns the .sql files into C strings. */
#include "store/db/schema.h"

const char schema_sql[] =
#include "store/db/schema.inc"
	;
const char views_sql[] =
#include "store/db/views.inc"
	;
