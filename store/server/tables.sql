-- SPDX-License-Identifier: MIT
-- The memory as tables, for who asks by SQL: columns and names are those of the schemas `log` (8.1)
-- and `cto` (2.0).  Made behind server.sql, where the database has neither schema.  One machine fills
-- them from its views (tape.lease); they are derived, and what is deleted comes again.
CREATE TABLE tape.tables (
	one     boolean PRIMARY KEY DEFAULT true CHECK (one),
	version bigint NOT NULL DEFAULT 0,
	upto    bigint NOT NULL DEFAULT 0,  -- entries that are in them
	changes bigint NOT NULL DEFAULT 0   -- by redactions, or by hand: what was sent is not all there
) WITH (fillfactor = 10);

DO $do$ BEGIN
IF to_regnamespace('log') IS NOT NULL OR to_regnamespace('cto') IS NOT NULL THEN
	RETURN;
END IF;
INSERT INTO tape.tables DEFAULT VALUES;
CREATE SCHEMA log;
CREATE SCHEMA cto;
CREATE TYPE log.ref_type AS ENUM ('context', 'accountant', 'secretary');

CREATE TABLE log.messages (
	id             bigint PRIMARY KEY,  -- the entry's number
	hash           char(64) UNIQUE NOT NULL,
	session_hash   char(64) NOT NULL,
	thread_hash    char(64),
	owner_id       char(64) NOT NULL,
	players_id     char(64)[] DEFAULT '{}',
	master_player  char(64),
	role           text,
	content        text NOT NULL,
	attachments    jsonb DEFAULT '{}',
	prev_hash      char(64),
	hashtags       char(64)[] DEFAULT '{}',
	flag_id        char(64),
	master_item_id char(64),
	item_id        char(64)[] DEFAULT '{}',
	loc_id         char(64),
	ambient        jsonb,
	created_at     timestamptz
);
CREATE INDEX ON log.messages (session_hash);
CREATE INDEX ON log.messages (thread_hash);
CREATE INDEX ON log.messages (owner_id);
CREATE INDEX ON log.messages (master_player);
CREATE INDEX ON log.messages (prev_hash);
CREATE INDEX ON log.messages (created_at);
CREATE INDEX ON log.messages (flag_id);
CREATE INDEX ON log.messages (loc_id);
CREATE INDEX ON log.messages USING gin (hashtags);
CREATE INDEX ON log.messages USING gin (players_id);
CREATE INDEX ON log.messages USING gin (item_id);

CREATE TABLE log.message_refs (
	id           bigint PRIMARY KEY,
	message_hash char(64) NOT NULL,
	ref_hash     char(64) NOT NULL,
	ref_type     log.ref_type NOT NULL,
	position     integer NOT NULL,
	thread_hash  char(64),
	message_id   bigint NOT NULL,
	UNIQUE (message_hash, ref_hash)
);
CREATE FUNCTION log.sha256(data text) RETURNS char(64) LANGUAGE sql IMMUTABLE AS
	$$ SELECT encode(sha256(convert_to(data, 'UTF8')), 'hex')::char(64) $$;

