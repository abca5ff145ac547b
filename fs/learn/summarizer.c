/* SPDX-License-Identifier: MIT */
/* When the command runs, for which messages, and what becomes of what it says. */
#include "fs/learn/summarizer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fs/learn/command.h"
#include "fs/internal.h"
#include "fs/context/context.h"
#include "store/thread.h"

enum { LIMIT_MS = 10000, REST_MS = 2000, HOUR_MS = 3600000 };
enum { LOOK_AT = 256 /* entries of a turn */, SESSIONS = 64, FAILURES = 64 };
#define AUTHOR "cinta:summarizer"

/* Why there is no digest; in errors.log each once an hour. */
enum reason {
	NOT_RUN, FAILED, LATE, LARGE, NO_FORM, NOT_STORED, REASONS
};

struct failure {
	int64_t session, at_ms; /* session 0: none */
	struct context_range range;
};

struct summarizer {
	struct fs *fs;
	char *command;
	int limit_ms, rest_ms;
	int stop; /* an eventfd */
	pthread_t thread;
	int64_t tape_bytes, seen; /* of the tape: its size, the entries looked at */
	struct due {
		int64_t session, since_ms;
	} due[SESSIONS];
	size_t dues;
	struct failure failed[FAILURES];
	size_t failures;
	int64_t told_ms[REASONS]; /* 0: never */
};

/* ---- what is told ---------------------------------------------------------------- */

static void summarizer_tell(struct summarizer *s, enum reason reason, const char *session,
                            const char *detail, const struct buf *said)
{
	static const char *const code[REASONS] = { "EAGAIN", "ECHILD", "ETIMEDOUT", "EFBIG", "EINVAL",
		"EIO" };
	static const char *const todo[REASONS] = {
		"see whether there is memory, and room for one more process",
		"run it by hand: a JSON object on its standard input, a summary on its output, status 0",
		"make it faster; the summary by rule stays",
		"a summary is a few lines: topic, discussed, decisions, outcome, open_questions",
		"print the keys topic, discussed, decisions, outcome, open_questions, and nothing else",
		"see cinta status DB and cinta doctor DB" };
	char path[NAME_LIMIT + 64], kept[NAME_LIMIT + 1];
	int64_t now = now_ms();
	struct job job;
	if (s->told_ms[reason] && now - s->told_ms[reason] < HOUR_MS)
		return;
	s->told_ms[reason] = now;
	(void)snprintf(path, sizeof path, "sessions/%s/context.md", session);
	struct refusal r = { .time_us = now_us(), .code = code[reason], .op = "summarize",
		.path = path, .author = AUTHOR, .reason = detail, .todo = todo[reason], .kept = "" };
	(void)told_refuse(s->fs, &r, "summary.yaml", said ? said->data : NULL,
	                   said ? said->len : 0, kept);
	job_init(&job, s->fs);
	job_errors(&job);
	job_finish(&job, NULL, NULL, NULL);
}

static bool failed_lately(const struct summarizer *s, int64_t session, struct context_range r)
{
	for (size_t i = 0; i < FAILURES; i++) {
		const struct failure *f = &s->failed[i];
		if (f->session == session && f->range.first == r.first && f->range.last == r.last &&
		    now_ms() - f->at_ms < HOUR_MS)
			return true;
	}
	return false;
}

static void note_failure(struct summarizer *s, int64_t session, struct context_range r)
{
	s->failed[s->failures++ % FAILURES] = (struct failure){ session, now_ms(), r };
}

/* ---- one segment ------------------------------------------------------------------ */

struct segment {
	int64_t session, tokens; /* tokens: most of the summary */
	const char *name;        /* the session's */
	struct context_range range;
};

static void add_member(struct buf *in, const char *name, const char *text)
{
	buf_addf(in, ",\"%s\":", name);
	buf_add_json(in, text, strlen(text));
}

