/* SPDX-License-Identifier: MIT */
/* Documents: which names are memory, and which typed fields they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "render/documents/family.h"
#include "render/render.h"
#include "store/store.h"
#include "tests/unit/exact.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* ---- names ---- */

static void names_are(enum family family, bool memory, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (render_is_document(family, names[i]) != memory)
			fail_msg("family %d: \"%s\" should be %s", (int)family, names[i],
			         memory ? "memory" : "scratch");
}

/* What editors and tools make beside foo.md: scratch in every family. */
static const char *const beside[] = {
	".foo.md.swp", ".foo.md.swo", ".foo.md.swx", "4913", "5036", "foo.md~", "foo_md.swp", ".foo.md.un~",
	"foo.md.save", "foo.md.save.1", ".#foo.md", "#foo.md#", "#foo.md", "tmpa8f0Zx", "tmpXXXXXX", "DEADJOE",
	"foo.md.XXXXXXXXXX", "foo.md.XXXXiTW8h2", "foo.md.XXiTW8h2", "foo.md.iTW8h2xY3q", ".foo.md.kak.a8f0Zx",
	".foo.md.vis.a8f0Zx", "sedXXXXXX", "sedS6hEX4", "sedabcdef", "foo.md.bak", "XXl0JhSI", "XXxxxxxx",
	"XXabcdef", "foo.md.gawk.XXXXXX", "foo.md.gawk.k2R9Qp", "CuXXXXXX", "Cua8f0Zx", "Cu123456",
	"foo.md.oXXXXXX", "foo.md.o4kPq2Z", "foo.md.orig", "foo.md.rej", ".foo.md.a8f0Zx",
	".goutputstream-A8F0ZX", "foo.md.tmp", "tmpxxxxxxxx", "tmpk_3j2h4g", "tmp0123abcd", "foo.md.3830540380",
	"foo.md.12", "foo.md.tmp-0123456789abcdef", ".foo.md.tmp", "foo.md.0123456789abcdef0123456789abcdef.tmp",
	"foo.md.0123456789abcdef0123456789abcdef", "000000", "00000", "0", "", ".", "..", ".foo.md", "foo.md.",
	"foo.md@3", "foo.md@log", "foo.md@2026-11-20", "foo\nbar.md", "foo\x7f.md", "foo\xC2\x85.md",
	"caf\xE9.md", "a/b.md", "deadbeef", "0badcafe", "a1b2c3", "foo.md.TMP", "foo.txt.swn", "foo.md.temp",
	"foo.json.a8f0Zx", "a.b.py.q1w2e3r", "user_profile.md.3830540380", "XX3fQk9Z", "foo.toolongending",
	"foo.1", "foo.7z", "foo.a-b", "two words", "-dash", "_under",
};

static void test_scratch(void **state)
{
	(void)state;
	for (int f = FAMILY_SECTION; f <= FAMILY_NOTE; f++) {
		enum family family = (enum family)f;
		names_are(family, false, beside, COUNT(beside));
	}
}

static void test_notes(void **state)
{
	(void)state;
	static const char *const notes[] = {
		"foo.md", "foo.txt", "foo.c", "a.b", "README", "TODO", "Makefile", "caf\xC3\xA9.md", "two words.md",
		"2026-11-20.md", "x.orig.md", "report.c.md", "page.md.html", "settings.yaml.example",
		"config.json.sample", "x.py.template", "cafe", "decade", "Customer", "meeting_2026", "a-b", "tmp.md",
		"4913.md", "sedabcdef.md", "foo.markdown", "v1.2.md", "foo.tar.gz", "foo.MD", "memory@home.md", "x",
		"sediment", "tmp", "XX",
	};
	char longest[NAME_LIMIT + 2];
	names_are(FAMILY_NOTE, true, notes, COUNT(notes));
	memset(longest, 'a', sizeof longest);
	memcpy(longest + NAME_LIMIT - 3, ".md", 4);
	assert_true(render_is_document(FAMILY_NOTE, longest));
	memcpy(longest + NAME_LIMIT - 3, "a.md", 5);
	assert_false(render_is_document(FAMILY_NOTE, longest));
}

