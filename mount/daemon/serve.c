/* SPDX-License-Identifier: MIT */
/*
 * Owns store, filesystem and mounts, and their order: what is made last goes
 * first.  Called by cmd_mount.c, in the child or in front.
 *
 *   store_open -> fs_new -> fs_mount -> control, signals -> ready -> fs_wait
 *
 * A further mount may arrive while the last one goes.  So after fs_wait the
 * control socket is closed first, and only if then no mount lives, we end.
 */
#include "mount/daemon/serve.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "fs/fs.h"
#include "mount/daemon/companion.h"
#include "mount/daemon/control.h"
#include "mount/daemon/daemon.h"
#include "mount/daemon/manager.h"
#include "mount/daemon/signals.h"
#include "mount/daemon/supervisor.h"
#include "mount/memory/memory.h"
#include "mount/point/point.h"
#include "mount/words/words.h"
#include "store/lock.h"
#include "store/store.h"

struct mounted {
	struct fs_mount *m;
	struct mounted *next;
};

struct server {
	const struct serve *plan;
	struct store *store;
	struct fs *fs;
	struct mounted *mounts; /* the control thread's while it runs, else ours */
	struct control *control;
	struct signals signals;
	struct supervisor supervisor;
	struct manager manager;
	atomic_bool follows; /* we answer, so there may be a companion */
	struct companion companion; /* the signal thread's while it runs */
	/* The store's maintenance may call while we take the filesystem down. */
	struct lock foreign_lock;
	struct fs *foreign; /* guarded by foreign_lock; NULL: not up, or going */
};

static void foreign_append(void *ctx, int64_t seq)
{
	struct server *s = ctx;
	lock_take(&s->foreign_lock);
	if (s->foreign)
		fs_on_foreign(s->foreign, seq);
	lock_give(&s->foreign_lock);
}

static void bodies_gone(void *ctx)
{
	struct server *s = ctx;
	lock_take(&s->foreign_lock);
	if (s->foreign)
		fs_on_redacted(s->foreign);
	lock_give(&s->foreign_lock);
}

/* Called by the maintenance thread.  Into DB.log, for nobody looks at the mount all day; errors.log
 * has a line more. */
static void signing_trouble(void *ctx, const char *text)
{
	const struct server *s = ctx;
	complain("%s: %s", s->plan->database, text);
	foreign_append(ctx, -1);
}

static void set_foreign(struct server *s, struct fs *fs)
{
	lock_take(&s->foreign_lock);
	s->foreign = fs;
	lock_give(&s->foreign_lock);
}

/* ---- mounts ------------------------------------------------------------ */

/* Frees what was unmounted from outside; `all`: unmounts the rest, too. */
static void drop_mounts(struct server *s, bool all)
{
	for (struct mounted **at = &s->mounts; *at;) {
		struct mounted *m = *at;
		if (!all && fs_mounted(m->m)) {
			at = &m->next;
			continue;
		}
		unsigned device = fs_device(m->m);
		if (fs_unmount(m->m)) {
			at = &m->next;
			continue;
		}
		supervisor_unmounted(&s->supervisor, device);
		*at = m->next;
		free(m);
	}
}

static int add_mount(struct server *s, const struct control_mount *r, struct why *why)
{
	char words[2 * PATH_MAX + 64];
	(void)snprintf(words, sizeof words, "subtype=cinta%s", r->noexec ? ",noexec" : "");
	if (!options_add(words, sizeof words, "fsname", s->plan->database))
		return -ENAMETOOLONG;
	struct fs_mount_options o = {
		.dir = r->dir,
		.session = r->session,
		.owner = r->owner,
		.server = r->server,
		.agent = r->agent,
		.as = r->as,
		.only = r->only,
		.ro = r->ro,
		.hide = r->hide,
		.read_only = r->read_only,
		.retires = r->retires,
		.fresh = r->fresh,
		.access = r->access,
		.fuse_opts = words,
		.debug = r->debug,
	};
	struct mounted *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	int error = fs_mount(s->fs, &o, &m->m, why);
	if (error) {
		free(m);
		return error;
	}
	supervisor_mounted(&s->supervisor, m->m);
	m->next = s->mounts;
	s->mounts = m;
	return 0;
}

/* A request of the control socket. */
static int mount_more(void *ctx, const struct control_mount *r, struct why *why)
{
	struct server *s = ctx;
	drop_mounts(s, false);
	int error = point_check(r->dir, s->plan->database, r->nonempty, why);
	if (error == 0)
		error = add_mount(s, r, why);
	if (error && !why->text[0])
		why_set(why, "see `cinta doctor`", "cannot mount on %s: %s", r->dir,
		        strerror(-error));
	return error;
}

