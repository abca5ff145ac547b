/* SPDX-License-Identifier: MIT */
/* libcurl, loaded on demand; one POST that can be given up at any time. */
#include "fs/meaning/endpoint.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curl/curl.h>

#include "fs/internal.h"

enum { CONNECT_MS = 2000, WAIT_MS = 1000, URL_MOST = 2000 };
#define EXAMPLE "give one like http://127.0.0.1:8080/v1/embeddings"

/* What we call of it; its macros of these names only check types. */
struct curl {
	__typeof__(curl_global_init) *global_init;
	__typeof__(curl_easy_init) *easy_init;
	CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
	CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
	__typeof__(curl_easy_cleanup) *easy_cleanup;
	__typeof__(curl_easy_strerror) *easy_strerror;
	__typeof__(curl_multi_init) *multi_init;
	__typeof__(curl_multi_add_handle) *multi_add_handle;
	__typeof__(curl_multi_remove_handle) *multi_remove_handle;
	__typeof__(curl_multi_perform) *multi_perform;
	__typeof__(curl_multi_poll) *multi_poll;
	__typeof__(curl_multi_info_read) *multi_info_read;
	__typeof__(curl_multi_cleanup) *multi_cleanup;
	__typeof__(curl_slist_append) *slist_append;
	__typeof__(curl_slist_free_all) *slist_free_all;
	__typeof__(curl_url) *url;
	__typeof__(curl_url_set) *url_set;
	__typeof__(curl_url_get) *url_get;
	__typeof__(curl_url_cleanup) *url_cleanup;
	__typeof__(curl_url_strerror) *url_strerror;
	__typeof__(curl_free) *free;
};

#define SYMBOL(member, function) LIBRARY_SYMBOL(curl, member, function)
static const struct library_symbol symbols[] = {
	SYMBOL(global_init, curl_global_init),
	SYMBOL(easy_init, curl_easy_init),
	SYMBOL(easy_setopt, curl_easy_setopt),
	SYMBOL(easy_getinfo, curl_easy_getinfo),
	SYMBOL(easy_cleanup, curl_easy_cleanup),
	SYMBOL(easy_strerror, curl_easy_strerror),
	SYMBOL(multi_init, curl_multi_init),
	SYMBOL(multi_add_handle, curl_multi_add_handle),
	SYMBOL(multi_remove_handle, curl_multi_remove_handle),
	SYMBOL(multi_perform, curl_multi_perform),
	SYMBOL(multi_poll, curl_multi_poll),
	SYMBOL(multi_info_read, curl_multi_info_read),
	SYMBOL(multi_cleanup, curl_multi_cleanup),
	SYMBOL(slist_append, curl_slist_append),
	SYMBOL(slist_free_all, curl_slist_free_all),
	SYMBOL(url, curl_url),
	SYMBOL(url_set, curl_url_set),
	SYMBOL(url_get, curl_url_get),
	SYMBOL(url_cleanup, curl_url_cleanup),
	SYMBOL(url_strerror, curl_url_strerror),
	SYMBOL(free, curl_free),
};

struct endpoint {
	struct curl curl;
	char *url;
	CURL *easy;   /* of the request under way: from 8.7 on libcurl keeps in it what it sent */
	CURLM *multi; /* keeps the connection from one request to the next */
	struct curl_slist *headers;
	int stop;
	char error[CURL_ERROR_SIZE];
	struct buf *into; /* of the request under way */
	size_t most;
	bool large;
};

static int load(struct curl *c)
{
	return library_load("libcurl.so.4", symbols, sizeof symbols / sizeof *symbols, c) ? 0 : -ENOSYS;
}

/* ---- the URL ------------------------------------------------------------------ */

/* A part, to be freed by curl's free(); NULL: there is none. */
static char *part(const struct curl *c, CURLU *u, CURLUPart what)
{
	char *text = NULL;
	return c->url_get(u, what, &text, 0) == CURLUE_OK ? text : NULL;
}

static int check_parts(const struct curl *c, CURLU *u, struct why *why)
{
	char *scheme = part(c, u, CURLUPART_SCHEME), *user = part(c, u, CURLUPART_USER),
		*password = part(c, u, CURLUPART_PASSWORD);
	int err = 0;
	if (user || password) {
		why_set(why, "put the key into the environment, as CINTA_EMBEDDING_KEY",
		        "a user or password in the URL would be seen by all");
		err = -EINVAL;
	} else if (!scheme || (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)) {
		why_set(why, EXAMPLE, "not a URL of http or https");
		err = -EINVAL;
	}
	c->free(scheme);
	c->free(user);
	c->free(password);
	return err;
}

/* A server alone, or its /v1, means its embeddings. */
static CURLUcode complete_path(const struct curl *c, CURLU *u)
{
	char *path = part(c, u, CURLUPART_PATH);
	bool bare = !path || strcmp(path, "/") == 0;
	bool v1 = path && (strcmp(path, "/v1") == 0 || strcmp(path, "/v1/") == 0);
	c->free(path);
	return bare || v1 ? c->url_set(u, CURLUPART_PATH, "/v1/embeddings", 0) : CURLUE_OK;
}