static void test_names(void **state)
{
	(void)state;
	static const char *const sections[] = { "user_profile.md", "project_context.md", "current_task.md",
	                                        "agent_notes.md", "lessons.md", "USER_PROFILE.md",
	                                        "user_profile.md.md", "caf\xC3\xA9 solo.md" };
	static const char *const no_sections[] = { "identity.md", "dashboard.md", "action_log.md",
	                                           "user_profile", "foo.txt", "tmpk_3j2h4g.md", ".foo.md" };
	static const char *const codes[] = { "a.md", "system_rules.md", "x.orig.md", "x.tmp.md", "A-1.b_2.md",
	                                     "12345678901234567890123456789012345678901234567890.md" };
	static const char *const no_codes[] = { ".md", "a..md", "-a.md", "_a.md", "a b.md", "caf\xC3\xA9.md", "a.MD",
	                                        "a.txt", "a", "a.md.md ", "a@1.md",
	                                        "123456789012345678901234567890123456789012345678901.md" };
	static const char *const keys[] = { "coffee.md", "caf\xC3\xA9 solo.md", "a.b.md", "user@home.md" };
	static const char *const no_keys[] = { ".md", ".a.md", "#a.md", " a.md", "a .md", "a..md", "a", "a.txt" };
	static const char *const versions[] = { "1.json", "1.0.json", "v2-beta.json", "2.0.0.json" };
	static const char *const no_versions[] = { ".json", "1", "1.md", "1..json", "-1.json", "1.json.tmp" };
	static const char *const session[] = { "session.md" }, *const no_session[] = { "Session.md", "a.md" };
	static const char *const identity[] = { "identity.md" }, *const no_identity[] = { "a.md" };

	names_are(FAMILY_SECTION, true, sections, COUNT(sections));
	names_are(FAMILY_SECTION, false, no_sections, COUNT(no_sections));
	names_are(FAMILY_BLOCK, true, codes, COUNT(codes));
	names_are(FAMILY_BLOCK, false, no_codes, COUNT(no_codes));
	names_are(FAMILY_COMPONENT, true, codes, COUNT(codes));
	names_are(FAMILY_COMPONENT, false, no_codes, COUNT(no_codes));
	names_are(FAMILY_MEMORY, true, keys, COUNT(keys));
	names_are(FAMILY_MEMORY, false, no_keys, COUNT(no_keys));
	names_are(FAMILY_ALGORITHM, true, versions, COUNT(versions));
	names_are(FAMILY_ALGORITHM, false, no_versions, COUNT(no_versions));
	names_are(FAMILY_SESSION, true, session, 1);
	names_are(FAMILY_SESSION, false, no_session, COUNT(no_session));
	names_are(FAMILY_IDENTITY, true, identity, 1);
	names_are(FAMILY_IDENTITY, false, no_identity, 1);

	char key[160];
	memset(key, 'k', sizeof key);
	memcpy(key + 128, ".md", 4);
	assert_true(render_is_document(FAMILY_MEMORY, key));
	memcpy(key + 128, "k.md", 5);
	assert_false(render_is_document(FAMILY_MEMORY, key));
}

