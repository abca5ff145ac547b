/* SPDX-License-Identifier: MIT */
/* A sidecar that cannot be written (sidecar.h). */
#include "store/signing/sidecar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store/signing/signer.h"

#define AGAIN_US INT64_C(1000000)

bool sidecar_turn(struct sidecar *c, struct signer *signer)
{
	int error = signer ? signer_unpublished(signer) : 0;
	if (error && clock_since_boot() - c->tried_at >= AGAIN_US) {
		c->tried_at = clock_since_boot();
		(void)signer_publish(signer);
		error = signer_unpublished(signer);
	}
	bool fresh = error && error != c->told;
	c->told = error;
	return fresh;
}

void sidecar_trouble(const struct signer *signer, char *text, size_t size)
{
	int error = signer ? signer_unpublished(signer) : 0;
	text[0] = '\0';
	if (error)
		(void)snprintf(text, size, "sidecar: DB.checkpoint cannot be used: %s; %s; it is tried"
		               " every second", error == EINVAL ? "it is no plain file" : strerror(error),
		               error == ENOSPC ? "make room" : "move away what stands in its place, or mend"
		               " owner and mode of the directory");
}
