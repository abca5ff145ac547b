/* SPDX-License-Identifier: MIT */
/* Names of streams: a letter and a number, as "s17".  Knows text, never the database. */
#include <assert.h>
#include <stdio.h>

#include "store/store.h"

void store_log_stream(struct log_id log, char stream[24])
{
	assert(log.kind == LOG_SESSION || log.kind == LOG_RECORD);
	(void)snprintf(stream, 24, "%c%lld", log.kind == LOG_SESSION ? 's' : 'r', (long long)log.id);
}

void store_session_stream(int64_t id, char stream[24])
{
	store_log_stream((struct log_id){ LOG_SESSION, id }, stream);
}

int64_t store_stream_number(const char *stream, char first)
{
	if (stream[0] != first || stream[1] < '1' || stream[1] > '9')
		return 0;
	int64_t id = 0;
	for (const char *p = stream + 1; *p; p++) {
		if (*p < '0' || *p > '9' || p - stream > 18)
			return 0;
		id = id * 10 + (*p - '0');
	}
	return id;
}

int64_t store_stream_session(const char *stream)
{
	return store_stream_number(stream, 's');
}

bool store_stream_log(const char *stream, struct log_id *log)
{
	*log = (struct log_id){ LOG_SESSION, store_stream_number(stream, 's') };
	if (log->id > 0)
		return true;
	*log = (struct log_id){ LOG_RECORD, store_stream_number(stream, 'r') };
	return log->id == RECORD_ACCOUNTANT || log->id == RECORD_SECRETARY;
}
