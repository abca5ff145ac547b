/* SPDX-License-Identifier: MIT */
/*
 * What is said of each verb: one table for --help, for the shells' completions and for the words
 * of a refusal.  What a verb does is in main.c's table, by the same numbers.
 */
#include <string.h>

#include "mount/words/words.h"

const struct verb verbs[VERBS] = {
	[VERB_MOUNT] = { "mount", "[-f] [-d DB] [-o opt,...] [DB] DIR", "mount a memory on DIR",
	  "  -f                stay in front\n"
	  "  -d DB             the database, or postgresql://HOST/DATABASE; as DB in front of DIR\n"
	  "  -o debug          print each request on stderr; implies -f\n"
	  "  -o ro             mount read-only, tuned for reading\n"
	  "  -o session=NAME   sessions/current of this mount points at NAME\n"
	  "  -o owner=NAME     author of what is written through it\n"
	  "  -o as=NAME        the same, whoever writes: an agent's own mount\n"
	  "  -o only=PATHS     show these alone, with : between\n"
	  "  -o ro=PATHS       show these, but let nobody write them\n"
	  "  -o hide=PATHS     show all but these\n"
	  "  -o server=CODE    its contexts show blocks of that server, too\n"
	  "  -o agent=CODE     and of that agent\n"
	  "  -o allow_other    let other users read\n"
	  "  -o group=NAME     let that group read and write\n"
	  "  -o uid=NAME       let that user, whose the files then are\n"
	  "  -o umask=MASK     what group and others may not, in octal\n"
	  "  -o nonempty       cover a directory that holds files\n"
	  "  -o noexec         run no program of it\n"
	  "  -o rm=WHAT        what deletes a document: refuse (default) or retire\n"
	  "  -o fresh=WHAT     other machines' writes: told (default), open or write\n"
	  "  -o secrets=WHAT   keys that are written: warn (default), refuse or off\n"
	  "  -o tokens=NAME    count with o200k_base (default), cl100k_base, estimate, FILE.tiktoken\n"
	  "  -o limit=N        tokens the model takes (200000)\n"
	  "  -o threshold=N    memory pressure above which to act, per cent (50)\n"
	  "  -o summarizer=COMMAND  summarise what leaves the window\n"
	  "  -o follow=AGENTS  take in what they write: claude:codex:gemini:opencode\n"
	  "  -o dictionary=NAME  find words of another language, too, by Debian's dict-freedict-NAME\n"
	  "  -o embedding=URL  search by meaning, too: an OpenAI-compatible endpoint\n"
	  "  -o embedding_model=NAME  the model, as the endpoint calls it\n"
	  "  -o embedding_dims=N  ask for vectors of so many dimensions\n"
	  "  -o origin=NAME    identity of a new tape\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_UMOUNT] = { "umount", "[-l] DIR", "unmount, and wait until all is put away",
	  "  -l                also when it is in use\n", NULL },
	[VERB_INIT] = { "init", "[-d DB] [-o opt,...] [DB]",
	  "make a tape and its key; print the verifier key",
	  "  -d DB             the database, or postgresql://HOST/DATABASE: on a server\n"
	  "  -o origin=NAME    its identity (default cinta/ and 16 random hex digits)\n"
	  "  -o key_dir=DIR    where to put the signing key\n", NULL },
	[VERB_IDENTITY] = { "identity", "[-d DB] [-o opt,...] [DB] < FILE",
	  "set who the agent is: smma/identity.md",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o owner=NAME     author of it, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_SEARCH] = { "search", "[--json] [-d DB] [-o opt,...] [DB] WORDS...",
	  "what search/WORDS.md of a mount says",
	  "  --json            a JSON object a hit\n"
	  "  -d DB             the database; the same as DB in front of the words\n"
	  "  -o dictionary=NAME  words of another language, too, as the mount does\n"
	  "  -o embedding=URL  by meaning, too, as the mount does\n"
	  "  -o embedding_model=NAME  the model, as the endpoint calls it\n"
	  "  -o embedding_dims=N  ask for vectors of so many dimensions\n", NULL },
	[VERB_LS] = { "ls", "[-la1] [-d DB] [-o opt,...] [PATH...]",
	  "list files of the memory, mounted or not",
	  "  -l                with mode, size, time (UTC) and where a link leads\n"
	  "  -a                taken, as -1 is: all names, a line each, is what it prints anyhow\n"
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_CAT] = { "cat", "[-d DB] [-o opt,...] PATH...",
	  "print files of the memory, mounted or not",
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_APPEND] = { "append", "[-p] [-d DB] [-o opt,...] PATH < LINES",
	  "append to a log or document, as >> does in a mount",
	  "  -p                make the directories of PATH first\n"
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_WRITE] = { "write", "[-p] [-d DB] [-o opt,...] PATH < FILE",
	  "save a document, as > does in a mount",
	  "  -p                make the directories of PATH first\n"
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_EDIT] = { "edit", "[-d DB] [-o opt,...] PATH",
	  "change a document in $VISUAL or $EDITOR",
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_CP] = { "cp", "[-r] [-p] [-d DB] [-o opt,...] :PATH FILE | FILE :PATH",
	  "copy out of the memory or into it",
	  "  -r                directories, with all in them\n"
	  "  -p                make the directories of :PATH first\n"
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_ALGORITHMS] = { "algorithms",
	  "list [-d DB] [DB] | compare [-w] [-k N] [-v A,B] [-d DB] [-o opt,...] [DB] CODE "
	  "[-q FILE | QUESTION...]",
	  "compare how two versions of an algorithm choose memories",
	  "  -d DB             the database; the same as DB in front of CODE\n"
	  "  -w                write the results to `metrics` of both versions\n"
	  "  -k N              look at the first N of each ranking (10)\n"
	  "  -v A,B            these versions, not the active one and the experiment\n"
	  "  -q FILE           a question a line; behind a tab, the memories expected\n"
	  "  -o owner=NAME     author of the metrics, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n", "list compare" },
	[VERB_PLOT] = { "plot", "growth|facts|pressure|sessions|days|weeks [--svg|--text] [-d DB] [DB]",
	  "show how a memory grew and stands, as text or as a picture",
	  "  --svg             an SVG file on stdout, in the reader's scheme, light or dark\n"
	  "  --text            bars of text (default)\n"
	  "  -d DB             the database; the same as DB as a word\n",
	  "growth facts pressure sessions days weeks" },
	[VERB_VERIFY] = { "verify",
	  "[--all] [--vkey KEY] [--note FILE]... [-d DB] [-o key_dir=DIR] [DB]",
	  "prove that nothing on the tape was changed",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  --all             also check the database file and compare all views\n"
	  "  --vkey KEY        the verifier key to trust\n"
	  "  --note FILE       a signed note kept elsewhere\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_REDACT] = { "redact",
	  "[--yes] [-d DB] --reason TEXT [-o opt,...] SEQ|PATH[@N]|--match PATTERN [DB]",
	  "take a text out for good; without --yes say where it is",
	  "  --match PATTERN   all that holds it: a regular expression, or the text itself\n"
	  "  --reason TEXT     one line, shown in its place\n"
	  "  --yes             do it; it cannot be undone\n"
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o owner=NAME     who does it, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_IMPORT] = { "import",
	  "[-n | --follow] [--tools names|full|none] [--session NAME] [-d DB] [-o opt,...] "
	  "SOURCE... [DB|DIR] "
	  "| --exact OTHER.db|TAPE NEW.db",
	  "take in conversations and notes that other programs keep",
	  "  -n                say what there is to take in, and write nothing\n"
	  "  --follow          go on with what is written to them, until ended\n"
	  "  --exact           of a database or an exported tape make NEW.db: the same hashes\n"
	  "  --tools HOW       of tools' calls: names (default), full or none\n"
	  "  --session NAME    name of the first session that is made\n"
	  "  -d DB             the database; the same as DB behind the sources\n"
	  "  -o owner=NAME     who takes it in, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_MCP] = { "mcp", "[-d DB] [-o opt,...] [DB]",
	  "serve a memory to a client of the Model Context Protocol",
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o ro             offer only the tools that read\n"
	  "  -o session=NAME   the session of tools that are told of none (current)\n"
	  "  -o owner=NAME     author of it where no daemon serves the memory\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_HOOK] = { "hook", "[-d DB] [-o opt,...] < EVENT",
	  "what a coding agent runs at events of its sessions",
	  "  -d DB             the database, or a directory it is mounted on\n"
	  "  -o owner=NAME     who takes transcripts in, instead of the user's name\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_AGENT_SETUP] = { "agent-setup",
	  "[--write | --remove] [-d DB] claude|codex|opencode|gemini",
	  "have a coding agent read the memory and be taken into it",
	  "  --write           put it into the agent's settings\n"
	  "  --remove          take it out of them\n"
	  "  -d DB             the database, or a directory it is mounted on\n", NULL },
	[VERB_EXPORT] = { "export", "--site DIR | --git DIR [--since SEQ|DATE] | "
	  "--messages openai|anthropic SESSION | --tape [-d DB] [-o opt,...] [DB]",
	  "copy a memory in another form, mounted or not",
	  "  --site DIR        its pages for a browser, as files that need nothing\n"
	  "  --git DIR         each entry as a commit; a repository that has some goes on\n"
	  "  --since SEQ|DATE  commits from that entry on, or from that time\n"
	  "  --messages API    a session as the array that this API takes\n"
	  "  --tape            each entry as a line, and one that seals them: import --exact\n"
	  "  -d DB             the database, or where it is mounted; the same as DB as a word\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_BACKUP] = { "backup", "[-d DB] [-o key_dir=DIR] FILE [DB]",
	  "copy a memory to one new file, mounted or not, and verify that",
	  "  -d DB             the database; the same as DB behind FILE\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_COPY] = { "copy", "[-o key_dir=DIR] FROM TO",
	  "copy a whole memory: from its database to a server, or back to a new file",
	  "  FROM, TO          postgresql://HOST/DATABASE and a file, or the other way round\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_SYNC] = { "sync", "[--upto N] [-d DB] [DB]",
	  "wait until this machine has all that is on the memory's server; print what it ends with",
	  "  --upto N          until it has entry N\n"
	  "  -d DB             the database, a directory it is mounted on, or its server\n", NULL },
	[VERB_RESCUE] = { "rescue", "DIR NEW.db | [REPLICA] postgresql://HOST/DATABASE",
	  "write what a mount holds to a new file; bring back to a server what it has lost", "", NULL },
	[VERB_STATUS] = { "status", "[--json] [-d DB] [DB]",
	  "what is on the tape, and where it is mounted",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  --json            one JSON object\n", NULL },
	[VERB_REBUILD] = { "rebuild",
	  "[-q] [--keep] [--compact] [--salvage NEW.db] [-d DB] [-o key_dir=DIR] [DB]",
	  "make the file anew from the entries of its tape",
	  "  --keep            keep the old file as DB.before-rebuild\n"
	  "  --compact         as small as can be; say how many bytes it was and is\n"
	  "  --salvage NEW.db  leave DB as it is, write to NEW.db what can be read of it\n"
	  "  -q                show no progress\n"
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o key_dir=DIR    where the signing key is\n", NULL },
	[VERB_DOCTOR] = { "doctor", "[-d DB] [-o opt,...] [DIR|DB]",
	  "find what keeps a mount from working, and say what to do",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  -o key_dir=DIR    where the signing key is\n"
	  "  -o embedding=URL  try an embedding endpoint, too\n"
	  "  -o embedding_model=NAME  the model, as the endpoint calls it\n"
	  "  -o embedding_dims=N  ask for vectors of so many dimensions\n", NULL },
	[VERB_PUBKEY] = { "pubkey", "[--pem] [-d DB] [DB]", "print the tape's verifier key",
	  "  -d DB             the database; the same as DB as a word\n"
	  "  --pem             as a PEM public key, for openssl\n", NULL },
};

const struct verb *verb_named(const char *name)
{
	for (int i = 0; i < VERBS; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}
