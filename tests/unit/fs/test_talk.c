/* SPDX-License-Identifier: MIT */
/* What an environment says of the agent that a program works for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "fs/base/talk.h"

#define READ(text, talk) talk_read(text, sizeof(text), talk)

static void says(const struct talk *t, const char *agent, const char *session)
{
	assert_string_equal(t->agent, agent);
	assert_string_equal(t->session, session);
}

static void test_variables(void **state)
{
	struct talk t;
	(void)state;
	READ("HOME=/\0AI_AGENT=claude-code_2-1-197_agent\0CLAUDE_CODE_SESSION_ID=a-b", &t);
	says(&t, "claude-code", "a-b");
	READ("AI_AGENT=my_agent\0CODEX_THREAD_ID=7", &t);
	says(&t, "codex", "7");
	READ("AI_AGENT=my_agent_1", &t);
	says(&t, "my_agent", "");
	READ("CINTA_SESSION=s", &t);
	says(&t, "", "s");
	READ("CINTA_AGENT=x\0OPENCODE=1\0CODEX_THREAD_ID=7", &t);
	says(&t, "x", "7");
	READ("OPENCODE=\0AI_AGENT=\0CINTA_AGENT", &t);
	says(&t, "", "");
	READ("XCINTA_AGENT=a\0CINTA_AGENTX=b\0=c\0\0CINTA_AGENT=d", &t);
	says(&t, "d", "");
	READ("CINTA_AGENT=a\0CINTA_AGENT=b", &t);
	says(&t, "b", "");
}

/* A conversation nobody can name tells no agent either; of what was cut off nothing counts. */
static void test_refused(void **state)
{
	static const char *const bad[] = { "a b", "a\tb", "a\nb", "\x7F", "a\"", "\\", "|", "\xC3\xB1", "" };
	struct talk t;
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[64];
		int len = snprintf(text, sizeof text, "CODEX_THREAD_ID=%s", bad[i]);
		talk_read(text, (size_t)len + 1, &t);
		says(&t, "", "");
		len = snprintf(text, sizeof text, "CINTA_AGENT=%s", bad[i]);
		talk_read(text, (size_t)len + 1, &t);
		says(&t, "", "");
	}
	talk_read("CINTA_AGENT=cut", strlen("CINTA_AGENT=cut"), &t);
	says(&t, "", "");
	char longest[TALK_AGENT + 32];
	memset(longest, 'a', sizeof longest);
	memcpy(longest, "CINTA_AGENT=", 12);
	longest[12 + TALK_AGENT] = '\0';
	talk_read(longest, 12 + TALK_AGENT + 1, &t);
	assert_int_equal(strlen(t.agent), TALK_AGENT);
	longest[12 + TALK_AGENT] = 'a';
	longest[13 + TALK_AGENT] = '\0';
	talk_read(longest, 12 + TALK_AGENT + 2, &t);
	says(&t, "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
