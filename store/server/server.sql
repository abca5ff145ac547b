-- SPDX-License-Identifier: MIT
-- The tape on PostgreSQL: one memory a database.  `cinta init` and `cinta copy` run this, in one
-- transaction with the first entries.
--
-- Entries are numbered, chained, dated and hashed here, under the one row of tape.head, so that
-- writers of many machines need not agree.  Whoever writes may call the functions, and nothing
-- else; each client hashes every entry anew before it believes it.

-- A statement that fails would stand in the server's own log, with bodies that may be redacted later.
DO $do$ BEGIN
	EXECUTE format('ALTER DATABASE %I SET log_min_error_statement = panic', current_database());
	PERFORM set_config('log_min_error_statement', 'panic', false); -- for what is copied now
EXCEPTION WHEN OTHERS THEN
	NULL; -- for a superuser to say
END $do$;

CREATE SCHEMA tape;
REVOKE ALL ON SCHEMA tape FROM PUBLIC;

CREATE TABLE tape.head (
	one     boolean PRIMARY KEY DEFAULT true CHECK (one),
	version integer NOT NULL,
	origin  text    NOT NULL,
	next    bigint  NOT NULL,
	last_us bigint  NOT NULL
) WITH (fillfactor = 10);

-- What an entry must be is checked by tape.append(), and by each client: PostgreSQL would read a
-- table's checks anew for each INSERT.
CREATE TABLE tape.entry (
	seq        bigint PRIMARY KEY,
	stream     text COLLATE "C" NOT NULL,
	stream_seq bigint NOT NULL,
	prev       bytea  NOT NULL,
	time_us    bigint NOT NULL,
	kind       text COLLATE "C" NOT NULL,
	author     text COLLATE "C" NOT NULL,
	body_len   bigint NOT NULL,
	body_hash  bytea  NOT NULL,
	leaf_hash  bytea  NOT NULL,
	salt       bytea,
	body       bytea,
	UNIQUE (stream, stream_seq)
);
ALTER TABLE tape.entry ALTER body SET STORAGE EXTERNAL;
-- Where names have come, moved or gone.
CREATE INDEX entry_names ON tape.entry (seq)
	WHERE kind IN ('document.make', 'rename', 'retire', 'session');

-- The newest signed note that a machine with the key has made.
CREATE TABLE tape.note (
	one  boolean PRIMARY KEY DEFAULT true CHECK (one),
	size bigint NOT NULL,
	note text   NOT NULL
) WITH (fillfactor = 10);

-- Each opening of a memory, and the call it made last: a call sent twice is stored once.  `place` is
-- the file of its replica: host and place together are a machine.
CREATE TABLE tape.mount (
	id      bigint PRIMARY KEY,
	host    text NOT NULL,
	place   text NOT NULL,
	version text NOT NULL,
	role    text NOT NULL DEFAULT session_user,
	has     bigint NOT NULL DEFAULT 0,   -- entries it has said it has; …
	clean   bigint NOT NULL DEFAULT -1,  -- … and below this one nothing is left of what was redacted
	call    bigint NOT NULL DEFAULT 0,
	first   bigint NOT NULL DEFAULT -1,
	stored  integer NOT NULL DEFAULT 0,
	refused integer[] NOT NULL DEFAULT '{}',
	seen    timestamptz NOT NULL DEFAULT now(),
	shown   bigint,                      -- it has so many, and shows them unasked for three seconds …
	shown_at timestamptz                 -- … from then on (NULL: it does not)
) WITH (fillfactor = 10);

-- Who may what: `read`, `write` or `own`, and by which name its authors begin (NULL: by any).  Who
-- owns the schema may all.
CREATE TABLE tape.role (
	role   name PRIMARY KEY,
	may    text NOT NULL CHECK (may IN ('read', 'write', 'own')),
	author text COLLATE "C" CHECK (author ~ '^[!-9;-~]{1,64}$')
);

-- Work that one machine does for all: until when, and which opening.
CREATE TABLE tape.lease (
	what  text PRIMARY KEY,
	mount bigint NOT NULL,
	until timestamptz NOT NULL
) WITH (fillfactor = 10);

