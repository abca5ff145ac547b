CREATE TABLE tool_calls (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, parameters TEXT, result TEXT, error TEXT, started_at INTEGER NOT NULL, completed_at INTEGER NOT NULL, duration_ms INTEGER NOT NULL);
CREATE TABLE kv_store (key TEXT PRIMARY KEY, value TEXT NOT NULL, created_at INTEGER, updated_at INTEGER);
INSERT INTO tool_calls VALUES (1,'web_search','{"q":"begonia"}','{"hits":3}',NULL,1741082400,1741082402,2000), (2,'read','{"path":"x"}',NULL,'no such file',1741082403,1741082403,10);
