/* SPDX-License-Identifier: MIT */
/* Signing what is on the tape now: by the maintenance thread, at the end, and after a redaction. */
#include "store/internal.h"
#include "store/tape/tape.h"

int store_sign(struct store *s)
{
	if (!s->signer || s->read_only)
		return STORE_EROFS;
	lock_take(&s->commit_lock);
	int64_t size = s->next_seq;
	int err = durable_mend(s);
	if (!err && signer_size(s->signer) < size) {
		err = signer_sign(s->signer, s->w, store_time(s));
		if (err == STORE_EIO) /* perhaps it was the sync */
			durable_failed(s);
	}
	if (!err && atomic_load(&s->synced) < size)
		atomic_store(&s->synced, size);
	lock_give(&s->commit_lock);
	return err ? err : signer_publish(s->signer);
}
