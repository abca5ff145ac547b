/* SPDX-License-Identifier: MIT */
/* Loading libpq (libpq.h). */
#include "store/server/libpq.h"

#include "store/store.h"

#define SYMBOL(member, function) LIBRARY_SYMBOL(libpq, member, function)
static const struct library_symbol symbols[] = {
	SYMBOL(conninfo_parse, PQconninfoParse),
	SYMBOL(conninfo_free, PQconninfoFree),
	SYMBOL(freemem, PQfreemem),
	SYMBOL(connect_start, PQconnectStartParams),
	SYMBOL(connect_poll, PQconnectPoll),
	SYMBOL(status, PQstatus),
	SYMBOL(error_message, PQerrorMessage),
	SYMBOL(finish, PQfinish),
	SYMBOL(socket, PQsocket),
	SYMBOL(send_query, PQsendQuery),
	SYMBOL(send_query_params, PQsendQueryParams),
	SYMBOL(set_nonblocking, PQsetnonblocking),
	SYMBOL(flush, PQflush),
	SYMBOL(consume_input, PQconsumeInput),
	SYMBOL(is_busy, PQisBusy),
	SYMBOL(get_result, PQgetResult),
	SYMBOL(notifies, PQnotifies),
	SYMBOL(result_status, PQresultStatus),
	SYMBOL(command, PQcmdStatus),
	SYMBOL(error_field, PQresultErrorField),
	SYMBOL(rows, PQntuples),
	SYMBOL(columns, PQnfields),
	SYMBOL(format, PQfformat),
	SYMBOL(value, PQgetvalue),
	SYMBOL(length, PQgetlength),
	SYMBOL(is_null, PQgetisnull),
	SYMBOL(clear, PQclear),
};

int libpq_load(struct libpq *pq, struct why *why)
{
	if (library_load("libpq.so.5", symbols, sizeof symbols / sizeof *symbols, pq))
		return 0;
	why_set(why, "install it: libpq5 in Debian", "libpq.so.5 cannot be loaded");
	return STORE_ENOENT;
}