static int add_message(void *ctx, const struct turn *t)
{
	struct buf *in = ctx;
	size_t len = utf8_fit(t->content, t->len, POLICY_TURN_BYTES);
	buf_addf(in, "%s{\"id\":%lld", in->data[in->len - 1] == '[' ? "" : ",", (long long)t->n);
	add_member(in, "role", *t->role ? t->role : "user");
	add_member(in, "author", t->author);
	buf_adds(in, ",\"timestamp\":\"");
	buf_add_time(in, t->time_us);
	buf_addc(in, '"');
	if (*t->tool)
		add_member(in, "tool", t->tool);
	buf_addf(in, ",\"token_count\":%lld,\"content\":", (long long)t->tokens);
	buf_add_json(in, t->content, len);
	buf_adds(in, len < t->len ? ",\"truncated\":true}" : "}");
	return in->failed;
}

static int make_input(struct summarizer *s, const struct segment *g, struct buf *in)
{
	buf_adds(in, "{\"session\":");
	buf_add_json(in, g->name, strlen(g->name));
	buf_addf(in, ",\"first\":%lld,\"last\":%lld,\"max_tokens\":%lld,\"messages\":[",
	         (long long)g->range.first, (long long)g->range.last, (long long)g->tokens);
	if (in->failed)
		return -ENOMEM;
	int err = store_turns(s->fs->store, g->session, g->range.first, g->range.last, add_message,
	                      in);
	buf_adds(in, "]}\n");
	return err ? errno_of_store(err) : in->failed ? -ENOMEM : 0;
}

/* Written once: that another process was faster is as good. */
static bool commit(struct summarizer *s, const struct segment *g, const struct buf *text)
{
	struct why why = { 0 };
	struct job job;
	const struct context_op op = { .verb = CONTEXT_DIGEST, .range = &g->range, .count = 1,
		.text = text->data, .len = text->len };
	int err = store_context_commit(s->fs->store, g->session, &op, 1, AUTHOR, NULL, &why);
	if (err && err != STORE_EEXIST) {
		summarizer_tell(s, NOT_STORED, g->name, "the command's summary could not be stored", NULL);
		return false;
	}
	job_init(&job, s->fs);
	job_inode(&job, ino_make(KIND_TAPE, 0));
	job_finish(&job, NULL, NULL, NULL);
	return true;
}

/* What it said, in due form. */
static bool summarizer_take(struct summarizer *s, const struct segment *g, const struct buf *said)
{
	struct digest digest = { 0 };
	struct buf text = BUF_INIT;
	struct why why = { 0 };
	char detail[sizeof why.text + 64];
	int err = render_digest_in(&digest, said->data ? said->data : "", said->len,
	                           s->fs->count_tokens, g->tokens, &why);
	if (!err)
		render_digest(&text, &digest);
	bool good = !err && !text.failed && text.len > 0;
	if (!good) {
		(void)snprintf(detail, sizeof detail, "the command's summary of %lld-%lld: %s",
		               (long long)g->range.first, (long long)g->range.last,
		               *why.text ? why.text : "empty");
		summarizer_tell(s, NO_FORM, g->name, detail, said);
	}
	good = good && commit(s, g, &text);
	buf_release(&text);
	digest_release(&digest);
	return good;
}

/* False: it is to stop. */
static bool summarize(struct summarizer *s, const struct segment *g)
{
	static const struct {
		enum reason reason;
		const char *text;
	} bad[COMMAND_ENDS] = {
		[COMMAND_FAILED] = { FAILED, "the command failed" },
		[COMMAND_LATE] = { LATE, "the command took too long and was killed" },
		[COMMAND_LARGE] = { LARGE, "the command printed more than 16 KiB and was killed" },
		[COMMAND_NOT_RUN] = { NOT_RUN, "the command could not be run" },
	};
	struct buf in = BUF_INIT, said = BUF_INIT;
	enum command_end how = COMMAND_NOT_RUN;
	bool good = false;
	if (make_input(s, g, &in) == 0) {
		const struct command command = { .line = s->command, .in = in.data, .in_len = in.len,
			.limit_ms = s->limit_ms, .most = SUMMARY_LIMIT, .stop = s->stop };
		how = command_run(&command, &said);
	}
	if (how == COMMAND_DONE && !said.failed)
		good = summarizer_take(s, g, &said);
	else if (how != COMMAND_DONE && bad[how].text)
		summarizer_tell(s, bad[how].reason, g->name, bad[how].text, NULL);
	if (!good && how != COMMAND_STOPPED)
		note_failure(s, g->session, g->range);
	buf_release(&in);
	buf_release(&said);
	return how != COMMAND_STOPPED;
}