CREATE TABLE cto.blocks (
	id bigint PRIMARY KEY, hash char(64), code text, name text, session_hash char(64),
	owner_id char(64), block_type text, category text, content text, embedding real[],
	priority integer, scope text, server_code text, agent_code text, token_count integer,
	status text, created_at timestamptz, updated_at timestamptz
);
CREATE TABLE cto.memory (
	id bigint PRIMARY KEY, hash char(64), session_hash char(64), block_hash char(64),
	owner_id char(64), type text, content text, summary text, importance double precision,
	confidence double precision, embedding real[], embedding_model text, access_count_v2 integer,
	last_access timestamptz, source_hash char(64), expires_at timestamptz, status text,
	superseded_by bigint, related_to bigint[], metadata jsonb, owner_type text,
	created_at timestamptz, updated_at timestamptz
);
CREATE TABLE cto.algorithms (
	id bigint PRIMARY KEY, code text, name text, version text, config jsonb, enabled boolean,
	status text, parent_id bigint, metrics jsonb, activated_at timestamptz,
	deprecated_at timestamptz, created_at timestamptz, updated_at timestamptz
);
CREATE TABLE cto.facts (
	id bigint PRIMARY KEY, domain text, fact text, confidence text, source text,
	source_entry bigint, created_at timestamptz, last_confirmed_at timestamptz,
	retracted_at timestamptz, supersedes bigint, superseded_by bigint, author text
);
CREATE TABLE cto.components (
	table_name text, id char(64), code text, name text, description text, status text,
	content text, fields jsonb, created_at timestamptz, updated_at timestamptz
);
-- pgvector, where it can be had: else embeddings are arrays, compared by the function below.
BEGIN
	CREATE EXTENSION IF NOT EXISTS vector;
	ALTER TABLE cto.blocks ALTER embedding TYPE vector(1536) USING NULL;
	ALTER TABLE cto.memory ALTER embedding TYPE vector(1536) USING NULL;
EXCEPTION WHEN OTHERS THEN
	NULL; -- it is not installed, or not ours to install
END;

