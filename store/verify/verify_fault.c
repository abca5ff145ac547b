/* SPDX-License-Identifier: MIT */
/* How a run of verify ends early: its verdict, and what is wrong. */
#include "store/db/db.h"
#include "store/verify/verify.h"

int verify_fault(struct verify *v, enum verdict verdict, int64_t seq, const char *fmt, ...)
{
	va_list ap;
	v->out->verdict = verdict;
	v->out->seq = seq;
	va_start(ap, fmt);
	(void)vsnprintf(v->out->detail, sizeof v->out->detail, fmt, ap);
	va_end(ap);
	return 1;
}

int verify_sqlite_said(struct verify *v, int64_t seq, int rc, const char *said)
{
	int err = db_error(rc);
	/* A missing table or a schema that does not parse is damage as well. */
	if (err == STORE_EFORMAT || (rc & 0xff) == SQLITE_ERROR || err == 0)
		return verify_fault(v, VERDICT_FORMAT, seq, "the database is damaged or not a tape: %s",
		                    said);
	(void)snprintf(v->out->detail, sizeof v->out->detail, "cannot read: %s", said);
	return err;
}

int verify_sqlite(struct verify *v, int64_t seq)
{
	return verify_sqlite_said(v, seq, sqlite3_errcode(v->db), sqlite3_errmsg(v->db));
}