static void tell_where(const struct curl *c, CURLU *u, char *where, size_t size)
{
	char *scheme = part(c, u, CURLUPART_SCHEME), *host = part(c, u, CURLUPART_HOST),
		*port = part(c, u, CURLUPART_PORT);
	(void)snprintf(where, size, "%s://%.80s%s%s", scheme ? scheme : "", host ? host : "",
	               port ? ":" : "", port ? port : "");
	c->free(scheme);
	c->free(host);
	c->free(port);
}

static int no_curl(struct why *why)
{
	why_set(why, "install it: libcurl4 in Debian", "libcurl.so.4 cannot be loaded");
	return -ENOSYS;
}

int endpoint_url(const char *url, struct buf *full, char *where, size_t size, struct why *why)
{
	struct curl c;
	if (load(&c))
		return no_curl(why);
	CURLU *u = c.url();
	if (!u)
		return -ENOMEM;
	CURLUcode rc = strlen(url) > URL_MOST ? CURLUE_MALFORMED_INPUT :
		c.url_set(u, CURLUPART_URL, url, 0);
	int err = rc ? -EINVAL : check_parts(&c, u, why);
	if (rc)
		why_set(why, EXAMPLE, "not a URL: %s", c.url_strerror(rc));
	if (!err && (complete_path(&c, u) || c.url_set(u, CURLUPART_FRAGMENT, NULL, 0)))
		err = -ENOMEM;
	char *text = err ? NULL : part(&c, u, CURLUPART_URL);
	if (text) {
		buf_adds(full, text);
		tell_where(&c, u, where, size);
	}
	if (!err && (!text || full->failed))
		err = -ENOMEM;
	c.free(text);
	c.url_cleanup(u);
	return err;
}

static bool is_this_machine(const struct curl *c, const char *url)
{
	CURLU *u = c->url();
	char *host = u && c->url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK ?
		part(c, u, CURLUPART_HOST) : NULL;
	bool here = host && (strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
	                     strcmp(host, "[::1]") == 0);
	c->free(host);
	c->url_cleanup(u);
	return here;
}

/* ---- a connection --------------------------------------------------------------- */

static size_t endpoint_receive(char *bytes, size_t size, size_t count, void *arg)
{
	struct endpoint *e = arg;
	size_t len = size * count;
	e->large = len > e->most - e->into->len;
	if (e->large)
		return 0; /* ends the transfer */
	buf_add(e->into, bytes, len);
	return e->into->failed ? 0 : len;
}

static bool add_header(struct endpoint *e, const char *line)
{
	struct curl_slist *more = e->curl.slist_append(e->headers, line);
	if (more)
		e->headers = more;
	return more;
}

static bool set_headers(struct endpoint *e, const char *key)
{
	struct buf line = BUF_INIT;
	bool good = add_header(e, "Content-Type: application/json") &&
		add_header(e, "Accept: application/json") &&
		add_header(e, "Expect:"); /* no question beforehand whether it may be sent */
	if (good && key && *key) {
		buf_addf(&line, "Authorization: Bearer %s", key);
		good = !line.failed && add_header(e, line.data);
		if (line.data)
			explicit_bzero(line.data, line.len);
	}
	buf_release(&line);
	return good;
}