/* Another; the store may be read-only by now, for which it is asked. */
static int rescue(void *ctx, const struct control_rescue *r, struct why *why)
{
	struct server *s = ctx;
	const struct mounted *m = s->mounts;
	while (m && fs_device(m->m) != r->device)
		m = m->next;
	if (!m)
		return -ENODEV;
	(void)fs_keep(s->fs);
	int error = store_rescue(s->store, r->to, why);
	if (error && !why->text[0])
		why_set(why, "name a file elsewhere", "%s: %s", r->to, store_strerror(error));
	return error ? -EIO : 0;
}

static void keep(void *ctx, struct control_kept *out)
{
	const struct server *s = ctx;
	out->unkept = (int64_t)fs_keep(s->fs);
	store_scratch_why(s->store, out->why, sizeof out->why);
}

static void tell_status(void *ctx, struct status *out)
{
	const struct server *s = ctx;
	store_status(s->store, out);
}

/* ---- up ---------------------------------------------------------------- */

static int open_store(struct server *s)
{
	const struct options *o = s->plan->options;
	struct store_config config = {
		.flags = STORE_OWNER | STORE_CREATE,
		.origin = o->origin,
		.key_dir = o->key_dir,
		.text_size = fs_text_size,
		.plain_text = fs_plain_text,
		.on_foreign = foreign_append,
		.on_redacted = bodies_gone,
		.on_trouble = signing_trouble,
		.ctx = s,
		.tokenizer = s->plan->tokenizer,
	};
	struct why why = { 0 };
	if (s->plan->lock < 0)
		config.flags = STORE_READONLY;
	int error = store_open(s->plan->database, &config, &s->store, &why);
	bool full = error && s->plan->lock >= 0 && store_is_full(s->plan->database);
	if (full || (error == STORE_EROFS && o->ro && s->plan->lock >= 0)) {
		struct why second = { 0 };
		config.flags = STORE_READONLY;
		config.why_reading = full ? "disk full: nothing could be made beside the database:"
			" read-only; make room, then unmount and mount" : NULL;
		error = store_open(s->plan->database, &config, &s->store, &second);
	}
	if (!error && o->dictionary) {
		why = (struct why){ 0 };
		error = store_dictionary(s->store, o->dictionary, &why);
	}
	if (error)
		complain_why(s->plan->database, &why, store_strerror(error));
	return error;
}

/* Whoever reads the tape should hear at once that it is in trouble. */
static void tell_trouble(struct server *s)
{
	struct status *st = calloc(1, sizeof *st);
	if (!st)
		return;
	store_status(s->store, st);
	char key[PATH_MAX], cure[PATH_MAX + 64] = "";
	if (strncmp(st->trouble, "no key for ", 11) == 0 &&
	    store_key_file(s->plan->options->key_dir, st->origin, key, sizeof key) == 0)
		(void)snprintf(cure, sizeof cure, "; copy it back to %s, or name where it is: -o key_dir=",
		               key);
	if (st->trouble[0])
		complain("warning: %s: %s%s%s", s->plan->database, st->trouble,
		         st->read_only ? " (mounted read-only)" : "", cure);
	free(st);
}

static int open_fs(struct server *s)
{
	const struct options *o = s->plan->options;
	struct fs_options fo = *s->plan->embedding;
	fo.model_limit = s->plan->model_limit;
	fo.threshold = s->plan->threshold;
	fo.summarizer = o->summarizer;
	int error = fs_new(s->store, &fo, &s->fs);
	if (error)
		complain("cannot start the filesystem: %s", strerror(-error));
	if (error)
		return error;
	set_foreign(s, s->fs);
	enum fs_fresh fresh;
	(void)options_fresh(o, &fresh);
	struct control_mount first = { s->plan->dir, o->session, o->owner, o->server, o->agent, o->as,
	                               o->only, o->ro_below, o->hide, o->ro, options_retire(o),
	                               o->nonempty, o->noexec, s->plan->debug, fresh,
	                               s->plan->access };
	struct why why = { 0 };
	error = add_mount(s, &first, &why);
	if (error)
		complain_why(s->plan->dir, &why, strerror(-error));
	return error;
}

static int open_control(struct server *s)
{
	if (s->plan->lock < 0)
		return 0;
	struct why why = { 0 };
	const struct control_calls calls = { mount_more, rescue, tell_status, keep, s };
	int error = control_start(s->plan->database, &calls, &s->control, &why);
	if (error == 0)
		error = owner_announce(s->plan->lock, control_socket(s->control));
	if (error == -ENOSPC) /* status says the same; nobody can ask us to mount it once more */
		return 0;
	if (error)
		complain_why(s->plan->database, &why, strerror(-error));
	return error;
}

