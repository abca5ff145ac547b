-- As OpenCode 1.18 keeps it: rows that change, a subagent's session, a turn that goes on, one that was reverted.
PRAGMA journal_mode=WAL;
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, directory text NOT NULL, title text NOT NULL, "revert" text, time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
INSERT INTO session VALUES ('ses_1','p',NULL,'/w/boat','Mast talk',NULL,1741082400000,1741082400000), ('ses_2','p','ses_1','/w/boat','Sub',NULL,1741082401000,1741082401000);
INSERT INTO message VALUES
 ('msg_1','ses_1',1741082400100,0,'{"role":"user","time":{"created":1741082400100}}'),
 ('msg_2','ses_1',1741082401000,0,'{"role":"assistant","modelID":"told-1","time":{"created":1741082401000,"completed":1741082402000}}'),
 ('msg_3','ses_1',1741082403000,0,'{"role":"assistant","modelID":"told-1","time":{"created":1741082403000}}'),
 ('msg_9','ses_2',1741082401000,0,'{"role":"user","time":{"created":1741082401000}}');
INSERT INTO part VALUES
 ('prt_11','msg_1','ses_1',0,0,'{"type":"text","text":"What is the mast of?"}'),
 ('prt_12','msg_1','ses_1',0,0,'{"type":"text","text":"Called the Read tool with the following input","synthetic":true}'),
 ('prt_13','msg_1','ses_1',0,0,'{"type":"file","filename":"mast.png","mime":"image/png","url":"data:image/png;base64,AAAA"}'),
 ('prt_21','msg_2','ses_1',0,0,'{"type":"step-start"}'),
 ('prt_22','msg_2','ses_1',0,0,'{"type":"reasoning","text":"secret thought"}'),
 ('prt_23','msg_2','ses_1',0,0,'{"type":"text","text":"Let me look."}'),
 ('prt_24','msg_2','ses_1',0,0,'{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"ls"},"output":"mast","time":{"start":1741082401500,"end":1741082401600}}}'),
 ('prt_25','msg_2','ses_1',0,0,'{"type":"tool","tool":"bash","callID":"c2","state":{"status":"error","input":{"command":"rm /"},"error":"not allowed","time":{"start":1741082401700,"end":1741082401800}}}'),
 ('prt_26','msg_2','ses_1',0,0,'this is no JSON'),
 ('prt_31','msg_3','ses_1',0,0,'{"type":"text","text":"It is of sp"}'),
 ('prt_91','msg_9','ses_2',0,0,'{"type":"text","text":"among subagents"}');
