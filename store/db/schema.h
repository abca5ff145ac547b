/* SPDX-License-Identifier: MIT */
/* The SQL texts of the database, as compiled in from tape.sql and the SUB.sql of each subject. */
#ifndef CINTA_SCHEMA_H
#define CINTA_SCHEMA_H

extern const char schema_sql[]; /* the tape: tables and triggers */
extern const char views_sql[];  /* the views, with their first row of v_state */
extern const char gone_sql[];   /* an index of bodies that are gone; where there is a tape */

enum {
	SCHEMA_VERSION = 2,           /* PRAGMA user_version of the files this build makes */
	VIEWS_VERSION = 28,           /* v_made.version: other views are made anew */
	APPLICATION_ID = 0x636E7461   /* PRAGMA application_id: "cnta" */
};

#endif