static void set_options(struct endpoint *e)
{
	CURLcode (*set)(CURL *, CURLoption, ...) = e->curl.easy_setopt;
	set(e->easy, CURLOPT_URL, e->url);
	/* One request at a time needs no streams, whose buffers would stay with the connection. */
	set(e->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	set(e->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	set(e->easy, CURLOPT_FOLLOWLOCATION, 0L);
	set(e->easy, CURLOPT_NOSIGNAL, 1L);
	set(e->easy, CURLOPT_QUICK_EXIT, 1L); /* a name server that sleeps is not waited for */
	set(e->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	set(e->easy, CURLOPT_HTTPHEADER, e->headers);
	set(e->easy, CURLOPT_USERAGENT, "cinta/" CINTA_VERSION);
	set(e->easy, CURLOPT_ERRORBUFFER, e->error);
	set(e->easy, CURLOPT_WRITEFUNCTION, endpoint_receive);
	set(e->easy, CURLOPT_WRITEDATA, e);
	if (is_this_machine(&e->curl, e->url))
		set(e->easy, CURLOPT_PROXY, "");
}

int endpoint_new(const char *url, const char *key, int stop, struct endpoint **out)
{
	struct endpoint *e = calloc(1, sizeof *e);
	if (!e)
		return -ENOMEM;
	e->stop = stop;
	int err = load(&e->curl);
	if (!err && e->curl.global_init(CURL_GLOBAL_DEFAULT))
		err = -ENOMEM;
	if (!err) {
		e->url = strdup(url);
		e->multi = e->curl.multi_init();
		err = e->url && e->multi && set_headers(e, key) ? 0 : -ENOMEM;
	}
	if (err) {
		endpoint_free(e);
		return err;
	}
	*out = e;
	return 0;
}

void endpoint_free(struct endpoint *e)
{
	if (!e)
		return;
	if (e->multi)
		(void)e->curl.multi_cleanup(e->multi);
	for (struct curl_slist *h = e->headers; h; h = h->next)
		explicit_bzero(h->data, strlen(h->data));
	if (e->headers)
		e->curl.slist_free_all(e->headers);
	free(e->url);
	free(e);
}

/* ---- a request -------------------------------------------------------------------- */

/* A connection that breaks while we write must not end the process: libcurl does not see to it. */
static void block_pipe(sigset_t *before)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &set, before);
}

static void unblock_pipe(const sigset_t *before)
{
	static const struct timespec none = { 0, 0 };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	while (!sigismember(before, SIGPIPE) && sigtimedwait(&set, NULL, &none) > 0)
		continue;
	(void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Until it is over; true: because of `stop`.  libcurl keeps the time. */
static bool transfer(struct endpoint *e)
{
	struct curl_waitfd stop = { .fd = e->stop, .events = CURL_WAIT_POLLIN };
	int running = 1;
	while (e->curl.multi_perform(e->multi, &running) == CURLM_OK && running) {
		stop.revents = 0;
		if (e->curl.multi_poll(e->multi, &stop, 1, WAIT_MS, NULL) != CURLM_OK)
			return false;
		if (stop.revents)
			return true;
	}
	return false;
}

static CURLcode result_of(struct endpoint *e)
{
	int left;
	const CURLMsg *m;
	while ((m = e->curl.multi_info_read(e->multi, &left)) != NULL)
		if (m->msg == CURLMSG_DONE)
			return m->data.result;
	return CURLE_FAILED_INIT;
}

static enum endpoint_end end_of_status(long status)
{
	switch (status) {
	case 400: case 413: case 422:
		return ENDPOINT_REFUSED;
	case 429:
		return ENDPOINT_LATER;
	default:
		return status >= 200 && status < 300 ? ENDPOINT_DONE :
			status >= 500 ? ENDPOINT_FAILED : ENDPOINT_SHUT;
	}
}

static enum endpoint_end end_of(struct endpoint *e, CURLcode rc, struct endpoint_answer *a)
{
	curl_off_t retry = 0, connected = 0;
	(void)e->curl.easy_getinfo(e->easy, CURLINFO_RESPONSE_CODE, &a->status);
	(void)e->curl.easy_getinfo(e->easy, CURLINFO_RETRY_AFTER, &retry);
	(void)e->curl.easy_getinfo(e->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	a->retry_ms = retry > 0 && retry < 86400 ? (int64_t)retry * 1000 : 0;
	if (rc == CURLE_OK)
		return end_of_status(a->status);
	(void)snprintf(a->detail, sizeof a->detail, "%.120s",
	               *e->error && rc != CURLE_COULDNT_CONNECT ? e->error : e->curl.easy_strerror(rc));
	if (e->large)
		return ENDPOINT_LARGE;
	/* The time of a connection that was not made is 0. */
	return rc == CURLE_OPERATION_TIMEDOUT && connected > 0 ? ENDPOINT_LATE : ENDPOINT_AWAY;
}

static enum endpoint_end request(struct endpoint *e, const char *json, size_t len, int limit_ms,
                                 struct endpoint_answer *a)
{
	sigset_t before;
	set_options(e);
	e->curl.easy_setopt(e->easy, CURLOPT_POSTFIELDS, json);
	e->curl.easy_setopt(e->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	e->curl.easy_setopt(e->easy, CURLOPT_TIMEOUT_MS, (long)limit_ms);
	block_pipe(&before);
	bool stopped = false, begun = e->curl.multi_add_handle(e->multi, e->easy) == CURLM_OK;
	if (begun)
		stopped = transfer(e);
	enum endpoint_end how = stopped ? ENDPOINT_STOPPED :
		end_of(e, begun ? result_of(e) : CURLE_FAILED_INIT, a);
	if (begun)
		(void)e->curl.multi_remove_handle(e->multi, e->easy);
	unblock_pipe(&before);
	return how;
}

enum endpoint_end endpoint_post(struct endpoint *e, const char *json, size_t len, int limit_ms,
                                size_t most, struct endpoint_answer *a)
{
	*a = (struct endpoint_answer){ .body = BUF_INIT };
	e->into = &a->body;
	e->most = most;
	e->large = false;
	*e->error = '\0';
	e->easy = e->curl.easy_init();
	if (!e->easy)
		return ENDPOINT_AWAY;
	enum endpoint_end how = request(e, json, len, limit_ms, a);
	e->curl.easy_cleanup(e->easy);
	e->easy = NULL;
	return how;
}
