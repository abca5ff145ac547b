-- SPDX-License-Identifier: MIT
-- The tape on PostgreSQL: one memory a database.  `cinta init` and `cinta copy` run this, in one
-- transaction with the first entries.
--
-- Entries are numbered, chained, dated and hashed here, under the one row of tape.head, so that
-- writers of many machines need not agree.  Whoever writes may call the functions, and nothing
-- else; each client hashes every entry anew before it believes it.

CREATE SCHEMA tape;
REVOKE ALL ON SCHEMA tape FROM PUBLIC;

CREATE TABLE tape.head (
	one     boolean PRIMARY KEY DEFAULT true CHECK (one),
	version integer NOT NULL,
	origin  text    NOT NULL,
	next    bigint  NOT NULL,
	last_us bigint  NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE tape.entry (
	seq        bigint PRIMARY KEY CHECK (seq >= 0),
	stream     text COLLATE "C" NOT NULL CHECK (stream ~ '^[!-~]{1,128}$'),
	stream_seq bigint NOT NULL,
	prev       bytea  NOT NULL CHECK (length(prev) = 32),
	time_us    bigint NOT NULL CHECK (time_us >= 0),
	kind       text COLLATE "C" NOT NULL CHECK (kind ~ '^[!-~]{1,64}$'),
	author     text COLLATE "C" NOT NULL CHECK (author ~ '^[!-~]{1,128}$'),
	body_len   bigint NOT NULL CHECK (body_len >= 0),
	body_hash  bytea  NOT NULL CHECK (length(body_hash) = 32),
	leaf_hash  bytea  NOT NULL CHECK (length(leaf_hash) = 32),
	salt       bytea  CHECK (length(salt) = 16),
	body       bytea,
	UNIQUE (stream, stream_seq),
	CHECK ((salt IS NULL) = (body IS NULL))
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
	DELETE FROM tape.mount m WHERE m.seen < now() - interval '30 days' AND m.id <> mount_id;
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

-- Appends the entries i that requests[i] asks for, but for requests that are refused.  A request
-- is refused if its first stream has not expects[r] entries (-1: any), if a name has come, moved or
-- gone since entry sinces[r], or if an agent's message has come since entry saids[r] (0: any).
-- Authors that do not begin with the name of the caller's role get that before theirs.  A redaction,
-- which owners alone may append, takes the body of the entry that it names.
CREATE FUNCTION tape.append(mount_id bigint, number bigint, now_us bigint,
	expects bigint[], sinces bigint[], saids bigint[], requests integer[],
	streams text[], kinds text[], authors text[], salts bytea[], bodies bytea[],
	OUT first bigint, OUT stored integer, OUT refused integer[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	was     tape.mount%ROWTYPE;
	head    tape.head%ROWTYPE;
	mine    text;              -- what authors begin with
	who     text;
	ask     integer := -1;     -- the request that entry i is of, counted from 1
	ok      boolean;
	current text := '';        -- the stream that at and last_leaf are of
	at      bigint;
	last_leaf bytea;
	hash    bytea;
	leaf    bytea;
	t       bigint;
BEGIN
	SELECT * INTO was FROM tape.mount m WHERE m.id = mount_id FOR UPDATE;
	IF was.call = number THEN
		first := was.first; stored := was.stored; refused := was.refused;
		RETURN;
	END IF;
	IF was.id IS NULL OR was.call <> number - 1 THEN
		RAISE EXCEPTION 'call % of mount % is out of order', number, mount_id USING ERRCODE = 'CT001';
	END IF;
	-- Durable before it is answered, whatever the session was set to.
	IF current_setting('synchronous_commit') IN ('off', 'local') THEN
		PERFORM set_config('synchronous_commit', 'on', true);
	END IF;
	SELECT * INTO head FROM tape.head FOR UPDATE;
	SELECT r.author INTO mine FROM tape.role r WHERE r.role = session_user;
	first := head.next; stored := 0; refused := '{}';
	t := greatest(head.last_us,
		least(now_us, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint), 0);
	FOR i IN 1 .. coalesce(array_length(requests, 1), 0) LOOP
		IF requests[i] <> ask THEN
			ask := requests[i];
			ok := NOT (sinces[ask] > 0 AND sinces[ask] < head.next AND EXISTS (
					SELECT FROM tape.entry e WHERE e.seq >= sinces[ask]
					AND e.kind IN ('document.make', 'rename', 'retire', 'session')))
				AND NOT (saids[ask] > 0 AND saids[ask] < head.next AND EXISTS (
					SELECT FROM tape.entry e WHERE e.seq >= saids[ask]
					AND e.kind = 'message' AND position('"from"'::bytea IN e.body) > 0))
				AND (expects[ask] < 0 OR expects[ask] = (
					SELECT coalesce(max(e.stream_seq) + 1, 0) FROM tape.entry e
					WHERE e.stream = streams[i]));
			IF NOT ok THEN
				refused := refused || ask;
			END IF;
		END IF;
		CONTINUE WHEN NOT ok;
		IF streams[i] = 'tape' AND NOT (kinds[i] = 'tape.redact' AND tape.owns(session_user)) THEN
			RAISE EXCEPTION 'only an owner appends to the stream of the tape'
				USING ERRCODE = 'insufficient_privilege';
		END IF;
		who := authors[i];
		IF mine IS NOT NULL AND who <> mine AND NOT starts_with(who, mine || ':') THEN
			who := left(mine || ':' || who, 128);
		END IF;
		IF streams[i] <> current THEN
			current := streams[i];
			SELECT e.stream_seq + 1, e.leaf_hash INTO at, last_leaf FROM tape.entry e
				WHERE e.stream = current ORDER BY e.stream_seq DESC LIMIT 1;
			IF NOT FOUND THEN
				at := 0;
				last_leaf := decode(repeat('00', 32), 'hex');
			END IF;
		END IF;
		PERFORM convert_from(bodies[i], 'UTF8'); -- fails on what is no text
		hash := sha256(salts[i] || bodies[i]);
		leaf := sha256('\x00'::bytea || convert_to(concat_ws(E'\n', 'tape/1', head.origin, head.next,
			current, at, encode(last_leaf, 'hex'), t, kinds[i], who, length(bodies[i]),
			encode(hash, 'hex')) || E'\n', 'UTF8'));
		INSERT INTO tape.entry VALUES (head.next, current, at, last_leaf, t, kinds[i], who,
			length(bodies[i]), hash, leaf, salts[i], bodies[i]);
		IF streams[i] = 'tape' THEN
			PERFORM tape.take_body(convert_from(bodies[i], 'UTF8')::jsonb, head.next);
		END IF;
		head.next := head.next + 1;
		stored := stored + 1;
		at := at + 1;
		last_leaf := leaf;
	END LOOP;
	IF stored > 0 THEN
		UPDATE tape.head h SET next = head.next, last_us = t;
		PERFORM pg_notify('cinta_tape', head.next::text);
	END IF;
	UPDATE tape.mount m SET call = number, first = append.first, stored = append.stored,
		refused = append.refused, seen = now() WHERE m.id = mount_id;
END $$;

-- What a mount's last call has stored, without what it sent itself; and before it what came from
-- others since `have`, unless that is much.
CREATE FUNCTION tape.answer(mount_id bigint, have bigint) RETURNS SETOF tape.entry
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m tape.mount%ROWTYPE;
	begins bigint := have;
BEGIN
	SELECT * INTO m FROM tape.mount o WHERE o.id = mount_id;
	IF m.first - have > 200 OR (m.first > have AND (SELECT sum(e.body_len) FROM tape.entry e
			WHERE e.seq >= have AND e.seq < m.first) > 262144) THEN
		begins := m.first;
	END IF;
	RETURN QUERY SELECT e.seq, e.stream, e.stream_seq, e.prev, e.time_us, e.kind, e.author,
		e.body_len, e.body_hash, e.leaf_hash,
		CASE WHEN e.seq < m.first THEN e.salt END, CASE WHEN e.seq < m.first THEN e.body END
		FROM tape.entry e WHERE e.seq >= begins AND e.seq < m.first + m.stored ORDER BY e.seq;
END $$;

-- What became of a call that had no answer; if it has not come, it never will.
CREATE FUNCTION tape.settle(mount_id bigint, number bigint, OUT first bigint, OUT stored integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	was tape.mount%ROWTYPE;
BEGIN
	SELECT * INTO was FROM tape.mount m WHERE m.id = mount_id FOR UPDATE;
	IF was.call = number THEN
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
-- over as many, if there is one; and whether this one is to sign.
CREATE FUNCTION tape.exchange(mount_id bigint, has_now bigint, clean_now bigint, can_sign boolean,
	mine bigint, text_of text, OUT size bigint, OUT note text, OUT signs boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF text_of IS NOT NULL AND mine <= (SELECT h.next FROM tape.head h) THEN
		INSERT INTO tape.note AS n (size, note) VALUES (mine, text_of)
			ON CONFLICT (one) DO UPDATE SET size = excluded.size, note = excluded.note
			WHERE n.size < excluded.size;
	END IF;
	UPDATE tape.mount m SET has = greatest(m.has, has_now), clean = greatest(m.clean, clean_now),
		seen = now() WHERE m.id = mount_id;
	signs := can_sign AND tape.take_lease(mount_id, 'sign');
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

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tape FROM PUBLIC;

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
	IF may <> 'read' THEN
		EXECUTE format('GRANT EXECUTE ON FUNCTION tape.append, tape.answer, tape.settle TO %I', role);
	END IF;
	PERFORM tape.admit_tables(role, may <> 'read');
END $$;

-- Takes back what admit() gave.
CREATE FUNCTION tape.dismiss(role name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	DELETE FROM tape.role r WHERE r.role = dismiss.role;
	EXECUTE format('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tape FROM %I', role);
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA tape FROM %I', role);
	EXECUTE format('REVOKE ALL ON SCHEMA tape FROM %I', role);
	IF EXISTS (SELECT FROM tape.tables) THEN
		EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA log, cto FROM %I', role);
		EXECUTE format('REVOKE ALL ON SCHEMA log, cto FROM %I', role);
	END IF;
END $$;
REVOKE ALL ON FUNCTION tape.admit, tape.dismiss FROM PUBLIC;