-- What stands in front matter is anybody's text: what is no moment, no JSON or no number, is none.
CREATE FUNCTION cto.moment(said text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN said::timestamptz;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $$;
CREATE FUNCTION cto.json(said text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RETURN said::jsonb;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL; -- a number that PostgreSQL has not
END $$;
CREATE FUNCTION cto.number(said text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
	$$ SELECT CASE WHEN said ~ '^[0-9]{1,15}$' THEN said::bigint END $$;
CREATE FUNCTION cto.cosine(a real[], b real[]) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
	SELECT nullif(sum(x::double precision * y) / nullif(sqrt(sum(x::double precision * x))
		* sqrt(sum(y::double precision * y)), 0), 'NaN')
	FROM unnest(a, b) AS both_of(x, y)
$$;

-- Blocks that are active, the highest priority first: of all, and those of a server, or an agent.
CREATE FUNCTION cto.get_active_blocks(scope text, server_code text DEFAULT NULL,
	agent_code text DEFAULT NULL) RETURNS SETOF cto.blocks LANGUAGE sql STABLE AS $$
	SELECT * FROM cto.blocks b WHERE b.status = 'active' AND b.scope = $1
		AND (b.scope <> 'server' OR b.server_code = $2) AND (b.scope <> 'agent' OR b.agent_code = $3)
	ORDER BY b.priority DESC, b.code, b.id
$$;

-- A double that can be multiplied: too large and too small a product are errors here.
CREATE FUNCTION cto.factor(said numeric) RETURNS double precision LANGUAGE sql IMMUTABLE STRICT AS
	$$ SELECT round(least(said, 1000000), 30)::double precision $$;

-- False: the memory gives way to another, that it is superseded by or that one, and so on.  As for the
-- files: an heir is one that is there, and of a circle the one that was saved last.
CREATE FUNCTION cto.stands(memory_id bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
	WITH RECURSIVE way(id, next, saved) AS (
		SELECT h.id, h.superseded_by, h.updated_at FROM cto.memory m
			JOIN cto.memory h ON h.id = m.superseded_by AND h.id <> m.id WHERE m.id = memory_id
		UNION SELECT h.id, h.superseded_by, h.updated_at FROM way JOIN cto.memory h ON h.id = way.next
	)
	SELECT NOT EXISTS (SELECT FROM way) OR coalesce(
		(SELECT way.id FROM way WHERE memory_id IN (SELECT o.id FROM way o)
			ORDER BY way.saved DESC, way.id DESC LIMIT 1) = memory_id, false)
$$;
-- The most uses of one that can be chosen.
CREATE FUNCTION cto.most_used(at_time timestamptz) RETURNS integer LANGUAGE sql STABLE AS $$
	SELECT m.access_count_v2 FROM cto.memory m WHERE m.status = 'active'
		AND (m.expires_at IS NULL OR m.expires_at > at_time)
		AND (m.superseded_by IS NULL OR cto.stands(m.id))
	ORDER BY m.access_count_v2 DESC NULLS LAST, m.superseded_by NULLS FIRST LIMIT 1
$$;
-- Weights and rates are those of the active algorithm, else those of 2.0.
CREATE FUNCTION cto.score(m cto.memory, most_used integer, similarity double precision,
	at_time timestamptz) RETURNS double precision LANGUAGE sql STABLE AS $$
	WITH active AS (SELECT coalesce(a.config->'scoring', a.config) AS scoring FROM cto.algorithms a
		WHERE a.status = 'active' AND coalesce(a.config->'scoring', a.config) ?| '{weights,decay_rates}'
		ORDER BY a.code = 'memory' DESC, a.updated_at DESC LIMIT 1),
	c AS (SELECT coalesce((SELECT scoring->'weights' FROM active), '{}') AS weights,
		coalesce((SELECT scoring->'decay_rates' FROM active), '{}') AS rates)
	SELECT coalesce(cto.factor((c.weights->>'recency')::numeric), 0.20)
			* exp(greatest(-coalesce(cto.factor((c.rates->>m.type)::numeric),
			('{"preference":0.01,"decision":0.05,"fact":0.10,"entity":0.05,"temporal":0.50}'::jsonb
				->>m.type)::float8) * greatest(extract(epoch FROM at_time -
			coalesce(m.last_access, m.created_at))::float8 / 86400, 0), -200))
		+ coalesce(cto.factor((c.weights->>'importance')::numeric), 0.40)
			* cto.factor(least(greatest(coalesce(m.importance, 0.5), 0), 1)::numeric)
		+ coalesce(cto.factor((c.weights->>'relevance')::numeric), 0.30) * greatest(coalesce(similarity, 0), 0)
		+ coalesce(cto.factor((c.weights->>'frequency')::numeric), 0.10)
			* least(coalesce(ln(1 + m.access_count_v2) / nullif(ln(1 + most_used), 0), 0), 1)
	FROM c
$$;
CREATE FUNCTION cto.calculate_memory_score(memory_id bigint, query_embedding real[] DEFAULT NULL,
	at_time timestamptz DEFAULT now()) RETURNS double precision LANGUAGE sql STABLE AS $$
	SELECT cto.score(m, cto.most_used(at_time), cto.cosine(m.embedding::real[], query_embedding), at_time)
		FROM cto.memory m WHERE m.id = memory_id
$$;

-- The memories of an owner that are near to a question, the best first.
CREATE FUNCTION cto.search_memories(query_embedding real[], owner_id text DEFAULT NULL,
	"limit" integer DEFAULT 20, min_similarity double precision DEFAULT 0.3)
	RETURNS TABLE (id bigint, content text, similarity double precision, score double precision)
LANGUAGE sql STABLE AS $$
	SELECT m.id, m.content, near.similarity,
		cto.score(m, (SELECT cto.most_used(now())), near.similarity, now())
	FROM cto.memory m CROSS JOIN LATERAL
		(SELECT cto.cosine(m.embedding::real[], $1) AS similarity OFFSET 0) near
	WHERE m.status = 'active' AND (m.superseded_by IS NULL OR cto.stands(m.id))
		AND (m.expires_at IS NULL OR m.expires_at > now()) AND ($2 IS NULL OR m.owner_id = $2)
		AND near.similarity >= $4
	ORDER BY 4 DESC, 1 LIMIT $3
$$;

CREATE FUNCTION log.keep() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF current_setting('cinta.filling', true) = 'on' THEN
		RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
	END IF;
	RAISE EXCEPTION 'the log is immutable: write to the memory' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER protect_messages BEFORE INSERT OR UPDATE OR DELETE ON log.messages
	FOR EACH ROW EXECUTE FUNCTION log.keep();
CREATE TRIGGER protect_refs BEFORE INSERT OR UPDATE OR DELETE ON log.message_refs
	FOR EACH ROW EXECUTE FUNCTION log.keep();
CREATE TRIGGER protect_all_messages BEFORE TRUNCATE ON log.messages EXECUTE FUNCTION log.keep();
CREATE TRIGGER protect_all_refs BEFORE TRUNCATE ON log.message_refs EXECUTE FUNCTION log.keep();

-- What somebody else changes in a table that is sent whole is sent again; but for embeddings, and
-- what made them.
CREATE FUNCTION cto.send_again() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF current_setting('cinta.filling', true) IS DISTINCT FROM 'on' THEN
		UPDATE tape.tables t SET upto = greatest(t.upto - 1, 0), changes = t.changes + 1;
	END IF;
	RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION cto.send_again FROM PUBLIC;
DECLARE
	each_of record;
BEGIN
	FOR each_of IN SELECT c.oid::regclass AS name, (SELECT string_agg(quote_ident(a.attname), ', ')
			FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
				AND a.attname NOT LIKE 'embedding%') AS columns
			FROM pg_class c WHERE c.relnamespace = 'cto'::regnamespace AND c.relkind = 'r' LOOP
		EXECUTE format('CREATE TRIGGER send_again AFTER INSERT OR UPDATE OF %s OR DELETE OR TRUNCATE
			ON %s EXECUTE FUNCTION cto.send_again()', each_of.columns, each_of.name);
	END LOOP;
END;
END $do$;

-- How far the tables are, for a machine whose views of that version have seen so many entries and
-- which is to fill them; -1: another does, or there are none, or they have more than it.  One that
-- falls behind, with a full disk, does not hold on to the lease, nor one of a newer version that has
-- gone, or of no version at all.
CREATE FUNCTION tape.tables_upto(mount_id bigint, views bigint, seen bigint, OUT upto bigint,
	OUT changes bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	at tape.tables%ROWTYPE;
	lease tape.lease%ROWTYPE;
	ours boolean;
BEGIN
	PERFORM set_config('lock_timeout', '200ms', true);
	SELECT * INTO at FROM tape.tables WHERE tape.may_write(session_user);
	SELECT * INTO lease FROM tape.lease l WHERE l.what = 'tables';
	ours := coalesce(lease.mount = mount_id, false);
	changes := coalesce(at.changes, 0);
	upto := -1;
	-- Not by asking for it first: who holds it locks it while it fills.
	IF at.one IS NULL OR seen < at.upto OR NOT ours AND lease.until > clock_timestamp()
			OR at.version > views AND lease.until > clock_timestamp() - interval '1 hour' THEN
		RETURN;
	ELSIF seen = at.upto AND at.upto < (SELECT h.next FROM tape.head h) THEN
		IF NOT ours THEN
			RETURN;
		END IF;
	ELSIF NOT tape.take_lease(mount_id, 'tables') THEN
		RETURN;
	END IF;
	IF NOT ours THEN -- what another has sent since is not known to this one
		UPDATE tape.tables t SET changes = t.changes + 1 RETURNING t.changes INTO changes;
	END IF;
	IF at.version <> views THEN
		UPDATE tape.tables t SET version = views, upto = 0;
		PERFORM set_config('cinta.filling', 'on', true);
		IF to_regclass('log.message_refs') IS NOT NULL THEN
			DELETE FROM log.message_refs; -- ids are the views' own
		END IF;
		at.upto := 0;
	END IF;
	upto := at.upto;
END $$;

-- Rows for a table.  Messages and references are added to what is there; of another table they are
-- parts, each with all rows whose id is above the one and upto the other.
CREATE FUNCTION tape.fill_table(what text, parts jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	rows jsonb := parts;
BEGIN
	IF what NOT IN ('log_messages', 'log_message_refs') THEN
		-- What an administrator took away without a signature stays in machines' views, and is not
		-- in theirs if it was signed: the row of either, without text.
		rows := (SELECT coalesce(jsonb_agg(CASE WHEN (SELECT e.body IS NULL FROM tape.entry e
				WHERE e.seq = (r->>'entry')::bigint) THEN r || jsonb_build_object(
				'content', NULL, 'summary', NULL, 'description', NULL, 'name', r->'code',
				'fact', CASE WHEN r->>'fact' ~ '^\[redacted: .*\]\s*$' THEN r->>'fact' ELSE '' END,
				'block_type', NULL, 'server_code', NULL, 'agent_code', NULL, 'config', NULL,
				'embedding_model', NULL, 'metadata', '{}', 'metrics', '{}', 'fields', '{}')
				|| CASE WHEN r->>'content' IS NULL THEN '{}'::jsonb -- of what stands there now
					ELSE '{"hash": null, "token_count": null}'::jsonb END
				ELSE r END), '[]')
			FROM jsonb_array_elements(parts) p CROSS JOIN jsonb_array_elements(p->'rows') r);
	END IF;
	CASE what
	WHEN 'log_messages' THEN
		INSERT INTO log.messages AS m SELECT x.id, x.hash, x.session_hash,
			CASE WHEN NOT gone THEN x.thread_hash END, x.owner_id,
			ARRAY(SELECT jsonb_array_elements_text(CASE WHEN gone THEN '[]' ELSE x.players_id END::jsonb)),
			CASE WHEN NOT gone THEN x.master_player END, x.role,
			CASE WHEN e.body IS NULL THEN '' ELSE coalesce(x.content, '') END,
			CASE WHEN e.body IS NULL THEN '{}' ELSE cto.json(x.attachments) END, x.prev_hash,
			ARRAY(SELECT jsonb_array_elements_text(CASE WHEN gone THEN '[]' ELSE x.hashtags END::jsonb)),
			CASE WHEN NOT gone THEN x.flag_id END, CASE WHEN NOT gone THEN x.master_item_id END,
			ARRAY(SELECT jsonb_array_elements_text(CASE WHEN gone THEN '[]' ELSE x.item_id END::jsonb)),
			CASE WHEN NOT gone THEN x.loc_id END,
			CASE WHEN e.body IS NOT NULL THEN cto.json(x.ambient) END, x.created_at
		FROM jsonb_to_recordset(rows) AS x(id bigint, hash text, session_hash text, thread_hash text,
			owner_id text, players_id text, master_player text, role text, content text,
			attachments text, prev_hash text, hashtags text, flag_id text, master_item_id text,
			item_id text, loc_id text, ambient text, created_at timestamptz)
			JOIN tape.entry e ON e.seq = x.id AND encode(e.leaf_hash, 'hex') = x.hash
			-- Without a signature: the machine has the text, and what it names could be guessed.
			CROSS JOIN LATERAL (SELECT e.body IS NULL AND x.content IS NOT NULL AS gone) q
		-- What a redacted name was the hash of is another, in messages behind it as well.
		ON CONFLICT (id) DO UPDATE SET (hash, session_hash, thread_hash, owner_id, players_id,
			master_player, role, content, attachments, prev_hash, hashtags, flag_id,
			master_item_id, item_id, loc_id, ambient, created_at) = (EXCLUDED.hash,
			EXCLUDED.session_hash, EXCLUDED.thread_hash, EXCLUDED.owner_id, EXCLUDED.players_id,
			EXCLUDED.master_player, EXCLUDED.role, EXCLUDED.content, EXCLUDED.attachments,
			EXCLUDED.prev_hash, EXCLUDED.hashtags, EXCLUDED.flag_id, EXCLUDED.master_item_id,
			EXCLUDED.item_id, EXCLUDED.loc_id, EXCLUDED.ambient, EXCLUDED.created_at)
			WHERE m.* IS DISTINCT FROM EXCLUDED.*;
	WHEN 'log_message_refs' THEN
		INSERT INTO log.message_refs SELECT x.id, x.message_hash, x.ref_hash,
			x.ref_type::log.ref_type, x.position, x.thread_hash, x.message_id
		FROM jsonb_to_recordset(rows) AS x(id bigint, message_hash text, ref_hash text,
			ref_type text, position integer, thread_hash text, message_id bigint, entry bigint)
			JOIN tape.entry e ON e.seq = x.entry AND e.body IS NOT NULL
		ON CONFLICT DO NOTHING;
	-- Whose text stays the same keeps the embedding that somebody has filled in.
	WHEN 'cto_blocks' THEN
		DELETE FROM cto.blocks b USING jsonb_to_recordset(parts) AS p(above bigint, upto bigint)
			WHERE b.id > coalesce(p.above, -9223372036854775808) AND b.id <= coalesce(p.upto, 9223372036854775807)
			AND NOT EXISTS (SELECT FROM jsonb_to_recordset(rows)
			AS x(id bigint, content text) WHERE x.id = b.id AND x.content = b.content);
		INSERT INTO cto.blocks SELECT x.id, x.hash, x.code, x.name, x.session_hash, x.owner_id,
			x.block_type, x.category, x.content, NULL, x.priority, x.scope, x.server_code,
			x.agent_code, x.token_count, x.status, x.created_at, x.updated_at
		FROM jsonb_to_recordset(rows) AS x(id bigint, hash text, code text, name text,
			session_hash text, owner_id text, block_type text, category text, content text,
			priority integer, scope text, server_code text, agent_code text, token_count integer,
			status text, created_at timestamptz, updated_at timestamptz)
		ON CONFLICT (id) DO UPDATE SET (hash, code, name, session_hash, owner_id, block_type,
			category, priority, scope, server_code, agent_code, token_count, status, created_at,
			updated_at) = (EXCLUDED.hash, EXCLUDED.code, EXCLUDED.name, EXCLUDED.session_hash,
			EXCLUDED.owner_id, EXCLUDED.block_type, EXCLUDED.category, EXCLUDED.priority,
			EXCLUDED.scope, EXCLUDED.server_code, EXCLUDED.agent_code, EXCLUDED.token_count,
			EXCLUDED.status, EXCLUDED.created_at, EXCLUDED.updated_at);
	WHEN 'cto_memory' THEN
		DELETE FROM cto.memory m USING jsonb_to_recordset(parts) AS p(above bigint, upto bigint)
			WHERE m.id > coalesce(p.above, -9223372036854775808) AND m.id <= coalesce(p.upto, 9223372036854775807)
			AND NOT EXISTS (SELECT FROM jsonb_to_recordset(rows)
			AS x(id bigint, content text) WHERE x.id = m.id AND x.content = m.content);
		INSERT INTO cto.memory AS m SELECT x.id, x.hash, x.session_hash, left(x.block_hash, 64), x.owner_id,
			x.type, x.content, x.summary, x.importance, x.confidence, NULL, x.embedding_model,
			x.access_count_v2, x.last_access, left(x.source_hash, 64), cto.moment(x.expires_at),
			x.status, cto.number(x.superseded_by), ARRAY(SELECT cto.number(r) FROM
				jsonb_array_elements_text(x.related_to::jsonb) r WHERE cto.number(r) IS NOT NULL),
			cto.json(x.metadata), x.owner_type, x.created_at, x.updated_at
		FROM jsonb_to_recordset(rows) AS x(id bigint, hash text, session_hash text, block_hash text,
			owner_id text, type text, content text, summary text, importance float8,
			confidence float8, embedding_model text, access_count_v2 integer,
			last_access timestamptz, source_hash text, expires_at text, status text,
			superseded_by text, related_to text, metadata text, owner_type text,
			created_at timestamptz, updated_at timestamptz)
		ON CONFLICT (id) DO UPDATE SET (hash, session_hash, block_hash, owner_id, type, summary,
			importance, confidence, embedding_model, access_count_v2, last_access, source_hash,
			expires_at, status, superseded_by, related_to, metadata, owner_type, created_at,
			updated_at) = (EXCLUDED.hash, EXCLUDED.session_hash, EXCLUDED.block_hash,
			EXCLUDED.owner_id, EXCLUDED.type, EXCLUDED.summary, EXCLUDED.importance,
			EXCLUDED.confidence, coalesce(EXCLUDED.embedding_model, m.embedding_model),
			EXCLUDED.access_count_v2,
			EXCLUDED.last_access, EXCLUDED.source_hash, EXCLUDED.expires_at, EXCLUDED.status,
			EXCLUDED.superseded_by, EXCLUDED.related_to, EXCLUDED.metadata, EXCLUDED.owner_type,
			EXCLUDED.created_at, EXCLUDED.updated_at);
	WHEN 'cto_algorithms' THEN
		DELETE FROM cto.algorithms a USING jsonb_to_recordset(parts) AS p(above bigint, upto bigint)
			WHERE a.id > coalesce(p.above, -9223372036854775808) AND a.id <= coalesce(p.upto, 9223372036854775807);
		INSERT INTO cto.algorithms SELECT x.id, x.code, x.name, x.version, cto.json(x.config),
			x.enabled <> 0, x.status, x.parent_id, cto.json(x.metrics), cto.moment(x.activated_at),
			cto.moment(x.deprecated_at), x.created_at, x.updated_at
		FROM jsonb_to_recordset(rows) AS x(id bigint, code text, name text, version text,
			config text, enabled integer, status text, parent_id bigint, metrics text,
			activated_at text, deprecated_at text, created_at timestamptz, updated_at timestamptz);
	WHEN 'facts' THEN
		DELETE FROM cto.facts f USING jsonb_to_recordset(parts) AS p(above bigint, upto bigint)
			WHERE f.id > coalesce(p.above, -9223372036854775808) AND f.id <= coalesce(p.upto, 9223372036854775807);
		INSERT INTO cto.facts SELECT * FROM jsonb_to_recordset(rows) AS x(id bigint, domain text,
			fact text, confidence text, source text, source_entry bigint, created_at timestamptz,
			last_confirmed_at timestamptz, retracted_at timestamptz, supersedes bigint,
			superseded_by bigint, author text);
	WHEN 'components' THEN
		DELETE FROM cto.components c USING jsonb_to_recordset(parts) AS p(above text, upto text)
			WHERE (p.above IS NULL OR coalesce(c.id::text, '') COLLATE "C" > p.above)
			AND (p.upto IS NULL OR coalesce(c.id::text, '') COLLATE "C" <= p.upto);
		INSERT INTO cto.components SELECT x.table_name, x.id, x.code, x.name, x.description, x.status,
			x.content, cto.json(x.fields), x.created_at, x.updated_at
		FROM jsonb_to_recordset(rows) AS x(table_name text, id text, code text, name text,
			description text, status text, content text, fields text, created_at timestamptz,
			updated_at timestamptz);
	END CASE;
END $$;

-- Those rows (`upto`: how many entries are in the tables), of views that have seen the entries below
-- `seen`: what has been redacted since may be in them, and does not come back.  `known`: the changes
-- that the machine was told of before it read them.  A redaction and a filling wait for one another.
-- NULL, or PostgreSQL's code for why not: an error would be in the server's log, with all rows.
CREATE FUNCTION tape.fill(mount_id bigint, what text, seen bigint, known bigint, rows text)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Who writes waits for the machine's line, and shall not for somebody who has locked a table.
	PERFORM set_config('lock_timeout', '200ms', true);
	IF NOT tape.may_write(session_user) THEN
		RETURN '42501'; -- insufficient_privilege
	END IF;
	PERFORM FROM tape.tables t WHERE t.changes = known FOR UPDATE;
	IF NOT FOUND THEN
		RETURN 'CT001: the tables were changed since';
	END IF;
	UPDATE tape.lease l SET until = clock_timestamp() + interval '30 s'
		WHERE l.what = 'tables' AND l.mount = mount_id;
	IF NOT FOUND THEN
		RETURN 'CT001: another machine fills the tables';
	END IF;
	IF seen <= (SELECT e.seq FROM tape.entry e WHERE e.stream = 'tape'
			ORDER BY e.stream_seq DESC LIMIT 1) THEN
		RETURN 'CT001: a redaction came since';
	END IF;
	IF what = 'upto' THEN
		UPDATE tape.tables t SET upto = least(rows::bigint, (SELECT h.next FROM tape.head h));
	ELSIF to_regclass(CASE WHEN what IN ('facts', 'components') THEN 'cto.' || what
			ELSE regexp_replace(what, '_', '.') END) IS NOT NULL THEN -- else somebody has taken it away
		PERFORM set_config('cinta.filling', 'on', true);
		PERFORM tape.fill_table(what, rows::jsonb);
		PERFORM set_config('cinta.filling', '', true);
	END IF;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

-- A body that is taken out is taken out of the tables in the same transaction.
CREATE FUNCTION tape.forget(gone bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	part text;
BEGIN
	-- All machines that write wait for this one: not long for who has locked a table.
	PERFORM set_config('lock_timeout', '1s', true);
	-- Behind who fills them now: what it brings goes as well.
	UPDATE tape.tables t SET upto = greatest(least(t.upto, gone), 0), changes = t.changes + 1;
	IF FOUND THEN
		PERFORM set_config('cinta.filling', 'on', true);
		IF to_regclass('log.messages') IS NOT NULL THEN -- else somebody has taken it away
			DELETE FROM log.messages m WHERE m.id = gone;
		END IF;
		-- Its own, those that it added, and hashes of what it named; all behind them get other ids.
		IF to_regclass('log.message_refs') IS NOT NULL THEN
			DELETE FROM log.message_refs;
			IF FOUND THEN
				UPDATE tape.tables SET upto = 0;
			END IF;
		END IF;
		FOREACH part IN ARRAY '{blocks,memory,algorithms,facts,components}'::text[] LOOP
			CONTINUE WHEN to_regclass('cto.' || part) IS NULL;
			EXECUTE format('DELETE FROM cto.%I', part);
		END LOOP;
		PERFORM set_config('cinta.filling', '', true);
	END IF;
END $$;
REVOKE ALL ON FUNCTION tape.tables_upto, tape.fill, tape.fill_table, tape.forget FROM PUBLIC;

-- The schemas that are made here, but for one that somebody has taken away.
CREATE FUNCTION tape.shown() RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT n FROM unnest('{log,cto}'::text[]) n
		WHERE to_regnamespace(n) IS NOT NULL AND EXISTS (SELECT FROM tape.tables)
$$;
-- The part of tape.admit() that is of the tables.
CREATE FUNCTION tape.admit_tables(role name, fills boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	part text;
BEGIN
	FOR part IN SELECT tape.shown() LOOP
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', part, role);
		EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', part, role);
	END LOOP;
	IF fills THEN
		EXECUTE format('GRANT EXECUTE ON FUNCTION tape.tables_upto, tape.fill TO %I', role);
	END IF;
END $$;
-- And of tape.dismiss().
CREATE FUNCTION tape.dismiss_tables(role name) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	part text;
BEGIN
	FOR part IN SELECT tape.shown() LOOP
		EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', part, role);
		EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %I', part, role);
	END LOOP;
END $$;
REVOKE ALL ON FUNCTION tape.shown, tape.admit_tables, tape.dismiss_tables FROM PUBLIC;