static void test_temporary(void **state)
{
	(void)state;
	static const char *const tools[] = { ".foo.md.swp", "foo.md~", "foo_md.swp", "#foo.md#", ".#foo.md",
		"tmpk_3j2h4g.json", "tmpXXXXXX", "sedS6hEX4", "XXl0JhSI", "CuJzyEj3", "DEADJOE", "flycheck_foo.md",
		"foo.md.save.1", "foo.md.bak", ".foo.md.a8f0Zx", "foo.md.3830540380", "foo.md.kate-swp",
		"foo.md.tmp-0123456789abcdef", ".goutputstream-A8F0ZX", ".~lock.foo.odt#", "foo.md.lock", "foo.tmp" };
	static const char *const people[] = { "foo.md", "foo.txt", "a plan.json", "2026.jsonl", "tmp.md",
		"lock.md", "FOO.MD" };
	static const char *const rests[] = { "sedentary", "My plan", "2026", "v1.2", "deadbeef", "cinta.1",
		"config.production", ".git", ".env", ".gitignore", ".obsidian", "4913" };
	for (size_t i = 0; i < COUNT(tools); i++)
		if (!render_is_temporary(tools[i]) || render_is_meant(tools[i]))
			fail_msg("\"%s\" is temporary", tools[i]);
	for (size_t i = 0; i < COUNT(people); i++)
		if (render_is_temporary(people[i]) || !render_is_meant(people[i]))
			fail_msg("\"%s\" is meant", people[i]);
	for (size_t i = 0; i < COUNT(rests); i++)
		if (render_is_temporary(rests[i]) || render_is_meant(rests[i]))
			fail_msg("\"%s\" is neither", rests[i]);
}

static void test_folders(void **state)
{
	(void)state;
	static const char *const notes[] = { "2026", "work", "caf\xC3\xA9", "v1.2", "two words", "foo.md", "a1b2" };
	static const char *const no_notes[] = { "", ".", "..", ".~tmp~", ".git", "a~", "#a", "a\tb", "a.tmp",
	                                        "tmpk_3j2h4g", "a/b", "\xFF" };
	for (size_t i = 0; i < COUNT(notes); i++)
		assert_true(render_is_folder(FAMILY_NOTE, notes[i]));
	for (size_t i = 0; i < COUNT(no_notes); i++)
		assert_false(render_is_folder(FAMILY_NOTE, no_notes[i]));
	assert_true(render_is_folder(FAMILY_ALGORITHM, "score-2"));
	assert_false(render_is_folder(FAMILY_ALGORITHM, "score 2"));
	assert_false(render_is_folder(FAMILY_BLOCK, "rules"));
}

/* ---- fields ---- */

static const struct document block = { FAMILY_BLOCK, "rules", "house.md", 0 };
static const struct document memory = { FAMILY_MEMORY, "preference", "coffee.md", 0 };
static const struct document player = { FAMILY_COMPONENT, "ply", "ana.md", 0 };
static const struct document item = { FAMILY_COMPONENT, "itm", "cup.md", 0 };
static const struct document algorithm = { FAMILY_ALGORITHM, "score", "1.0.json", 0 };
static const struct document session = { FAMILY_SESSION, "monday", "session.md", 0 };
static const struct document task = { FAMILY_SECTION, "", "current_task.md", 0 };
static const struct document profile = { FAMILY_SECTION, "", "user_profile.md", 0 };
static const struct document identity = { FAMILY_IDENTITY, "", "identity.md", 0 };
static const struct document note = { FAMILY_NOTE, "", "foo.md", 0 };

static int64_t count_bytes(const char *text, size_t len)
{
	(void)text;
	return (int64_t)len;
}

static int save(const struct document *d, const char *bytes, size_t len, struct buf *fields, struct why *why)
{
	char *exact = exact_copy(bytes, len);
	memset(why, 0, sizeof *why);
	int rc = render_document_in(d, exact, len, count_bytes, fields, why);
	free(exact);
	return rc;
}