-- Who has locked it appends.  Waiting for the row of tape.head instead, each of many writers is woken
-- for every version of it that another made meanwhile.
CREATE TABLE tape.turn ();

-- Bodies go where a redaction is appended (tape.append), and nowhere else.
CREATE FUNCTION tape.keep() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND current_setting('cinta.redacting', true) = OLD.seq::text
			AND NEW.salt IS NULL AND NEW.body IS NULL THEN
		NEW := OLD;
		NEW.salt := NULL;
		NEW.body := NULL;
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'the tape only grows' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER entry_keep BEFORE UPDATE OR DELETE ON tape.entry
	FOR EACH ROW EXECUTE FUNCTION tape.keep();
CREATE TRIGGER entry_keep_all BEFORE TRUNCATE ON tape.entry
	FOR EACH STATEMENT EXECUTE FUNCTION tape.keep();

-- Whether a machine's file is a prefix of this tape: 0: it is; 1: this tape is shorter; 2: it has
-- another entry there.
CREATE FUNCTION tape.tip(have bigint, leaf bytea, OUT next bigint, OUT wrong integer)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	SELECT h.next INTO tip.next FROM tape.head h;
	wrong := CASE
		WHEN have > tip.next THEN 1
		WHEN have > 0 AND NOT EXISTS (SELECT FROM tape.entry e
			WHERE e.seq = have - 1 AND e.leaf_hash = tip.leaf) THEN 2
		ELSE 0 END;
END $$;

