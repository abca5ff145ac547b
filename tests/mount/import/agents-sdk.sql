CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL, created_at TIMESTAMP);
INSERT INTO agent_sessions VALUES ('s-1','2025-03-04 10:00:00','2025-03-04 10:00:00');
INSERT INTO agent_messages VALUES (1,'s-1','{"role":"user","content":"Weather in Lima?"}','2025-03-04 10:00:00'), (2,'s-1','{"type":"function_call","call_id":"c1","name":"weather","arguments":"{\"city\":\"Lima\"}"}','2025-03-04 10:00:01'),
 (3,'s-1','{"type":"function_call_output","call_id":"c1","output":"18 C"}','2025-03-04 10:00:02'), (4,'s-1','half a message','2025-03-04 10:00:03'), (5,'s-1','{"role":"assistant","type":"message","content":[{"type":"output_text","text":"18 degrees."}]}','2025-03-04 10:00:04');