static void gives_bytes(const struct document *d, const char *bytes, size_t len, const char *json)
{
	struct buf fields = BUF_INIT;
	struct why why;
	buf_adds(&fields, "before"); /* fields are appended */
	if (save(d, bytes, len, &fields, &why))
		fail_msg("refused: %.*s: line %d: %s", (int)len, bytes, why.line, why.text);
	assert_string_equal(fields.data + 6, json);
	json_t *parsed = json_loads(fields.data + 6, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
	if (!parsed)
		fail_msg("no JSON: %s", fields.data);
	json_decref(parsed);
	buf_release(&fields);
}

static void gives(const struct document *d, const char *text, const char *json)
{
	gives_bytes(d, text, strlen(text), json);
}

/* `front` becomes the front matter of a document with a text. */
static void front_gives(const struct document *d, const char *front, const char *json)
{
	struct buf text = BUF_INIT;
	buf_addf(&text, "---\n%s\n---\ntext\n", front);
	gives(d, text.data, json);
	buf_release(&text);
}

#define BLOCK "{\"category\":\"rules\",\"code\":\"house\","
#define BLOCK_NAMED BLOCK "\"name\":\"house\","

static void test_block(void **state)
{
	(void)state;
	static const char defaults[] = BLOCK_NAMED "\"priority\":50,\"status\":\"active\",\"scope\":\"global\"}";
	gives(&block, "", defaults);
	gives(&block, "text", defaults);
	gives(&block, "\xEF\xBB\xBFtext\r\n", defaults);
	front_gives(&block, "", defaults);
	front_gives(&block, "category: rules\ncode: house\nname: ~", defaults);
	front_gives(&block, "priority: -7\nname: 2026\nstatus: deprecated\nblock_type: old\nowner: ana",
	            BLOCK "\"name\":\"2026\",\"block_type\":\"old\",\"priority\":-7,\"status\":\"deprecated\","
	            "\"owner_id\":\"ana\",\"scope\":\"global\"}");
	front_gives(&block, "owner_id: " HEX64 "\nsession_hash: " HEX64,
	            BLOCK_NAMED "\"priority\":50,\"status\":\"active\",\"owner_id\":\"" HEX64
	            "\",\"session_hash\":\"" HEX64 "\",\"scope\":\"global\"}");
	front_gives(&block, "z: [1, {b: ~}]\npriority: 2147483647\na: 'x \"y\" z'\ntoken_count: 5",
	            BLOCK_NAMED "\"priority\":2147483647,\"status\":\"active\",\"scope\":\"global\",\"extra\":"
	            "{\"z\":[1,{\"b\":null}],\"a\":\"x \\\"y\\\" z\",\"token_count\":5}}");
}

static void test_scope(void **state)
{
	(void)state;
	static const struct {
		const char *yaml, *json;
	} cases[] = {
		{ "scope: global", "\"scope\":\"global\"" },
		{ "scope: server:DECK", "\"scope\":\"server\",\"server_code\":\"DECK\"" },
		{ "scope: server\nserver_code: DECK", "\"scope\":\"server\",\"server_code\":\"DECK\"" },
		{ "scope: server:DECK\nserver_code: DECK", "\"scope\":\"server\",\"server_code\":\"DECK\"" },
		{ "scope: agent:agent-7", "\"scope\":\"agent\",\"agent_code\":\"agent-7\"" },
		{ "scope: agent\nagent_code: 7", "\"scope\":\"agent\",\"agent_code\":\"7\"" },
		{ "scope: 'session:lunes a las 10:00'", "\"scope\":\"session\",\"session\":\"lunes a las 10:00\"" },
		{ "scope: session\nsession: x", "\"scope\":\"session\",\"session\":\"x\"" },
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char json[512];
		(void)snprintf(json, sizeof json, BLOCK_NAMED "\"priority\":50,\"status\":\"active\",%s}",
		               cases[i].json);
		front_gives(&block, cases[i].yaml, json);
	}
	front_gives(&block, "scope: session\nsession_hash: " HEX64,
	            BLOCK_NAMED "\"priority\":50,\"status\":\"active\",\"session_hash\":\"" HEX64
	            "\",\"scope\":\"session\"}");
}

#define MEMORY "{\"type\":\"preference\",\"key\":\"coffee\","

static void test_memory(void **state)
{
	(void)state;
	gives(&memory, "black", MEMORY "\"importance\":0.5,\"confidence\":1.0,\"status\":\"active\"}");
	front_gives(&memory,
	            "summary: black\nimportance: 1\nconfidence: .25\ntags: [a, 2026, 'b c']\n"
	            "expires_at: 2026-11-20\nstatus: superseded\nsuperseded_by: 12\nrelated_to: [3, tea]\n"
	            "source: chat\nsource_hash: " HEX64 "\nsession: monday\nowner_type: agent\nowner: ana\n"
	            "embedding_model: m\nmetadata: {a: [1]}\nmood: good",
	            MEMORY "\"summary\":\"black\",\"importance\":1,\"confidence\":0.25,\"tags\":[\"a\",\"2026\","
	            "\"b c\"],\"expires_at\":\"2026-11-20T00:00:00.000000Z\",\"status\":\"superseded\","
	            "\"superseded_by\":12,\"related_to\":[3,\"tea\"],\"source\":\"chat\",\"source_hash\":\"" HEX64
	            "\",\"session\":\"monday\",\"owner_type\":\"agent\",\"owner_id\":\"ana\","
	            "\"embedding_model\":\"m\",\"metadata\":{\"a\":[1]},\"extra\":{\"mood\":\"good\"}}");
	static const struct document long_ago = { FAMILY_MEMORY, "fact", "caf\xC3\xA9 solo.md", 0 };
	front_gives(&long_ago, "key: caf\xC3\xA9 solo\nimportance: 0\ntags: []",
	            "{\"type\":\"fact\",\"key\":\"caf\xC3\xA9 solo\",\"importance\":0,\"confidence\":1.0,"
	            "\"tags\":[],\"status\":\"active\"}");
}

static void test_time(void **state)
{
	(void)state;
	static const struct {
		const char *text, *shown;
	} cases[] = {
		{ "2026-11-20", "2026-11-20T00:00:00.000000Z" },
		{ "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000000Z" },
		{ "2026-11-20t10:00z", "2026-11-20T10:00:00.000000Z" },
		{ "2026-11-20 10:00:00.5+02:00", "2026-11-20T08:00:00.500000Z" },
		{ "2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000000Z" },
		{ "2024-02-29T23:59:60Z", "2024-03-01T00:00:00.000000Z" },
		{ "2000-02-29T12:00:00.123456789-05:30", "2000-02-29T17:30:00.123456Z" },
		{ "1970-01-01", "1970-01-01T00:00:00.000000Z" },
		{ "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000000Z" },
	};
	static const char *const wrong[] = {
		"", "2026", "2026-1-1", "2026-13-01", "2026-00-01", "2026-04-31", "2026-02-29", "2100-02-29",
		"1969-12-31", "1970-01-01T00:00:00+01:00", "2026-11-20T", "2026-11-20T10", "2026-11-20T10:00:00",
		"2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z", "2026-11-20T10:00:61Z", "2026-11-20T10:00:00.Z",
		"2026-11-20T10:00:00+2:00", "2026-11-20T10:00:00Zx", "2026-11-20T10:00:00+02:00x", "2026/11/20",
		"2026-11-20x", "2026-11-20T10:00:00+24:00",
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t us = -1;
		struct buf b = BUF_INIT;
		assert_true(time_read(cases[i].text, strlen(cases[i].text), &us));
		buf_add_time(&b, us);
		assert_string_equal(b.data, cases[i].shown);
		buf_release(&b);
	}
	for (size_t i = 0; i < COUNT(wrong); i++) {
		int64_t us;
		if (time_read(wrong[i], strlen(wrong[i]), &us))
			fail_msg("\"%s\" is no time", wrong[i]);
	}
}

static void test_component(void **state)
{
	(void)state;
	gives(&item, "", "{\"table\":\"itm\",\"code\":\"cup\",\"name\":\"cup\",\"status\":\"active\"}");
	front_gives(&player, "name: Ana\ndescription: |\n  a\n  b\nparent: corp\nstatus: inactive\ntags: [x]\n"
	            "claims_uid: 1000\nclaims_program: vim\nextra: 1",
	            "{\"table\":\"ply\",\"code\":\"ana\",\"name\":\"Ana\",\"description\":\"a\\nb\\n\","
	            "\"parent\":\"corp\",\"status\":\"inactive\",\"tags\":[\"x\"],\"claims_uid\":1000,"
	            "\"claims_program\":\"vim\",\"extra\":{\"extra\":1}}");
}

#define ALGORITHM "{\"code\":\"score\",\"version\":\"1.0\",\"name\":\"score\","
#define WEIGHTS "{\"recency\":0.20,\"importance\":0.40,\"relevance\":0.30,\"frequency\":0.10}"

static void test_algorithm(void **state)
{
	(void)state;
	gives(&algorithm, "{}", ALGORITHM "\"status\":\"draft\"}");
	gives(&algorithm, "\xEF\xBB\xBF{ }\r\n", ALGORITHM "\"status\":\"draft\"}");
	gives(&algorithm, "{\"version\":\"1.0\",\"code\":\"score\",\"status\":\"active\",\"parent_version\":\"0.9\","
	      "\"metrics\":{\"p\": 1},\n\"config\": {\"scoring\" : {\"weights\":" WEIGHTS "}}, \"x\": [ 1 , \" \\\" \" ]}",
	      ALGORITHM "\"status\":\"active\",\"parent_version\":\"0.9\",\"metrics\":{\"p\":1},\"config\":"
	      "{\"scoring\":{\"weights\":" WEIGHTS "}},\"extra\":{\"x\":[1,\" \\\" \"]}}");
	/* the whole file is the config */
	gives(&algorithm, "{\"version\":\"1.0\",\"scoring\":{\"weights\":" WEIGHTS ",\"decay_rates\":{\"fact\":0.1}},"
	      "\"selection\":{\"token_budget\":8000}}",
	      ALGORITHM "\"status\":\"draft\",\"config\":{\"scoring\":{\"weights\":" WEIGHTS
	      ",\"decay_rates\":{\"fact\":0.1}},\"selection\":{\"token_budget\":8000}}}");
	gives(&algorithm, "{\"weights\":{\"recency\":1,\"importance\":0,\"relevance\":0,\"frequency\":0.0000009}}",
	      ALGORITHM "\"status\":\"draft\",\"config\":{\"weights\":{\"recency\":1,\"importance\":0,"
	      "\"relevance\":0,\"frequency\":0.0000009}}}");
}

static void test_session(void **state)
{
	(void)state;
	gives(&session, "# Monday\n", "{\"session\":\"monday\"}");
	front_gives(&session, "title: Monday\npurpose: plan\nambient: {timezone: Europe/Madrid}\nowner: ana\n"
	            "players: [bob]\nrole: user\nthread: release\nmood: x",
	            "{\"session\":\"monday\",\"title\":\"Monday\",\"purpose\":\"plan\",\"ambient\":"
	            "{\"timezone\":\"Europe/Madrid\"},\"role\":\"user\",\"thread\":\"release\",\"owner\":\"ana\","
	            "\"players\":[\"bob\"],\"extra\":{\"mood\":\"x\"}}");
}

static void test_sections(void **state)
{
	(void)state;
	gives(&profile, "## Usuario\n", "{\"section\":\"user_profile\",\"tokens\":11}");
	gives(&identity, "x", "{\"section\":\"identity\",\"tokens\":1}");
	front_gives(&profile, "lang: es", "{\"section\":\"user_profile\",\"tokens\":22,\"extra\":{\"lang\":\"es\"}}");
	gives(&task, "- [x] a\n", "{\"section\":\"current_task\",\"tokens\":8,\"subtasks\":{\"done\":1,\"total\":1}}");
}

static void test_section_limits(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int most;
	} limits[] = { { "user_profile.md", 1500 }, { "project_context.md", 5000 }, { "current_task.md", 3000 },
		       { "agent_notes.md", 2000 }, { "identity.md", 2000 } };
	char text[5002];
	memset(text, 'x', sizeof text);
	for (size_t i = 0; i < COUNT(limits); i++) {
		struct document d = { i == 4 ? FAMILY_IDENTITY : FAMILY_SECTION, "", limits[i].name, 0 };
		struct buf fields = BUF_INIT;
		struct why why;
		char said[64];
		assert_int_equal(save(&d, text, (size_t)limits[i].most, &fields, &why), 0);
		buf_clear(&fields);
		assert_int_equal(save(&d, text, (size_t)limits[i].most + 1, &fields, &why), RENDER_EFBIG);
		(void)snprintf(said, sizeof said, "%d tokens, at most %d", limits[i].most + 1, limits[i].most);
		assert_non_null(strstr(why.text, said));
		assert_int_equal(fields.len, 0);
		buf_release(&fields);
	}
}