/* Where nobody can own anything nothing is written, either. */
static int log_name(const struct serve *plan, char log[PATH_MAX])
{
	if (plan->lock < 0) {
		(void)snprintf(log, PATH_MAX, "/dev/null");
		return 0;
	}
	return (size_t)snprintf(log, PATH_MAX, "%s.log", plan->database) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int tell_ready(struct server *s)
{
	const struct serve *plan = s->plan;
	char log[PATH_MAX];
	if (plan->peer < 0) {
		int failed = manager_ready(&s->manager, plan->dir);
		if (failed)
			complain("warning: nobody tells the service manager that the mount answers: %s",
			         strerror(-failed));
		return 0;
	}
	int error = log_name(plan, log);
	return error ? error : daemon_ready(plan->peer, log);
}

/* ---- running and down -------------------------------------------------- */

static void stop_fs(void *ctx)
{
	struct server *s = ctx;
	fs_stop(s->fs);
}

static void tell_companion(struct server *s, const char *text)
{
	struct timespec now;
	char reason[256];
	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)snprintf(reason, sizeof reason, "the process that takes in what agents write: %s", text);
	const struct refusal r = { .time_us = now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000,
		.code = "ECHILD", .op = "follow", .path = "sessions", .author = "cinta", .reason = reason,
		.todo = "it is started again; if it ends again and again, see what DB.log says" };
	complain("warning: %s; it is started again", reason);
	store_tell(s->store, &r);
	foreign_append(s, -1);
}

static int look_after_child(void *ctx)
{
	struct server *s = ctx;
	char text[128] = "";
	int again = 0;
	if (supervisor_has_gone(&s->supervisor))
		complain("warning: the process that frees the mounts if this one dies has gone; mount anew "
		         "to have another");
	if (atomic_load(&s->follows) && !atomic_load(&s->signals.stopped))
		again = companion_look(&s->companion, text, sizeof text);
	if (text[0])
		tell_companion(s, text);
	return again;
}

static bool any_mounted(const struct server *s)
{
	for (const struct mounted *m = s->mounts; m; m = m->next)
		if (fs_mounted(m->m))
			return true;
	return false;
}

static int server_run(struct server *s)
{
	for (;;) {
		fs_wait(s->fs);
		control_stop(s->control);
		s->control = NULL;
		if (atomic_load(&s->signals.stopped) || !any_mounted(s))
			return EXIT_FINE;
		if (open_control(s))
			return EXIT_FAULT;
	}
}

/*
 * A thread that waits for something that does not come would have us wait for ever.  It may be
 * inside the store, which cannot be closed then; what is committed needs no closing.
 */
static _Noreturn void leave(struct server *s)
{
	complain("a request or a notification does not end: leaving without it");
	(void)store_sign(s->store);
	(void)store_sync(s->store);
	_exit(EXIT_FAULT);
}

static void take_down(struct server *s)
{
	signals_deadline(STOP_SECONDS);
	manager_say(&s->manager, "STOPPING=1");
	companion_end(&s->companion);
	control_stop(s->control);
	if (s->fs)
		fs_stop(s->fs);
	drop_mounts(s, true);
	if (s->mounts)
		leave(s);
	manager_end(&s->manager); /* a look at a mount that has gone has ended */
	signals_deadline(CLOSE_SECONDS);
	set_foreign(s, NULL);
	size_t left = s->fs ? fs_keep(s->fs) : 0;
	if (left > 0)
		complain("%zu files off the tape (logs/, smma/workspace, names with a dot) could not be"
		         " kept beside the database: they are gone", left);
	if (s->fs)
		fs_free(s->fs);
	if (s->store)
		store_close(s->store);
	supervisor_end(&s->supervisor);
	lock_destroy(&s->foreign_lock);
	signals_deadline(0);
}

static void start_supervisor(struct server *s)
{
	char log[PATH_MAX];
	int error = log_name(s->plan, log);
	if (error == 0)
		error = supervisor_start(&s->supervisor, log);
	if (error)
		complain("warning: a mount may hang if this process is killed: %s", strerror(-error));
}

int serve(const struct serve *plan)
{
	struct server s = { .plan = plan, .supervisor = { .lifeline = -1 },
		.companion = { .argv = plan->companion } };
	int status = EXIT_FAULT;
	bool ready = false;
	manager_find(&s.manager); /* a daemon that goes on by itself has none */
	if (plan->peer >= 0)
		s.manager.size = 0;
	/*
	 * No core of ours, and no debugger of another program of the user: the key is in memory; and a
	 * dead daemon would not end before its core is written.
	 */
	if (!plan->debug)
		(void)prctl(PR_SET_DUMPABLE, 0);
	start_supervisor(&s);
	signals_block();
	lock_init(&s.foreign_lock, RANK_FOREIGN);
	if (open_store(&s) || open_fs(&s))
		goto out;
	int error = signals_begin(&s.signals, stop_fs, look_after_child, &s);
	if (error) {
		complain("cannot start a thread: %s", strerror(-error));
		goto out;
	}
	if (open_control(&s) == 0) {
		tell_trouble(&s);
		ready = tell_ready(&s) == 0;
		if (ready) {
			atomic_store(&s.follows, plan->lock >= 0);
			signals_look(&s.signals);
			status = server_run(&s);
		}
	}
	signals_end(&s.signals);
out:
	take_down(&s);
	if (!ready && plan->made)
		database_unmake(plan->database, plan->options->key_dir);
	return status;
}
