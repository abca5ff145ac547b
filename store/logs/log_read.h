/* SPDX-License-Identifier: MIT */
/* What the files that read logs share: statements of a reading connection (log_sql.c). */
#ifndef CINTA_LOG_READ_H
#define CINTA_LOG_READ_H

#include "store/internal.h"
#include "store/logs/logs.h"

enum {
	READ_GROUP_NAME = SQL_FIRST(SQL_LOGS), READ_GROUP_ID, READ_GROUP_NEXT, READ_GROUP_LAST,
	READ_GROUP_NEWEST, READ_LINE, READ_STREAM, READ_THREAD, READ_TAPE, READ_MESSAGE, READ_REFS,
	READ_LINE_TIME, READ_LINE_TOKENS, READ_SESSION_BEFORE, READ_GROUP_MADE, READ_GROUP_TOTALS,
	READ_SESSION_COUNT, READ_TALK, READ_TALK_NAME, READ_TALKS, READ_TAKEN
};

#endif