static void test_size(void **state)
{
	(void)state;
	static const struct document *const all[] = { &block, &note, &memory };
	char *text = calloc(1, DOCUMENT_LIMIT + 1);
	assert_non_null(text);
	memset(text, 'x', DOCUMENT_LIMIT + 1);
	for (size_t i = 0; i < COUNT(all); i++) {
		struct buf fields = BUF_INIT;
		struct why why;
		assert_int_equal(save(all[i], text, DOCUMENT_LIMIT, &fields, &why), 0);
		buf_clear(&fields);
		assert_int_equal(save(all[i], text, DOCUMENT_LIMIT + 1, &fields, &why), RENDER_EFBIG);
		buf_release(&fields);
	}
	free(text);
}

static void test_note(void **state)
{
	(void)state;
	gives_bytes(&note, "\0\xFF\xFE", 3, "{}");
	gives(&note, "---\nnot closed: [\n", "{}");
	gives(&note, "", "{}");
	struct buf fields = BUF_INIT;
	assert_int_equal(render_document_in(&block, NULL, 0, count_bytes, &fields, NULL), 0);
	/* without a `why` a refusal is one as well */
	assert_int_equal(render_document_in(&block, "---\n", 4, count_bytes, &fields, NULL), RENDER_EINVAL);
	assert_int_equal(render_document_in(&block, "\xFF", 1, count_bytes, &fields, NULL), RENDER_EINVAL);
	assert_int_equal(render_document_in(&algorithm, "{", 1, count_bytes, &fields, NULL), RENDER_EINVAL);
	buf_release(&fields);
}

