/* SPDX-License-Identifier: MIT */
/* A sidecar that cannot be written (sidecar.h). */
#include "store/tape/sidecar.h"

#include <errno.h>
#include <string.h>

#include "store/tape/tape_state.h"

#define AGAIN_US INT64_C(1000000)

static void tell(struct store *s)
{
	char text[256];
	sidecar_trouble(s, text, sizeof text);
	const struct refusal r = { .time_us = store_time(s), .code = "SIDECAR", .op = "sign",
		.path = ".cinta/checkpoint", .author = "cinta", .reason = text,
		.todo = "until then keep .cinta/checkpoint elsewhere yourself" };
	store_tell(s, &r);
	atomic_store(&s->tape->foreign, 0); /* so that nobody is shown the errors.log of before */
}

void sidecar_turn(struct store *s)
{
	struct tape *t = s->tape;
	int error = t->signer ? signer_unpublished(t->signer) : 0;
	if (error && clock_since_boot() - t->sidecar.tried_at >= AGAIN_US) {
		t->sidecar.tried_at = clock_since_boot();
		(void)signer_publish(t->signer);
		error = signer_unpublished(t->signer);
	}
	if (error == t->sidecar.told)
		return;
	t->sidecar.told = error;
	if (error)
		tell(s);
}

void sidecar_trouble(const struct store *s, char *text, size_t size)
{
	int error = s->tape->signer ? signer_unpublished(s->tape->signer) : 0;
	text[0] = '\0';
	if (error)
		(void)snprintf(text, size, "sidecar: DB.checkpoint cannot be used: %s; %s; it is tried"
		               " every second", error == EINVAL ? "it is no plain file" : strerror(error),
		               error == ENOSPC ? "make room" : "move away what stands in its place, or mend"
		               " owner and mode of the directory");
}
