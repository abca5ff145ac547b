/* SPDX-License-Identifier: MIT */
/*
 * libpq, PostgreSQL's own client library, loaded when the first server is named: who keeps a memory
 * in a file needs none.  What we call of it, as its header declares it.
 */
#ifndef CINTA_LIBPQ_H
#define CINTA_LIBPQ_H

#include <libpq-fe.h>

#include "store/entry.h"

struct libpq {
	__typeof__(&PQconninfoParse) conninfo_parse;
	__typeof__(&PQconninfoFree) conninfo_free;
	__typeof__(&PQfreemem) freemem;
	__typeof__(&PQconnectStartParams) connect_start;
	__typeof__(&PQconnectPoll) connect_poll;
	__typeof__(&PQstatus) status;
	__typeof__(&PQerrorMessage) error_message;
	__typeof__(&PQfinish) finish;
	__typeof__(&PQsocket) socket;
	__typeof__(&PQsendQuery) send_query;
	__typeof__(&PQsendQueryParams) send_query_params;
	__typeof__(&PQsetnonblocking) set_nonblocking;
	__typeof__(&PQflush) flush;
	__typeof__(&PQconsumeInput) consume_input;
	__typeof__(&PQisBusy) is_busy;
	__typeof__(&PQgetResult) get_result;
	__typeof__(&PQnotifies) notifies;
	__typeof__(&PQresultStatus) result_status;
	__typeof__(&PQcmdStatus) command;
	__typeof__(&PQresultErrorField) error_field;
	__typeof__(&PQntuples) rows;
	__typeof__(&PQnfields) columns;
	__typeof__(&PQfformat) format;
	__typeof__(&PQgetvalue) value;
	__typeof__(&PQgetlength) length;
	__typeof__(&PQgetisnull) is_null;
	__typeof__(&PQclear) clear;
};

/* 0, or STORE_ENOENT with `why`: it is not here. */
int libpq_load(struct libpq *pq, struct why *why);

#endif