-- The first thing a connection asks.
CREATE FUNCTION tape.hello(mount_id bigint, host_name text, file text, cinta text,
	OUT version integer, OUT origin text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	SELECT h.version, h.origin INTO hello.version, hello.origin FROM tape.head h;
	-- Whoever is at it, and stays: nobody waits for that.
	DELETE FROM tape.mount d WHERE d.id IN (SELECT m.id FROM tape.mount m
		WHERE m.seen < now() - interval '30 days' AND m.id <> mount_id FOR UPDATE SKIP LOCKED);
	IF file <> '' THEN -- else it only asks whose tape this is
		INSERT INTO tape.mount (id, host, place, version) VALUES (mount_id, host_name, file, cinta)
			ON CONFLICT (id) DO UPDATE SET seen = now();
	END IF;
END $$;

-- Whether a role may redact.
CREATE FUNCTION tape.owns(role name) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT EXISTS (SELECT FROM tape.role r WHERE r.role = $1 AND r.may = 'own') OR
		pg_has_role($1, (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'tape'), 'MEMBER')
$$;

-- Whether a role may write: tape.append() has the same in its first query.
CREATE FUNCTION tape.may_write(role name) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce((SELECT r.may <> 'read' FROM tape.role r WHERE r.role = $1),
		pg_has_role($1, (SELECT n.nspowner FROM pg_namespace n WHERE n.nspname = 'tape'), 'MEMBER'))
$$;

-- The body of the entry that a redaction names; machines look at its signature before they follow.
CREATE FUNCTION tape.take_body(redaction jsonb, behind bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	gone bigint := (redaction->>'seq')::bigint;
BEGIN
	PERFORM set_config('cinta.redacting', gone::text, true);
	UPDATE tape.entry e SET salt = NULL, body = NULL
		WHERE e.seq = gone AND e.seq < behind AND e.stream <> 'tape' AND e.body IS NOT NULL
		AND encode(e.leaf_hash, 'hex') = redaction->>'leaf';
	PERFORM set_config('cinta.redacting', '', true);
	PERFORM tape.forget(gone); -- tables.sql
END $$;

-- True if a request with its first entry in that stream is not refused (tape.append).  Without an
-- upper bound a plan for any numbers would walk the whole tape.
CREATE FUNCTION tape.may_come(stream text, expect bigint, since bigint, said bigint, next bigint)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN NOT (since > 0 AND since < next AND EXISTS (
			SELECT FROM tape.entry e WHERE e.seq >= since AND e.seq < next
			AND e.kind IN ('document.make', 'rename', 'retire', 'session')))
		AND NOT (said > 0 AND said < next AND EXISTS (
			SELECT FROM tape.entry e WHERE e.seq >= said AND e.seq < next
			AND e.kind = 'message' AND position('"from"'::bytea IN e.body) > 0))
		AND (expect < 0 OR expect = (SELECT coalesce(max(e.stream_seq) + 1, 0)
			FROM tape.entry e WHERE e.stream = may_come.stream));
END $$;

-- Everything that can be seen of the tape is durable when this has been committed, if it has more than
-- the caller's `have` entries.  What nobody has flushed may vanish with the server, so no machine takes
-- it before.  A commit that has written nothing would not flush, nor wait for a standby.
CREATE PROCEDURE tape.flush(have bigint) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF (SELECT h.next FROM tape.head h) > have AND (pg_current_wal_insert_lsn() >
			pg_current_wal_flush_lsn() OR current_setting('synchronous_standby_names') <> '') THEN
		IF current_setting('synchronous_commit') IN ('off', 'local') THEN
			PERFORM set_config('synchronous_commit', 'on', true);
		END IF;
		PERFORM pg_logical_emit_message(true, 'cinta', '');
	END IF;
END $$;

-- Appends the entries i that requests[i] asks for, but for requests that are refused.  A request
-- is refused if its first stream has not expects[r] entries (-1: any), if a name has come, moved or
-- gone since entry sinces[r], or if an agent's message has come since entry saids[r] (0: any).
-- Authors that do not begin with the name of the caller's role get that before theirs.  A redaction,
-- which owners alone may append, takes the body of the entry that it names.
--
-- Gives what came from others since `have`, unless that is much; what it has stored, without what
-- the caller sent; and a last row whose first, stored and refused say what became of the call.
--
-- `early`: others may go on before it is durable, for which the caller calls tape.flush() behind its
-- commit.
--
-- PL/pgSQL makes each expression ready once a transaction, which costs more than most of them do:
-- so there are few, and what a statement can do on its way is done there.
CREATE FUNCTION tape.append(mount_id bigint, number bigint, have bigint, now_us bigint,
	expects bigint[], sinces bigint[], saids bigint[], requests integer[],
	streams text[], kinds text[], authors text[], salts bytea[], bodies bytea[],
	early boolean DEFAULT false)
RETURNS TABLE (seq bigint, stream text, stream_seq bigint, prev bytea, time_us bigint, kind text,
	author text, body_len bigint, body_hash bytea, leaf_hash bytea, salt bytea, body bytea,
	first bigint, stored integer, refused integer[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
	last_call bigint;          -- NULL: there is no such mount, or the role may not write
	trusted boolean;           -- it may
	lax     boolean;           -- commits are not durable, the session says
	origin  text;
	next    bigint;            -- of the head, before this call
	t       bigint;
	mine    text;              -- what authors begin with
	careful boolean;           -- some request may be refused, or redacts
	n       integer;
	count   integer := 0;      -- entries stored
	no      integer[];         -- requests refused
	ask     integer := -1;     -- the request that entry i is of, counted from 1
	ok      boolean;
BEGIN
	-- Who waits for its own row keeps nobody from a turn.
	SELECT m.call INTO last_call FROM tape.mount m WHERE m.id = mount_id FOR UPDATE;
	-- Until the end, so that each statement behind this one sees all entries.
	LOCK TABLE tape.turn IN EXCLUSIVE MODE;
	-- A role that was not admitted by its own name has no author: it must be the owner's.
	SELECT CASE WHEN q.trusted THEN last_call END, q.trusted,
			current_setting('synchronous_commit') IN ('off', 'local'), h.origin, h.next,
			greatest(h.last_us, least(now_us, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), 0),
			r.author, -1 <> ANY (expects) OR 0 <> ANY (sinces) OR 0 <> ANY (saids) OR 'tape' = ANY (streams),
			coalesce(array_length(requests, 1), 0), '{}'
		INTO last_call, trusted, lax, origin, next, t, mine, careful, n, no
		FROM tape.head h LEFT JOIN tape.role r ON r.role = session_user
			CROSS JOIN LATERAL (SELECT coalesce(r.may <> 'read',
				pg_has_role(session_user, current_user, 'MEMBER')) AS trusted) q
		FOR UPDATE OF h;
	IF last_call = number - 1 THEN
		NULL;
	ELSIF last_call = number THEN -- it was sent twice
		CALL tape.flush(-1);
		RETURN QUERY SELECT e.seq, e.stream, e.stream_seq, e.prev, e.time_us, e.kind, e.author,
			e.body_len, e.body_hash, e.leaf_hash, NULL::bytea, NULL::bytea,
			NULL::bigint, NULL::integer, NULL::integer[]
			FROM tape.mount m JOIN tape.entry e ON e.seq >= m.first AND e.seq < m.first + m.stored
			WHERE m.id = mount_id ORDER BY e.seq;
		SELECT m.first, m.stored, m.refused INTO first, stored, refused
			FROM tape.mount m WHERE m.id = mount_id;
		RETURN NEXT;
		RETURN;
	ELSIF NOT trusted THEN
		RAISE EXCEPTION 'role % may not write: it was not admitted, or to read', session_user
			USING ERRCODE = 'insufficient_privilege';
	ELSE
		RAISE EXCEPTION 'call % of mount % is out of order', number, mount_id USING ERRCODE = 'CT001';
	END IF;
	-- Durable before it is answered, whatever the session was set to; if it is early, behind
	-- tape.flush().  A redaction never is: the body that it takes is gone for whoever reads now.
	IF lax OR early THEN
		PERFORM set_config('synchronous_commit', CASE WHEN early AND NOT 'tape' = ANY (streams)
			THEN 'off' ELSE 'on' END, true);
	END IF;
	IF have < next THEN
		RETURN QUERY SELECT q.seq, q.stream, q.stream_seq, q.prev, q.time_us, q.kind, q.author,
			q.body_len, q.body_hash, q.leaf_hash, q.salt, q.body,
			NULL::bigint, NULL::integer, NULL::integer[]
			FROM (SELECT e.*, sum(e.body_len) OVER () AS bytes FROM tape.entry e
				WHERE e.seq >= have AND e.seq < next AND next - have <= 200) q
			WHERE q.bytes <= 262144 ORDER BY q.seq;
	END IF;
	FOR i IN 1 .. n LOOP
		IF careful THEN
			IF requests[i] <> ask THEN
				ask := requests[i];
				ok := tape.may_come(streams[i], expects[ask], sinces[ask], saids[ask], next + count);
				IF NOT ok THEN
					no := no || ask;
				END IF;
			END IF;
			CONTINUE WHEN NOT ok;
			IF streams[i] = 'tape' AND NOT (kinds[i] = 'tape.redact' AND tape.owns(session_user)) THEN
				RAISE EXCEPTION 'only an owner appends to the stream of the tape'
					USING ERRCODE = 'insufficient_privilege';
			END IF;
		END IF;
		-- Where the entry before was of another stream, the last one of this is looked up.
		INSERT INTO tape.entry AS e
			SELECT next + count, streams[i], c.at, c.prev, t, kinds[i], c.who, length(bodies[i]),
				c.hash, sha256('\x00'::bytea || convert_to(concat_ws(E'\n', 'tape/1', origin,
					next + count, streams[i], c.at, encode(c.prev, 'hex'), t, kinds[i], c.who,
					length(bodies[i]), encode(c.hash, 'hex')) || E'\n', 'UTF8')), salts[i], bodies[i]
			FROM (SELECT sha256(salts[i] || bodies[i]) AS hash,
					CASE WHEN mine IS NULL OR authors[i] = mine OR starts_with(authors[i], mine || ':')
						THEN authors[i] ELSE left(mine || ':' || authors[i], 128) END AS who,
					coalesce(l.stream_seq, CASE WHEN streams[i] = append.stream
						THEN append.stream_seq END, -1) + 1 AS at,
					coalesce(l.leaf_hash, CASE WHEN streams[i] = append.stream
						THEN append.leaf_hash END, decode(repeat('00', 32), 'hex')) AS prev
				FROM (SELECT) one LEFT JOIN LATERAL (SELECT o.stream_seq, o.leaf_hash FROM tape.entry o
					WHERE o.stream = streams[i] AND streams[i] IS DISTINCT FROM append.stream
					ORDER BY o.stream_seq DESC LIMIT 1) l ON true OFFSET 0) c
			WHERE (streams[i] || kinds[i] || c.who) COLLATE "C" ~ '^[!-~]+$'
				AND length(streams[i]) BETWEEN 1 AND 128 AND length(kinds[i]) BETWEEN 1 AND 64
				AND length(c.who) BETWEEN 1 AND 128 AND length(salts[i]) = 16
				AND length(bodies[i]) <= 16777216 -- more no machine sends: far_call.c
				AND convert_from(bodies[i], 'UTF8') IS NOT NULL -- it fails on what is no text
			RETURNING e.seq, e.stream, e.stream_seq, e.prev, e.time_us, e.kind, e.author, e.body_len,
				e.body_hash, e.leaf_hash, count + 1
			INTO seq, stream, stream_seq, prev, time_us, kind, author, body_len, body_hash, leaf_hash,
				count;
		IF NOT FOUND THEN
			RAISE EXCEPTION 'entry % of call % is none', i, number USING ERRCODE = 'check_violation';
		END IF;
		RETURN NEXT;
		IF careful THEN
			IF stream = 'tape' THEN
				PERFORM tape.take_body(convert_from(bodies[i], 'UTF8')::jsonb, seq);
			END IF;
		END IF;
	END LOOP;
	RETURN QUERY WITH told AS (
			UPDATE tape.head h SET next = h.next + count, last_us = t WHERE count > 0
			RETURNING pg_notify('cinta_tape', h.next::text))
		UPDATE tape.mount m SET call = number, first = next, stored = count, refused = no,
			seen = now() WHERE m.id = mount_id
		RETURNING NULL::bigint, NULL, NULL::bigint, NULL::bytea, NULL::bigint, NULL, NULL, NULL::bigint,
			NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea, m.first, m.stored, m.refused;
END $$;

-- What became of a call that had no answer; if it has not come, it never will.
CREATE FUNCTION tape.settle(mount_id bigint, number bigint, OUT first bigint, OUT stored integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	was tape.mount%ROWTYPE;
BEGIN
	SELECT * INTO was FROM tape.mount m WHERE m.id = mount_id FOR UPDATE;
	IF was.call = number THEN
		CALL tape.flush(-1);
		first := was.first; stored := was.stored;
	ELSIF was.call = number - 1 THEN
		first := -1; stored := 0;
		UPDATE tape.mount m SET call = number, first = -1, stored = 0, refused = '{}', seen = now()
			WHERE m.id = mount_id;
	ELSE
		RAISE EXCEPTION 'call % of mount % is out of order', number, mount_id USING ERRCODE = 'CT001';
	END IF;
END $$;

-- A lease of 30 seconds: true if it is this opening's now.
CREATE FUNCTION tape.take_lease(mount_id bigint, wanted text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	INSERT INTO tape.lease AS l (what, mount, until)
		VALUES (wanted, mount_id, clock_timestamp() + interval '30 s')
		ON CONFLICT (what) DO UPDATE SET mount = excluded.mount, until = excluded.until
		WHERE l.mount = excluded.mount OR l.until < clock_timestamp();
	RETURN FOUND;
END $$;

-- Gives a machine's note (NULL: it has none) over `mine` entries, how many entries it has, and below
-- which it has nothing left of what was redacted (-1: not known).  Gets another note that is newer, or
-- over as many, if there is one; and whether this one is to sign.  Of a role that may only read no
-- note is taken, and it signs none: it would keep those with the key from it.
CREATE FUNCTION tape.exchange(mount_id bigint, has_now bigint, clean_now bigint, can_sign boolean,
	mine bigint, text_of text, OUT size bigint, OUT note text, OUT signs boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF text_of IS NOT NULL AND mine <= (SELECT h.next FROM tape.head h)
			AND tape.may_write(session_user) THEN
		INSERT INTO tape.note AS n (size, note) VALUES (mine, text_of)
			ON CONFLICT (one) DO UPDATE SET size = excluded.size, note = excluded.note
			WHERE n.size < excluded.size;
	END IF;
	UPDATE tape.mount m SET has = greatest(m.has, has_now), clean = greatest(m.clean, clean_now),
		seen = now() WHERE m.id = mount_id;
	signs := can_sign AND tape.may_write(session_user) AND tape.take_lease(mount_id, 'sign');
	SELECT n.size, n.note INTO exchange.size, exchange.note FROM tape.note n
		WHERE n.size > mine OR (n.size = mine AND n.note <> text_of);
END $$;

-- From now on this opening may show what it has, `upto` entries, for three seconds without asking
-- (NULL: no more).  Who appends waits for those that may (fresh=write).
CREATE FUNCTION tape.show(mount_id bigint, upto bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- A server that forgot it would let a writer go too early.
	IF current_setting('synchronous_commit') IN ('off', 'local') THEN
		PERFORM set_config('synchronous_commit', 'on', true);
	END IF;
	UPDATE tape.mount m SET shown = upto, shown_at = clock_timestamp(), seen = now()
		WHERE m.id = mount_id;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'mount % is not known', mount_id USING ERRCODE = 'CT001';
	END IF;
END $$;

-- How many others may be showing less than the first `upto` entries.
CREATE FUNCTION tape.unseen(mount_id bigint, upto bigint) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT count(*) FROM tape.mount m WHERE m.id <> mount_id AND m.shown < upto
		AND m.shown_at > clock_timestamp() - interval '4 seconds'
$$;

-- The machines of the last 30 days, for who watches over them.
CREATE FUNCTION tape.machines(OUT host text, OUT place text, OUT version text, OUT role text,
	OUT has bigint, OUT behind bigint, OUT clean boolean, OUT seen timestamptz) RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT m.host, m.place, (array_agg(m.version ORDER BY m.seen DESC))[1],
		(array_agg(m.role ORDER BY m.seen DESC))[1], max(m.has),
		(SELECT h.next FROM tape.head h) - max(m.has),
		max(m.clean) > coalesce((SELECT max(e.seq) FROM tape.entry e
			WHERE e.stream = 'tape' AND e.kind = 'tape.redact'), -1), max(m.seen)
	FROM tape.mount m GROUP BY m.host, m.place ORDER BY 1, 2
$$;

REVOKE ALL ON ALL ROUTINES IN SCHEMA tape FROM PUBLIC;

-- Lets a role in: it may `read`, `write`, or `own`, which is to redact, too.  With a name, what it
-- writes is by authors that begin with it.  By these functions alone, and none changes an entry.
CREATE FUNCTION tape.admit(role name, may text DEFAULT 'write', author text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM tape.dismiss(role);
	INSERT INTO tape.role VALUES (role, may, author);
	EXECUTE format('GRANT USAGE ON SCHEMA tape TO %I', role);
	EXECUTE format('GRANT SELECT ON tape.entry, tape.head TO %I', role);
	EXECUTE format('GRANT EXECUTE ON FUNCTION tape.tip, tape.hello, tape.exchange, tape.machines,
		tape.show, tape.unseen TO %I', role);
	EXECUTE format('GRANT EXECUTE ON PROCEDURE tape.flush TO %I', role);
	IF may <> 'read' THEN
		EXECUTE format('GRANT EXECUTE ON FUNCTION tape.append, tape.settle TO %I', role);
	END IF;
	PERFORM tape.admit_tables(role, may <> 'read');
END $$;

-- Takes back what admit() gave.
CREATE FUNCTION tape.dismiss(role name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	DELETE FROM tape.role r WHERE r.role = dismiss.role;
	EXECUTE format('REVOKE ALL ON ALL ROUTINES IN SCHEMA tape FROM %I', role);
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA tape FROM %I', role);
	EXECUTE format('REVOKE ALL ON SCHEMA tape FROM %I', role);
	PERFORM tape.dismiss_tables(role);
END $$;
REVOKE ALL ON FUNCTION tape.admit, tape.dismiss FROM PUBLIC;