static void test_tasks(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int done, total;
	} cases[] = {
		{ "", 0, 0 },
		{ "- [x] a\n- [ ] b\n* [X] c\n+ [ ] d\n1. [x] e\n12) [ ] f", 3, 6 },
		{ "  - [x] a\n\t- [ ] b\n> - [x] c\n", 2, 3 },
		{ "- [x]\n- [ ]\r\n- [x]\r\n", 2, 3 },
		{ "- [x](link)\n- [y] no\n-[x] no\n[x] no\n- x [x] no\n- []\n- [ x ] no\n", 0, 0 },
		{ "- Subtareas: [x] Analizar [ ] Dise\xC3\xB1" "ar [ ] Implementar\n", 1, 3 },
		{ "SUBTASKS: [x]\n", 1, 1 },
		{ "Subtareas:\n- [x] a\n- [ ] b\n", 1, 2 },
		{ "```\n- [x] a\n```\n- [ ] b\n", 0, 1 },
		{ "~~~~ md\n- [x] a\n~~~\n```\n- [x] a\n~~~~  \n- [ ] b\n", 0, 1 },
		{ "- [x] a\n  ```sh\n  - [x] b\n  ```\n- [ ] c\n```\n- [x] d\n", 1, 2 },
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t done, total;
		render_subtasks(cases[i].text, strlen(cases[i].text), &done, &total);
		if (done != cases[i].done || total != cases[i].total)
			fail_msg("%s: %d of %d", cases[i].text, (int)done, (int)total);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scratch),       cmocka_unit_test(test_notes),
		cmocka_unit_test(test_names),         cmocka_unit_test(test_temporary),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_block),         cmocka_unit_test(test_scope),
		cmocka_unit_test(test_memory),        cmocka_unit_test(test_time),
		cmocka_unit_test(test_component),     cmocka_unit_test(test_algorithm),
		cmocka_unit_test(test_session),       cmocka_unit_test(test_sections),
		cmocka_unit_test(test_section_limits), cmocka_unit_test(test_size),
		cmocka_unit_test(test_note),          cmocka_unit_test(test_tasks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
