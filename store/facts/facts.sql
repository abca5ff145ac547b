-- SPDX-License-Identifier: MIT
-- Facts (store/facts.h).  `domain` is the list's number; `id` and all `…seq` are of tape entries.
CREATE TABLE v_fact (
	id            INTEGER PRIMARY KEY,
	domain        INTEGER NOT NULL,
	place         INTEGER NOT NULL,  -- in its list: that of the fact it stands for, or its id
	text          TEXT    NOT NULL,
	confidence    INTEGER NOT NULL,  -- 0 low, 1 medium, 2 high: now, and as it was added
	confidence_then INTEGER NOT NULL,
	explicit      INTEGER NOT NULL,
	entry         INTEGER NOT NULL,  -- 0: none, as the next two
	supersedes    INTEGER NOT NULL,
	superseded_by INTEGER NOT NULL,
	added_us      INTEGER NOT NULL,
	confirmed_us  INTEGER NOT NULL,
	confirmations INTEGER NOT NULL,
	retracted_seq INTEGER NOT NULL,  -- 0: live
	retracted_us  INTEGER NOT NULL,
	author        TEXT    NOT NULL,
	agent         TEXT,              -- in whose conversation it was saved, and which; NULL: not known
	talk          TEXT
) STRICT;
CREATE INDEX v_fact_live ON v_fact (domain, place, id) WHERE retracted_seq = 0;
CREATE INDEX v_fact_domain ON v_fact (domain, id);
CREATE INDEX v_fact_added ON v_fact (added_us);
CREATE INDEX v_fact_confirmed ON v_fact (confirmed_us, confidence) WHERE retracted_seq = 0;
CREATE INDEX v_fact_ended ON v_fact (retracted_us) WHERE retracted_seq > 0;

-- What became of a fact: confirmed (confidence -1), or weighed.
CREATE TABLE v_fact_event (
	fact       INTEGER NOT NULL,
	seq        INTEGER NOT NULL,
	time_us    INTEGER NOT NULL,
	confidence INTEGER NOT NULL,
	entry      INTEGER NOT NULL,
	PRIMARY KEY (fact, seq)
) STRICT, WITHOUT ROWID;

-- Saves of a list, and how many entries and saves it has.
CREATE TABLE v_fact_save (
	domain    INTEGER NOT NULL,
	n         INTEGER NOT NULL,
	seq       INTEGER NOT NULL,  -- its last entry, as is the hash
	time_us   INTEGER NOT NULL,
	added     INTEGER NOT NULL,
	retracted INTEGER NOT NULL,
	confirmed INTEGER NOT NULL,
	weighed   INTEGER NOT NULL,
	texts     INTEGER NOT NULL,
	author    TEXT    NOT NULL,
	hash      BLOB    NOT NULL,
	agent     TEXT,              -- as of a fact
	talk      TEXT,
	PRIMARY KEY (domain, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX v_fact_save_talk ON v_fact_save (talk, seq) WHERE talk IS NOT NULL;
CREATE TABLE v_fact_list (
	domain  INTEGER PRIMARY KEY,
	entries INTEGER NOT NULL,
	saves   INTEGER NOT NULL
) STRICT;

-- A list's free text from an entry on.
CREATE TABLE v_fact_text (
	domain INTEGER NOT NULL,
	seq    INTEGER NOT NULL,
	text   TEXT    NOT NULL,
	PRIMARY KEY (domain, seq)
) STRICT, WITHOUT ROWID;

-- Every fact that ever was; the live ones have no retracted_at.
CREATE VIEW facts AS
SELECT id,
       CASE domain WHEN 1 THEN 'work' WHEN 2 THEN 'preferences' WHEN 3 THEN 'decisions' WHEN 4 THEN 'personal' ELSE 'projects' END AS domain,
       text AS fact,
       CASE confidence WHEN 0 THEN 'low' WHEN 1 THEN 'medium' ELSE 'high' END AS confidence,
       CASE explicit WHEN 1 THEN 'explicit' ELSE 'inferred' END AS source,
       nullif(entry, 0) AS source_entry,
       strftime('%Y-%m-%dT%H:%M:%S', added_us / 1000000, 'unixepoch') || printf('.%06dZ', added_us % 1000000) AS created_at,
       strftime('%Y-%m-%dT%H:%M:%S', confirmed_us / 1000000, 'unixepoch') || printf('.%06dZ', confirmed_us % 1000000) AS last_confirmed_at,
       CASE WHEN retracted_seq > 0 THEN strftime('%Y-%m-%dT%H:%M:%S', retracted_us / 1000000, 'unixepoch') || printf('.%06dZ', retracted_us % 1000000) END AS retracted_at,
       nullif(supersedes, 0) AS supersedes,
       nullif(superseded_by, 0) AS superseded_by,
       author,
       agent,
       talk AS conversation
  FROM v_fact;