/* ---- which ones -------------------------------------------------------------------- */

static bool is_wanted(const struct summarizer *s, int64_t session,
                      const struct context_segment *g)
{
	bool untouched = false;
	return g->complete && !failed_lately(s, session, g->range) &&
	       store_digest(s->fs->store, session, g->range, NULL, NULL) == STORE_ENOENT &&
	       store_context_untouched(s->fs->store, session, g->range, &untouched) == 0 && untouched;
}

/* False: it is to stop. */
static bool look_at(struct summarizer *s, int64_t session)
{
	struct context_ended ended;
	bool go_on = true;
	int err = context_ended(s->fs, session, &ended);
	for (size_t i = 0; !err && go_on && i < ended.count; i++) {
		const struct segment g = { session, ended.tokens, ended.name, ended.segment[i].range };
		if (is_wanted(s, session, &ended.segment[i]))
			go_on = summarize(s, &g);
	}
	return go_on;
}

static void note_session(struct summarizer *s, int64_t session)
{
	for (size_t i = 0; i < s->dues; i++)
		if (s->due[i].session == session)
			return;
	if (s->dues < SESSIONS) /* else when it is written to again */
		s->due[s->dues++] = (struct due){ session, now_ms() };
}

static void note_entry(void *ctx, const struct entry *e)
{
	int64_t session = store_stream_session(e->stream);
	if (session > 0)
		note_session(ctx, session);
}

/* The newest entries that came since; of many, the last ones. */
static void look_at_tape(struct summarizer *s)
{
	struct log_stat tape;
	if (store_log_stat(s->fs->store, (struct log_id){ LOG_TAPE, 0 }, &tape) ||
	    tape.bytes == s->tape_bytes)
		return;
	struct status *status = malloc(sizeof *status);
	if (!status)
		return;
	store_status(s->fs->store, status);
	if (s->seen < status->entries - LOOK_AT)
		s->seen = status->entries - LOOK_AT;
	while (s->seen < status->entries && store_entry(s->fs->store, s->seen, note_entry, s) == 0)
		s->seen++;
	s->tape_bytes = tape.bytes;
	free(status);
}

static bool rest(const struct summarizer *s, int ms)
{
	struct pollfd fd = { s->stop, POLLIN, 0 };
	thread_clear();
	return poll(&fd, 1, ms) <= 0;
}

static void *summarizer_thread(void *arg)
{
	struct summarizer *s = arg;
	while (rest(s, s->rest_ms / 2)) {
		look_at_tape(s);
		for (size_t i = 0; i < s->dues;) {
			struct due due = s->due[i];
			if (now_ms() - due.since_ms < s->rest_ms) {
				i++;
				continue;
			}
			s->due[i] = s->due[--s->dues];
			if (!look_at(s, due.session))
				return NULL;
		}
	}
	return NULL;
}

int summarizer_start(struct fs *fs, const struct fs_options *o)
{
	if (!o->summarizer || store_frozen(fs->store) || fs->unmounted)
		return 0;
	struct summarizer *s = calloc(1, sizeof *s);
	sigset_t all, before;
	if (!s)
		return -ENOMEM;
	s->fs = fs;
	s->limit_ms = o->summarizer_ms ? o->summarizer_ms : LIMIT_MS;
	s->rest_ms = o->summarizer_rest_ms ? o->summarizer_rest_ms : REST_MS;
	s->command = strdup(o->summarizer);
	s->stop = eventfd(0, EFD_CLOEXEC);
	sigfillset(&all); /* what a command that does not read would send us, too */
	bool masked = s->command && s->stop >= 0 && pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
	if (masked && pthread_create(&s->thread, NULL, summarizer_thread, s) == 0)
		fs->summarizer = s;
	if (masked)
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (fs->summarizer)
		return 0;
	if (s->stop >= 0)
		close(s->stop);
	free(s->command);
	free(s);
	return -EAGAIN;
}

void summarizer_stop(struct fs *fs)
{
	struct summarizer *s = fs->summarizer;
	if (!s)
		return;
	(void)eventfd_write(s->stop, 1);
	pthread_join(s->thread, NULL);
	close(s->stop);
	free(s->command);
	free(s);
	fs->summarizer = NULL;
}
