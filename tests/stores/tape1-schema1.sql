PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE tape (
	seq        INTEGER PRIMARY KEY,
	stream     TEXT    NOT NULL,
	stream_seq INTEGER NOT NULL,
	prev       BLOB    NOT NULL CHECK (length(prev) = 32),
	time_us    INTEGER NOT NULL CHECK (time_us >= 0),
	kind       TEXT    NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
	author     TEXT    NOT NULL CHECK (length(author) BETWEEN 1 AND 128),
	body_len   INTEGER NOT NULL CHECK (body_len >= 0),
	body_hash  BLOB    NOT NULL CHECK (length(body_hash) = 32),
	leaf_hash  BLOB    NOT NULL CHECK (length(leaf_hash) = 32),
	salt       BLOB,
	body       TEXT,
	UNIQUE (stream, stream_seq),
	CHECK ((salt IS NULL) = (body IS NULL))
) STRICT;
INSERT INTO tape VALUES(0,'tape',0,X'0000000000000000000000000000000000000000000000000000000000000000',1795238304477454,'tape.genesis','cinta',139,X'ada0a8b690d7c2b5eecb26c3618f6123f88e0205012eadb9b12ff938f45e3c74',X'1b02f47ffeaba5180ce37d949fdf85751ef5e32ef871c961849b31ef0073d162',X'640008890fcac04bc40af515f4d8ce87','{"format":"tape/1","origin":"cinta/c66047ff365d0bf8","vkey":"cinta/c66047ff365d0bf8+273bb9d0+ASG32VwZ/Bqq1gqmMevlOhgY5J/wmeNndgSSff4K4G8w"}');
INSERT INTO tape VALUES(1,'sessions',0,X'0000000000000000000000000000000000000000000000000000000000000000',1795238304491715,'session','ana:mkdir',14,X'365d3dc55fef23e350ef05737125cb85f8d197ceaf4ce25dab75a083a61d4a5c',X'2b9fa3f0bd74c69c6192f1f8043f504220e5b9707ad39f98f71d4b1e5dd60806',X'be9810bfc2bf6173ba291963d8cc7bf4','{"name":"uno"}');
INSERT INTO tape VALUES(2,'sessions',1,X'2b9fa3f0bd74c69c6192f1f8043f504220e5b9707ad39f98f71d4b1e5dd60806',1795238304492067,'session','ana:mkdir',14,X'b47668d103acbad90499de250d28caa25b72853b18fbbcf6712a7fb6836f23e0',X'2784f634a224cdef73dbd8a4516475debf15a1d02e5c95bad48e81e1e8621e41',X'd6803e97a89c2431b4dec75f4e5c9277','{"name":"dos"}');
INSERT INTO tape VALUES(3,'s1',0,X'0000000000000000000000000000000000000000000000000000000000000000',1795238304495896,'message','ana:make.sh',126,X'044f888ec808e25b8c9d2007ba0f849e704008d11124933802f544f38fc8f707',X'cf0055b3fc28cbcb60cec0f0d5331896b49d2ad21b34acc40f93c634f7855aec',X'e494b33dac4b769294cab810ff797b5a','{"role":"user","content":"Recordá que la obra empieza el lunes","thread":"obra","hashtags":["obra","fechas"],"token_count":8}');
INSERT INTO tape VALUES(4,'s1',1,X'cf0055b3fc28cbcb60cec0f0d5331896b49d2ad21b34acc40f93c634f7855aec',1795238304496111,'message','ana:make.sh',122,X'6675ae73697ad37f7255d2a153f9e89ee9121e68d604ac9e7bbf51dd87772dcc',X'5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',X'781435098ed94540d4453288d2a4c68d','{"role":"assistant","content":"Anotado: **lunes**.","refs":[{"type":"context","ref":1}],"players":["bea"],"token_count":7}');
INSERT INTO tape VALUES(5,'s1',2,X'5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1795238304496146,'message','ana:make.sh',128,X'96a559b3a9a58a5d077fd204b8c66a46a72f6b06f9a1415671eb363e2dec2cb3',X'3cb1de36dd410d15776907a92a81f74b5eab00d1fe9d6f93e80a569be10da385',X'2b5cf8d613f1e418978a1b9f4c22c4d1','{"role":"tool","content":"ok\n\n\ttab","tool":"calendar","attachments":{"a":[1,2.5,null]},"source":{"id":"own"},"token_count":3}');
INSERT INTO tape VALUES(6,'s1',3,X'3cb1de36dd410d15776907a92a81f74b5eab00d1fe9d6f93e80a569be10da385',1795238304496172,'message','ana:make.sh',128,X'04822b174debbe0aa82c919f1c75e5f0b3dee2ab39a8926c137661219987e48f',X'71623bc8aa1b4e5e5d7d48585d78927c011cf86f90a1f645494fe645125f021a',X'0aab46f2e507ea4f4f0c5fc5dc8cc487','{"content":"日本 😀 \u00f1","ambient":{"place":"taller"},"owner":"plu/bob","flag":"roja","location":"patio","token_count":5}');
INSERT INTO tape VALUES(7,'s2',0,X'0000000000000000000000000000000000000000000000000000000000000000',1795238304503977,'message','ana:make.sh',109,X'af62c98d9d39a9321b81b1cf3cfe4778a434dda647054ce4a444309830d58de8',X'f72de07e15320bfada42591ceae6777d9245a5fb196a800d6bf479551bf8b223',X'a30b4933e0af1118d20e4cf54cffd23b','{"role":"user","content":"dos 1","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(8,'s2',1,X'f72de07e15320bfada42591ceae6777d9245a5fb196a800d6bf479551bf8b223',1795238304504059,'message','ana:make.sh',109,X'765a51aa86d59d75d138a572be2956693b7843202aefa9c35d7962454efb6b8e',X'c9660185311ae4c64ccb183b28b34b5c9568dbbe466aad281bc1d10d23ad982d',X'084737a606e7a9525147a2bdc0ed6419','{"role":"user","content":"dos 2","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(9,'s2',2,X'c9660185311ae4c64ccb183b28b34b5c9568dbbe466aad281bc1d10d23ad982d',1795238304504092,'message','ana:make.sh',109,X'539a1ed681eb916784ff98a57f9d99bfba4aeb7ef01da9b33bd7b97da292660e',X'8eea8117bd2b136304efd43811eefda430f7e3320814401abaa56aabfeb7a155',X'5b827eae0dc4c2b1d1bbf76e0e547724','{"role":"user","content":"dos 3","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(10,'s2',3,X'8eea8117bd2b136304efd43811eefda430f7e3320814401abaa56aabfeb7a155',1795238304504119,'message','ana:make.sh',109,X'5285d200cd87eaae1b1575e4d8cdcb33ceb3a9e5778072050dba0ef1b151db1f',X'c2f4c6469f8cf422885682f77acf994ef3ab6ee7cb16963d6ffcc9affa9f7395',X'67338da948acc1b4f85a6e0b2dfe231b','{"role":"user","content":"dos 4","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(11,'s2',4,X'c2f4c6469f8cf422885682f77acf994ef3ab6ee7cb16963d6ffcc9affa9f7395',1795238304504144,'message','ana:make.sh',109,X'3edc70a91eaac855344c320280b533a13c3cfc4ce867c91e9270b833d1a6f44a',X'2aa0d892f30741afde977933033ff1e9ab6e892508fd54f8a02266be40c586d5',X'fce7995bb0a6880572c7161bdc16f2ba','{"role":"user","content":"dos 5","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(12,'s2',5,X'2aa0d892f30741afde977933033ff1e9ab6e892508fd54f8a02266be40c586d5',1795238304504167,'message','ana:make.sh',109,X'21f84abeb1e92111f08d94784ba7cd96842572ea905fd6999f8c9afaf6595b2e',X'c8539d328e36154be1e2f168cb91cb5e266cdc9831860e4df2170c4c5af0ee79',X'ddf0d188ebb2d37762de2c23789ec422','{"role":"user","content":"dos 6","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(13,'s2',6,X'c8539d328e36154be1e2f168cb91cb5e266cdc9831860e4df2170c4c5af0ee79',1795238304504191,'message','ana:make.sh',109,X'49bbae08f4d37e2038df7654fda2b3e1ff32715b497c69903097f594f69640a4',X'2cf977f244e8d99895d33f04a36e7ec628ee4942d20e5aad78b7283599fd37ff',X'958195d5aedc8d9361bbd9e2c3d988bb','{"role":"user","content":"dos 7","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(14,'s2',7,X'2cf977f244e8d99895d33f04a36e7ec628ee4942d20e5aad78b7283599fd37ff',1795238304504214,'message','ana:make.sh',109,X'9bfcd99baad62ce2c5f1b2e3338f598abb163505291946aa9e04598c464ad67f',X'84b34207976a1bbbdfc0097b209a8c17f0bf66a1d43013f6af44f331ff806a72',X'ffe6d245ae338dfe4b730d4e2767a1d3','{"role":"user","content":"dos 8","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(15,'s2',8,X'84b34207976a1bbbdfc0097b209a8c17f0bf66a1d43013f6af44f331ff806a72',1795238304504242,'message','ana:make.sh',109,X'8b505e0147d68f45f7ccf91a2fdfbe98d9e8b97725946e4c36349a319d543efc',X'ce4a291525a313da2907ee18bf50b4dc66e20d53d6df5ab8560fa1ef132e71e1',X'a378f0790bffc19e81032948c736d362','{"role":"user","content":"dos 9","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(16,'s2',9,X'ce4a291525a313da2907ee18bf50b4dc66e20d53d6df5ab8560fa1ef132e71e1',1795238304504283,'message','ana:make.sh',110,X'269d8a6e074e33a2292be78f019f4e093d0201b64a180fa3910ce7c07bedab33',X'99231afd939e01bf1c3958f892a681faf389442689caa083dcf9de775078477d',X'5bec0de0afc12124530b3a58ea79670a','{"role":"user","content":"dos 10","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(17,'s2',10,X'99231afd939e01bf1c3958f892a681faf389442689caa083dcf9de775078477d',1795238304504309,'message','ana:make.sh',110,X'bfdf18c82452b087c4daae7fe2355ce80fa95450127f8c30f3d12534bae600d8',X'193e8510c7faac0fa2e08301b86515fe5bdad94f333a214235abd7094a0f9c50',X'250ca7f0162824e8858b43c57dc03c3f','{"role":"user","content":"dos 11","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(18,'s2',11,X'193e8510c7faac0fa2e08301b86515fe5bdad94f333a214235abd7094a0f9c50',1795238304504335,'message','ana:make.sh',110,X'8964f929d0b34b5999236d66403b8dfe62d1c038d53c2b3005a1d9e2445238a0',X'93558e73e5d4cdf7fef4d373d8f4ce3afe62df0942f76051b4b49db141007051',X'434d05ed244a9489b0b67d21ca1adca3','{"role":"user","content":"dos 12","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(19,'s2',12,X'93558e73e5d4cdf7fef4d373d8f4ce3afe62df0942f76051b4b49db141007051',1795238304504359,'message','ana:make.sh',110,X'c5a65840e0d6b9d405504ac26fbd74f011230714e4b8eddc8b873a699feb6f8a',X'98358b54106fd767fbbb9c2e0baff069166749e5c7f819e5246c06135cc143e3',X'fbd546c652a44fe4285a353c74242e12','{"role":"user","content":"dos 13","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(20,'s2',13,X'98358b54106fd767fbbb9c2e0baff069166749e5c7f819e5246c06135cc143e3',1795238304504384,'message','ana:make.sh',110,X'25d6e64b5ad6ab5f2f452e7c6bcab884d6cb513223247f60225ce1a5fc20bc42',X'32a7e254e46e182cc8edd52fa8ae16559aecec14c84d5fc217f804db0bbd84c0',X'31ed70491ce926ebdc0258b46999c1a0','{"role":"user","content":"dos 14","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(21,'s2',14,X'32a7e254e46e182cc8edd52fa8ae16559aecec14c84d5fc217f804db0bbd84c0',1795238304504552,'message','ana:make.sh',110,X'95ccee40f37ae3e2f93ba7311cbf7adb6dd5d351f02c5acc24fe4baa7afcac1f',X'11ca89cb4f66a9711af6304924f5bef310e9e1f7aafd9cab336b357cd64223d7',X'0d15f3abc07951d7bf25accb531e67dc','{"role":"user","content":"dos 15","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(22,'s2',15,X'11ca89cb4f66a9711af6304924f5bef310e9e1f7aafd9cab336b357cd64223d7',1795238304504578,'message','ana:make.sh',110,X'2f0550797a5a86367c792793bff9cec85d7985c74ec6b34dc00d423cde615c24',X'cb54df2657eab73b4100a5e1d4dd4676220a11c60a852a5fe11dcc76c6145552',X'2f431e457176ae01b636f98f65fe6bc5','{"role":"user","content":"dos 16","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(23,'s2',16,X'cb54df2657eab73b4100a5e1d4dd4676220a11c60a852a5fe11dcc76c6145552',1795238304504600,'message','ana:make.sh',110,X'ce882fb9e7572f12d8ac06f452c0fc6764f824ee85ec6dd89de0976ace9422b3',X'cb12752d485ec6baac776a24757092fbb42a76e3f854c4017f29cfcb25e2e61a',X'565a64c1cb08bbce75996866c7625b42','{"role":"user","content":"dos 17","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(24,'s2',17,X'cb12752d485ec6baac776a24757092fbb42a76e3f854c4017f29cfcb25e2e61a',1795238304504623,'message','ana:make.sh',110,X'32fdf84ecce7a6fdd9bbce3687979f4ed2f44669789eb40b58187f37a6868586',X'b43daef050eeed0fd7a0448e768e06eaf157d836f5b264d184e4e234a9fefc6b',X'f05689cbc9ff09679e192b26d379b2e0','{"role":"user","content":"dos 18","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(25,'s2',18,X'b43daef050eeed0fd7a0448e768e06eaf157d836f5b264d184e4e234a9fefc6b',1795238304504646,'message','ana:make.sh',110,X'3bfa95d85b6cecaff34ece06075d013742c9d4b811943a9821fe04b879471aee',X'5548793c80b37ec6e565fca6e0f3a35f8174d30c5add02126e25ea457f1671f8',X'1cd14475752f30954acf1aa1e0edd980','{"role":"user","content":"dos 19","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(26,'s2',19,X'5548793c80b37ec6e565fca6e0f3a35f8174d30c5add02126e25ea457f1671f8',1795238304504669,'message','ana:make.sh',110,X'8eedef4305eba8942f3bd3829f289f860950f558b02b08f208d9ddd0585d0525',X'346bd80631131e6573ebc67d465f8895c898a2b70115cbbe463ec47947991054',X'b5d0f075ef0bd2e4a3b63247f4b5e097','{"role":"user","content":"dos 20","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(27,'s2',20,X'346bd80631131e6573ebc67d465f8895c898a2b70115cbbe463ec47947991054',1795238304504692,'message','ana:make.sh',110,X'ed363dc09cd48a30964b2315c0b1c80581bd916eb97c73ef1dff098bb345001d',X'9f4fb8ef51e0861409d50a8f8d2ea4949a42f52f7fe42f819f230033f9ce5ba8',X'b7bd0756ffb58277aac0e2dc5e2271cc','{"role":"user","content":"dos 21","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(28,'s2',21,X'9f4fb8ef51e0861409d50a8f8d2ea4949a42f52f7fe42f819f230033f9ce5ba8',1795238304504715,'message','ana:make.sh',110,X'05ebd00dae79781c0bc44c4c5f778bb582bb10b37a0ea9df0ed9842faf67de89',X'f47849cd78effa9f9cc27abfa9cdbf0280a0970515f65cda7c52b32cfb61ec95',X'2136e1fb3329cc35a4d111293ee7b549','{"role":"user","content":"dos 22","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(29,'s2',22,X'f47849cd78effa9f9cc27abfa9cdbf0280a0970515f65cda7c52b32cfb61ec95',1795238304504737,'message','ana:make.sh',110,X'bd8d4b915e28eaa96830b18657fb5215b4559cc2d8f16d03a7f5488231dd16ef',X'081a7d90e74e3d0a5ae31b01605f8ea11081e7cc511985dfc9490f30f5eeb9e9',X'fbf68528826308e60cb4920685745e63','{"role":"user","content":"dos 23","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(30,'s2',23,X'081a7d90e74e3d0a5ae31b01605f8ea11081e7cc511985dfc9490f30f5eeb9e9',1795238304504762,'message','ana:make.sh',110,X'def53f7476017cf17dd6b10c8447d380a90dd00f3cf98b81d55eede69ef1284a',X'a6ca5213713462c28e789a9f4e2bf73c62bebe205b4bf7912d42d70cb6365c12',X'8899c56f4b0b0859c15d75af177446ee','{"role":"user","content":"dos 24","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(31,'s2',24,X'a6ca5213713462c28e789a9f4e2bf73c62bebe205b4bf7912d42d70cb6365c12',1795238304504792,'message','ana:make.sh',110,X'f1d14e0500bda1be289a9ffb959677d352148d160dfd982198e2e1d036e31075',X'b2d768577cfb4098ee28c9d25cf9dd6bf493c397cbded1172f4bce5dab9cebd8',X'f23efb3f32f2f4a487e14690d649329c','{"role":"user","content":"dos 25","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(32,'s2',25,X'b2d768577cfb4098ee28c9d25cf9dd6bf493c397cbded1172f4bce5dab9cebd8',1795238304504816,'message','ana:make.sh',110,X'f975daf7fadbb213d4719a64019a3730ef2f262040beef833d047e8bcc96086a',X'82a3e50f1b3620e46a635864ed1099de56a9b94c37d642a79dbc32ed0d0227a5',X'a969dbc4785a5cad2ce280a990609a1c','{"role":"user","content":"dos 26","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(33,'s2',26,X'82a3e50f1b3620e46a635864ed1099de56a9b94c37d642a79dbc32ed0d0227a5',1795238304504839,'message','ana:make.sh',110,X'1435e4a03eff109600b442c58fde7cd8e8a0bc25448c855896ae52fdb0aa5645',X'67a087a71f121933452276127df50316186a9bf80a2c3eb7685bc3b68e97220b',X'9319e8b7e8ca4500b93527f1152e59ec','{"role":"user","content":"dos 27","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(34,'s2',27,X'67a087a71f121933452276127df50316186a9bf80a2c3eb7685bc3b68e97220b',1795238304504862,'message','ana:make.sh',110,X'15cd4df93ce62e45714c60590d08d5ac77685b9b417dd4fa38dec6fb56ffbdb4',X'a7fceb3b3d423658c3ec1ce66c25d9e479988dc17c35ec566fdfe6b1515a27f6',X'fb7f88f164c312dc52303babcf1118ba','{"role":"user","content":"dos 28","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(35,'s2',28,X'a7fceb3b3d423658c3ec1ce66c25d9e479988dc17c35ec566fdfe6b1515a27f6',1795238304504887,'message','ana:make.sh',110,X'12f87bf0b07a81776baaec2a637ead2f1c8b7c47037ceae6447035ad2e14e914',X'ca6239d6e5adda0da254638a397f0000edd417d6538d488222c8471a339c659b',X'653af9b4ae57ed9d7f42813a24c17bb1','{"role":"user","content":"dos 29","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(36,'s2',29,X'ca6239d6e5adda0da254638a397f0000edd417d6538d488222c8471a339c659b',1795238304504910,'message','ana:make.sh',110,X'123554179375937e84e0b9b51fd89033ce61c0259ed0cd772e40c8d165b58115',X'b1770ec10b8d45938e4123369d233fe90a45e3c2a4745f041d4602515480fe2c',X'3f5f57127cc408f5916a5fa1e3dd7f93','{"role":"user","content":"dos 30","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(37,'s2',30,X'b1770ec10b8d45938e4123369d233fe90a45e3c2a4745f041d4602515480fe2c',1795238304504934,'message','ana:make.sh',110,X'33ceef29eb30d0fb771217cb2cb44e190224c953ecd6afcce5179ea51bdc77fe',X'cdee9f59be93395231002aa22d4ad6f4756a98fea11cbeeebf595e93a14a7e8e',X'5d8d47bbb8f343d31efd999ed6ca4b7e','{"role":"user","content":"dos 31","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(38,'s2',31,X'cdee9f59be93395231002aa22d4ad6f4756a98fea11cbeeebf595e93a14a7e8e',1795238304504958,'message','ana:make.sh',110,X'5a87fb36610e2fa34a0a8bd1b265c14df7a5a21c74a6b46b1af268ddf9541376',X'82c2a4697977582215b434f8db2e7408249fc62c10931bf3bb5bd74b8cb727a1',X'd0e9e91a80045276191f2f2477772177','{"role":"user","content":"dos 32","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(39,'s2',32,X'82c2a4697977582215b434f8db2e7408249fc62c10931bf3bb5bd74b8cb727a1',1795238304504982,'message','ana:make.sh',110,X'3d741837d7fdf9a65da292ece0310e1a393bee0ad7b52679977fe4ee15109e2d',X'e19c6af6487f00bf60367a2c5b432b6d382be274f8374b80fb753875964541c0',X'c23ba73c1bba13c1ab9477b97c83e8fe','{"role":"user","content":"dos 33","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(40,'s2',33,X'e19c6af6487f00bf60367a2c5b432b6d382be274f8374b80fb753875964541c0',1795238304505007,'message','ana:make.sh',110,X'0f8d25c5843597310b051f9dbeef99ce1221531044ec8a573d90a612b3b3cf7e',X'44b49433005ddea5cbea40a3f6b2e04599b60ace144dc8a81f8ed355a23819f8',X'bd8db9a0d53df49185bba4fb1b66b392','{"role":"user","content":"dos 34","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(41,'s2',34,X'44b49433005ddea5cbea40a3f6b2e04599b60ace144dc8a81f8ed355a23819f8',1795238304505031,'message','ana:make.sh',110,X'03b049667949a988e4639df034145007fb17fb7610d4b85bf96d9389c6275dd6',X'07cd545fe6ca2a7f49011ae2c536f7a54533e7ffca06f081d21232ca979c64d3',X'340b03cc1eb418ed610017f384ac5277','{"role":"user","content":"dos 35","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(42,'s2',35,X'07cd545fe6ca2a7f49011ae2c536f7a54533e7ffca06f081d21232ca979c64d3',1795238304505055,'message','ana:make.sh',110,X'3fbe2a071dcaeba51bbdc148a96f2a264ff43b6eb37a872469b26770eba623bc',X'b7bf141e2a7ff8db3d3dec8d56b2c27c60d070ec23f0460b0e97f2fc78a4061f',X'd3d00eefdc1e27d74cc75fef429190ed','{"role":"user","content":"dos 36","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(43,'s2',36,X'b7bf141e2a7ff8db3d3dec8d56b2c27c60d070ec23f0460b0e97f2fc78a4061f',1795238304505484,'message','ana:make.sh',110,X'0a9ae0954fec2c633034a238b8b8b1fa3c1ebbc5911a83cdd85fb27bf5e7a428',X'f476b61f9df58cc24a049cf259f153987086c12ed6ec0329c1608e7f1c6937cb',X'454e67f8c6ef430e524cd213e57c7072','{"role":"user","content":"dos 37","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(44,'s2',37,X'f476b61f9df58cc24a049cf259f153987086c12ed6ec0329c1608e7f1c6937cb',1795238304505529,'message','ana:make.sh',110,X'50ed64857cdb3e7db74c8979a396b4c2d2add71f14b3a5c8366fa3946520a2f5',X'afccf425edfa1bd862f7961b6ae9828411c74800c1b1bd8932f4d37be0737add',X'b98f3d5219ff770ee440eab2ceef23f7','{"role":"user","content":"dos 38","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(45,'s2',38,X'afccf425edfa1bd862f7961b6ae9828411c74800c1b1bd8932f4d37be0737add',1795238304505556,'message','ana:make.sh',110,X'bf476bc926164486fd72d13629a2bbe099f99bca692f22c44d85aab7f173cee4',X'b4cba15f428dbaf5ce307cf1db30b97662e7e3e85422938cc3d31f2f439aa51d',X'04198c0591c69eb897e97cb676685544','{"role":"user","content":"dos 39","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(46,'s2',39,X'b4cba15f428dbaf5ce307cf1db30b97662e7e3e85422938cc3d31f2f439aa51d',1795238304505590,'message','ana:make.sh',110,X'967884ea62979f0dc10337ad1049b6bfb564e5542022948d8015c01c7e667b68',X'd035f7f405037137e3a7d6ba68aeec896a70cb415da3220c1fa681f2952f9989',X'492a46c5e3c20c24a8850c789d775a3c','{"role":"user","content":"dos 40","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(47,'s2',40,X'd035f7f405037137e3a7d6ba68aeec896a70cb415da3220c1fa681f2952f9989',1795238304505614,'message','ana:make.sh',110,X'ba2a263997a5b5e7daae0a6dad3028417bc8b28297a499324c1c89663929075e',X'8340e343810e6893dd5a4ca88c876356e350d7c3f2a8656f764ae1c85141ddfd',X'1298172a0ee24db5f9b79670eae0e02e','{"role":"user","content":"dos 41","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(48,'s2',41,X'8340e343810e6893dd5a4ca88c876356e350d7c3f2a8656f764ae1c85141ddfd',1795238304505638,'message','ana:make.sh',110,X'5c8c0920de7d0bc701f3e975d5756ca8450cc4c08df803bbdb06a165b0aa0a8e',X'6a33261a566b198edc057fd1e8d7551bdf889c4388d513b532382ef7636c2ac6',X'c9752185871747b4a1c413c863e4e93d','{"role":"user","content":"dos 42","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(49,'s2',42,X'6a33261a566b198edc057fd1e8d7551bdf889c4388d513b532382ef7636c2ac6',1795238304505662,'message','ana:make.sh',110,X'29db97154e25a9a4bcc27d52f97392481ea0ae5128874f615a4bcd79878e96cc',X'08256cba9c1e56140cad5adf125da61ba2a4cee2175c509a4f3de4671501ec4e',X'b5a160315449fa84840c32ffa048d8ac','{"role":"user","content":"dos 43","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(50,'s2',43,X'08256cba9c1e56140cad5adf125da61ba2a4cee2175c509a4f3de4671501ec4e',1795238304505686,'message','ana:make.sh',110,X'66aa43146722b958f0385f617d8fe5b79c53d5b0fd5dc51d53532b4ab4c48765',X'61186f08b5f2acaba825e52c1de53868cb0334a5f2dbfb0d7800e64de7a97310',X'5695a19fbaa078b6133f625759df5108','{"role":"user","content":"dos 44","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(51,'s2',44,X'61186f08b5f2acaba825e52c1de53868cb0334a5f2dbfb0d7800e64de7a97310',1795238304505711,'message','ana:make.sh',110,X'b6342f435cfaef88357f1f2f911b973f057d05021c9c30d0de08e1e2f2c9eb7a',X'd60bae24a2240ab06629c83024b1345ab6f10d085117bb27d0fc488e061686b5',X'76a6d10a6a31f7dd65344ccee742efc2','{"role":"user","content":"dos 45","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(52,'s2',45,X'd60bae24a2240ab06629c83024b1345ab6f10d085117bb27d0fc488e061686b5',1795238304505735,'message','ana:make.sh',110,X'4f9173ba8b3897f9a8f930708951172bfa0d0a605904cf767d79fd56136a1d77',X'f5c7a1da8457671d52e76c6d4c5040190c9324961cbd4888e69007c265745465',X'cf35417030a28b2a43856e1b0e403c13','{"role":"user","content":"dos 46","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(53,'s2',46,X'f5c7a1da8457671d52e76c6d4c5040190c9324961cbd4888e69007c265745465',1795238304505758,'message','ana:make.sh',110,X'991c82c542a9f569c9318a0f9dd6dd5de35d2332dbf6f1c08d349a3255e2258b',X'881ed3f9aaf761fd777388cce9e9457050a127837fe6579226c24cbb088f0748',X'5ad859947361ad88dc23ca23af084d0b','{"role":"user","content":"dos 47","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(54,'s2',47,X'881ed3f9aaf761fd777388cce9e9457050a127837fe6579226c24cbb088f0748',1795238304505782,'message','ana:make.sh',110,X'cbd5ce24da1410f669ab4801cbf12c83afe9177a78feb37fd12c7a8bd0bf1729',X'986eac2663a875e82cb0e1bbecfeed3cde30eed6f8de5d636e6d7275b8dc9f8b',X'95aa70d7762ee736c23adb7ee089e706','{"role":"user","content":"dos 48","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(55,'s2',48,X'986eac2663a875e82cb0e1bbecfeed3cde30eed6f8de5d636e6d7275b8dc9f8b',1795238304505806,'message','ana:make.sh',110,X'1a16fd67057248734c46663340f2ec62e596ab8949bdbf1d92a43a38707b0d78',X'df57506a1d609dfbb39d504b3b983f9b041d0211369bbe0593dd00e68ab0cdbd',X'd0ca30f030e63d04f4d822f64919e8ae','{"role":"user","content":"dos 49","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(56,'s2',49,X'df57506a1d609dfbb39d504b3b983f9b041d0211369bbe0593dd00e68ab0cdbd',1795238304505830,'message','ana:make.sh',110,X'ff434213ca59ee280d0353e961429bb494b68843ad9f8506ff80559aa2cbcac0',X'243c6c82fdb29b2885890fa07858281e4fb621d2d0625bd7c57bafda5ba35d35',X'ed8408ee5e0055a465ba6bc87e51f6e2','{"role":"user","content":"dos 50","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(57,'s2',50,X'243c6c82fdb29b2885890fa07858281e4fb621d2d0625bd7c57bafda5ba35d35',1795238304505853,'message','ana:make.sh',110,X'8ae0fcf60bf9d40d23452cba4f9b545ed49b24331b1c85ee8e00466901951628',X'a750ac6e4a3c02f8f9b78921e34fe99a04cdb4d839c25dc004f09147cfc120ae',X'f9a1722c05c5c8a9895f75644e4f974f','{"role":"user","content":"dos 51","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(58,'s2',51,X'a750ac6e4a3c02f8f9b78921e34fe99a04cdb4d839c25dc004f09147cfc120ae',1795238304505877,'message','ana:make.sh',110,X'74a147fd25193df20da70ef772e14e51fd565a8fa3fc29f177a504f3a4b85a25',X'e30c9c995b35571cd3ae2bdac29baf473d88bd0f8ceb9f15503436e01b8be21c',X'83dae78a2cf7b4ea79985caf97991d10','{"role":"user","content":"dos 52","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(59,'s2',52,X'e30c9c995b35571cd3ae2bdac29baf473d88bd0f8ceb9f15503436e01b8be21c',1795238304505901,'message','ana:make.sh',110,X'909424b5614c623c7c704690a78a2a96ce3d2a094b97cee1e225cede1fbca9dc',X'77fac31601d3f4de3a1a551121b132db26f2aef9e63c0efa8f3f217a315a5baa',X'e51945d39272d7e6f05e9f11733cffb6','{"role":"user","content":"dos 53","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(60,'s2',53,X'77fac31601d3f4de3a1a551121b132db26f2aef9e63c0efa8f3f217a315a5baa',1795238304505924,'message','ana:make.sh',110,X'93470af88bdeefcd71695ed4bc01aaf7100debbe1bc355dc3aaf620f9b6d9604',X'3d72689bfe54f46dce8607215fb9aca7f9762e9040a527a0b1e1e87c892e9242',X'39918854843e99e672069ab6213f4309','{"role":"user","content":"dos 54","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(61,'s2',54,X'3d72689bfe54f46dce8607215fb9aca7f9762e9040a527a0b1e1e87c892e9242',1795238304505958,'message','ana:make.sh',110,X'c834ffa9217f21cd43115da8ecfa01da3aa48b8991e481c05833e46a31e981f2',X'649610d39af60ac28233991caf71fca212d36ca5e951802346cbf7b32c2a5b42',X'c33185fdbbf0229dd9be4e4a23be7b30','{"role":"user","content":"dos 55","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(62,'s2',55,X'649610d39af60ac28233991caf71fca212d36ca5e951802346cbf7b32c2a5b42',1795238304505981,'message','ana:make.sh',110,X'84fd2ccf36026f98be70f3580b9df36e8dcb5ae58445400bfc94064ee8e94b09',X'f4b13a90355f8b2597816afb6d032cf71447b5a16a3c95a5e1c462a81e3f9221',X'd1a7c256696338e0ccc41dc4c9f8818d','{"role":"user","content":"dos 56","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(63,'s2',56,X'f4b13a90355f8b2597816afb6d032cf71447b5a16a3c95a5e1c462a81e3f9221',1795238304506005,'message','ana:make.sh',110,X'e145e9307119cdd30cd13869e136bf975a67593205ce45fe9f400c548dd083f6',X'43f8512bc508759a4c345c569cd35ea63ad3e75a14861b72f3ecedec1a9ef2cd',X'7c7315172a3105b72df441fd9a755e4e','{"role":"user","content":"dos 57","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(64,'s2',57,X'43f8512bc508759a4c345c569cd35ea63ad3e75a14861b72f3ecedec1a9ef2cd',1795238304506030,'message','ana:make.sh',110,X'83ada51c6831965ac55c2d95a4c4c4c51466e62f15ded791cedeb3b2d3ba9320',X'8761baad770a4603bc2bf59b6ef2eaa8f1dd47b45998b086a49bead465a67560',X'c450ba3193b3f11de91b974c28342983','{"role":"user","content":"dos 58","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(65,'s2',58,X'8761baad770a4603bc2bf59b6ef2eaa8f1dd47b45998b086a49bead465a67560',1795238304506057,'message','ana:make.sh',110,X'c9d38439abc77762cc47ab65a9f595672a4553d875dff590be4f117d9416dbff',X'97e712d339d33c173435fed773334db7bd6e3b013f3ecc7820e663f5dcfcdc71',X'cca397e09e7ef22e4172aa3a9c052a22','{"role":"user","content":"dos 59","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(66,'s2',59,X'97e712d339d33c173435fed773334db7bd6e3b013f3ecc7820e663f5dcfcdc71',1795238304506080,'message','ana:make.sh',110,X'807b1d5bb9926ae8e7ba32c8007887242fb79c2c3dc3a644f29f8df846bebff0',X'108625cb222b3af5a1dcec31f724d9f2d48db183522a4b3d49c40e9ca30bea9e',X'01ffb681a0081fa8a7fde4c17c40d0af','{"role":"user","content":"dos 60","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(67,'s2',60,X'108625cb222b3af5a1dcec31f724d9f2d48db183522a4b3d49c40e9ca30bea9e',1795238304506104,'message','ana:make.sh',110,X'cc972fe2125c91451faa450342b47afa30b0a814524425db920dad5c3cc6fbf2',X'1ba51d8b85e9ab3cab15ab45f38cef7c40674b8cdfe5dce98fc2ded5049ac386',X'241d1e20dde7d1bfd25d6b6f907c3cec','{"role":"user","content":"dos 61","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(68,'s2',61,X'1ba51d8b85e9ab3cab15ab45f38cef7c40674b8cdfe5dce98fc2ded5049ac386',1795238304506128,'message','ana:make.sh',110,X'2eb0d0d5c639989443daab23b9c9c682f8be05a6c2b955d1af2769df0f711009',X'10b7759204dbb42ec17956d2da473c97cfd21fa619545cd3fef3e9d2888fe41c',X'3cef4acf8a0ad69a81583ba01a961489','{"role":"user","content":"dos 62","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(69,'s2',62,X'10b7759204dbb42ec17956d2da473c97cfd21fa619545cd3fef3e9d2888fe41c',1795238304506151,'message','ana:make.sh',110,X'6a92b7dc7e02a714198b2ef942703d68e1c4aa5f005971daa1964abba48c84f8',X'ea7c6971f4059924345e5382838d1e06967c0d1f0e7a2018f6cc8e0c1ea8b605',X'4344f5d121ca8faf23f30df596094aeb','{"role":"user","content":"dos 63","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(70,'s2',63,X'ea7c6971f4059924345e5382838d1e06967c0d1f0e7a2018f6cc8e0c1ea8b605',1795238304506175,'message','ana:make.sh',110,X'8eb1d16348d64de08d17f48b496fbb232eb9b4c76c0a4d76bf2128bf6ba27651',X'0f1207b5bc3a58a07db10bc42e7cbc0e0d3b62e84de7d9a6987742d0a4d2a575',X'0afa7c6abc67921dc1fc89e8a5c920ff','{"role":"user","content":"dos 64","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(71,'s2',64,X'0f1207b5bc3a58a07db10bc42e7cbc0e0d3b62e84de7d9a6987742d0a4d2a575',1795238304506199,'message','ana:make.sh',110,X'20e67e6c37f9957005857ab2184383a5cea2f762a14bafee0cc1376c1f4499bb',X'34c3446805cab9bd188db5d03d01fe724a7991cd9fafa90146193f7a89fdf766',X'0c5126c4a6aee3a8292a672fe5006154','{"role":"user","content":"dos 65","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(72,'s2',65,X'34c3446805cab9bd188db5d03d01fe724a7991cd9fafa90146193f7a89fdf766',1795238304506223,'message','ana:make.sh',110,X'67b558dbcceb78e4584dec244c0bfe775ab8f1f74a0fedb99f0c818103496d81',X'42abda9b1e429d45a41ff781920cfd122ba3ae0f9a76eaf604441a02f7f1623d',X'ba00794c3d4260c806ee7ef592235190','{"role":"user","content":"dos 66","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(73,'s2',66,X'42abda9b1e429d45a41ff781920cfd122ba3ae0f9a76eaf604441a02f7f1623d',1795238304506247,'message','ana:make.sh',110,X'5b8accd39e65f1d8608c059fdd7878378719919d93d8897f4f498160a418587e',X'615f19b2a061c21fcc9425582c0a6a3191c4c8646bbb4dcfe4a2830c54249848',X'9ac2ee5d3d10076efabc4d546a94c25d','{"role":"user","content":"dos 67","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(74,'s2',67,X'615f19b2a061c21fcc9425582c0a6a3191c4c8646bbb4dcfe4a2830c54249848',1795238304506270,'message','ana:make.sh',110,X'3045158831aafa14de4e19cdf9cd31d15cd722eec87628c4b24877d639345c08',X'f133cfcbbb3b5a7cb1c72a0a8394cddc65f5efff0d50acaf699b2faa52e162b3',X'9701a5935adb39b6eaae809cafb0e51b','{"role":"user","content":"dos 68","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(75,'s2',68,X'f133cfcbbb3b5a7cb1c72a0a8394cddc65f5efff0d50acaf699b2faa52e162b3',1795238304506294,'message','ana:make.sh',110,X'd659dc01f255a7534afd78ee2b11ce45768843e6529cfb6abd07f671ff976d9f',X'3ac59b7bbfda47b94f6e97b661521b1c0e9fd19eb8c09326a494d4029c01e913',X'1cac3c3313cb3d227411816a3818e29c','{"role":"user","content":"dos 69","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
INSERT INTO tape VALUES(76,'s2',69,X'3ac59b7bbfda47b94f6e97b661521b1c0e9fd19eb8c09326a494d4029c01e913',1795238304506329,'message','ana:make.sh',110,X'c9a7a8dfdcab5e8a676180b982d1fea08110f874bd4f0f07ea78ef8fe44308d5',X'3517c17ab53738d5b87f31cd3daf0fd2f36e7adaf9e39d22d9a6469edbba55d1',X'250cc93d84a07eb4554eacf9df03c1d8','{"role":"user","content":"dos 70","thread":"obra","refs":[{"type":"secretary","ref":"uno/2"}],"token_count":2}');
CREATE TABLE tape_tile (
	level INTEGER NOT NULL,
	idx   INTEGER NOT NULL,
	hash  BLOB    NOT NULL CHECK (length(hash) = 32),
	PRIMARY KEY (level, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE tape_checkpoint (
	size INTEGER PRIMARY KEY,
	note TEXT NOT NULL
) STRICT;
INSERT INTO tape_checkpoint VALUES(77,replace('cinta/c66047ff365d0bf8\n77\n959C4JcvTQvifwN5BbnDPht+r46AGdEEPmvbdMYMeHU=\n\n— cinta/c66047ff365d0bf8 Jzu50PtxIpwWncL780BHzkHxm7bQJTJJO+oM1DSXfosTwOp5s7PThyg0hQvrRd7dzNcnVLa7s5tIsTiwRUSrWwlatwM=\n','\n',char(10)));
CREATE TABLE v_state (
	upto       INTEGER NOT NULL,
	tape_bytes INTEGER NOT NULL,
	version    INTEGER NOT NULL
) STRICT;
INSERT INTO v_state VALUES(77,41090,1);
CREATE TABLE v_mark (k INTEGER PRIMARY KEY, start INTEGER NOT NULL) STRICT;
INSERT INTO v_mark VALUES(0,0);
INSERT INTO v_mark VALUES(1,34122);
CREATE TABLE v_name (
	id    INTEGER PRIMARY KEY,
	hash  TEXT NOT NULL UNIQUE,
	label TEXT NOT NULL
) STRICT;
INSERT INTO v_name VALUES(1,'ba1412e0b80062761dd98fea2d7463c3fb3c73a97d7338f3a2d7e41c4fa8505f','sessions/uno');
INSERT INTO v_name VALUES(2,'c0e1c57ee012dd791541fd28da4a1691cc3741c8f9a969f43f2a91bc251bc26f','sessions/dos');
INSERT INTO v_name VALUES(3,'319b0fdebb121bf363df6aec32da2e984aad6345b5b26bdd0d6b5ae43fecc6fe','threads/obra');
INSERT INTO v_name VALUES(4,'7e1ad32a4fd994cc5b63438e3f069f360d9733f69442cb75786aa9ca58ee6d4a','components/ply/ana.md');
INSERT INTO v_name VALUES(5,'47f1ca03f4e8a4449449747ebae54f323498b2cc8978e5b57c7274f20a745959','components/hst/obra.md');
INSERT INTO v_name VALUES(6,'b31f9cf82ce71dd1510763dd7ce4402ace34e28d3f0fdbe38bdfed86655331d0','components/hst/fechas.md');
INSERT INTO v_name VALUES(7,'c1c266051ecf5ec7e1b97eff1c4ce6383a0b3a10ff79681f4da2548136e24576','components/ply/bea.md');
INSERT INTO v_name VALUES(8,'644b56fcdba26ddbf56f8b855641087a3b26a51f8df5c4ef734d9fe536ab3c6d','components/plu/bob.md');
INSERT INTO v_name VALUES(9,'a4cc6ef6c4237b4123ea9808991478864360eff4fddce8fb1e3be50ebc33af78','components/flg/roja.md');
INSERT INTO v_name VALUES(10,'ed7ea50f2f4ec65286bd88b0c51cbeba5c6fe91b4968c54a7f8ac61f4ce276f9','components/loc/patio.md');
CREATE TABLE v_group (
	kind       INTEGER NOT NULL,
	id         INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	hash       INTEGER NOT NULL,  -- v_name
	made_us    INTEGER NOT NULL,
	author     TEXT    NOT NULL,
	messages   INTEGER NOT NULL,
	tokens     INTEGER NOT NULL,
	bytes      INTEGER NOT NULL,
	text_bytes INTEGER NOT NULL,
	first_us   INTEGER NOT NULL,
	last_us    INTEGER NOT NULL,
	last_seq   INTEGER NOT NULL,
	PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
INSERT INTO v_group VALUES(1,1,'uno',1,1795238304491715,'ana:mkdir',4,23,1346,350,1795238304495896,1795238304496172,6);
INSERT INTO v_group VALUES(1,2,'dos',2,1795238304492067,'ana:mkdir',70,140,23510,5582,1795238304503977,1795238304506329,76);
INSERT INTO v_group VALUES(2,1,'obra',3,1795238304495896,'ana:make.sh',71,148,23800,5692,1795238304495896,1795238304506329,76);
CREATE TABLE v_line (
	kind     INTEGER NOT NULL,
	id       INTEGER NOT NULL,
	n        INTEGER NOT NULL,
	seq      INTEGER NOT NULL,
	end      INTEGER NOT NULL,
	text_end INTEGER NOT NULL,
	PRIMARY KEY (kind, id, n)
) STRICT, WITHOUT ROWID;
INSERT INTO v_line VALUES(1,1,0,3,290,110);
INSERT INTO v_line VALUES(1,1,1,4,638,192);
INSERT INTO v_line VALUES(1,1,2,5,992,275);
INSERT INTO v_line VALUES(1,1,3,6,1346,350);
INSERT INTO v_line VALUES(1,2,0,7,273,78);
INSERT INTO v_line VALUES(1,2,1,8,608,156);
INSERT INTO v_line VALUES(1,2,2,9,943,234);
INSERT INTO v_line VALUES(1,2,3,10,1278,312);
INSERT INTO v_line VALUES(1,2,4,11,1613,390);
INSERT INTO v_line VALUES(1,2,5,12,1948,468);
INSERT INTO v_line VALUES(1,2,6,13,2283,546);
INSERT INTO v_line VALUES(1,2,7,14,2618,624);
INSERT INTO v_line VALUES(1,2,8,15,2953,702);
INSERT INTO v_line VALUES(1,2,9,16,3290,782);
INSERT INTO v_line VALUES(1,2,10,17,3627,862);
INSERT INTO v_line VALUES(1,2,11,18,3964,942);
INSERT INTO v_line VALUES(1,2,12,19,4301,1022);
INSERT INTO v_line VALUES(1,2,13,20,4638,1102);
INSERT INTO v_line VALUES(1,2,14,21,4975,1182);
INSERT INTO v_line VALUES(1,2,15,22,5312,1262);
INSERT INTO v_line VALUES(1,2,16,23,5649,1342);
INSERT INTO v_line VALUES(1,2,17,24,5986,1422);
INSERT INTO v_line VALUES(1,2,18,25,6323,1502);
INSERT INTO v_line VALUES(1,2,19,26,6660,1582);
INSERT INTO v_line VALUES(1,2,20,27,6997,1662);
INSERT INTO v_line VALUES(1,2,21,28,7334,1742);
INSERT INTO v_line VALUES(1,2,22,29,7671,1822);
INSERT INTO v_line VALUES(1,2,23,30,8008,1902);
INSERT INTO v_line VALUES(1,2,24,31,8345,1982);
INSERT INTO v_line VALUES(1,2,25,32,8682,2062);
INSERT INTO v_line VALUES(1,2,26,33,9019,2142);
INSERT INTO v_line VALUES(1,2,27,34,9356,2222);
INSERT INTO v_line VALUES(1,2,28,35,9693,2302);
INSERT INTO v_line VALUES(1,2,29,36,10030,2382);
INSERT INTO v_line VALUES(1,2,30,37,10367,2462);
INSERT INTO v_line VALUES(1,2,31,38,10704,2542);
INSERT INTO v_line VALUES(1,2,32,39,11041,2622);
INSERT INTO v_line VALUES(1,2,33,40,11378,2702);
INSERT INTO v_line VALUES(1,2,34,41,11715,2782);
INSERT INTO v_line VALUES(1,2,35,42,12052,2862);
INSERT INTO v_line VALUES(1,2,36,43,12389,2942);
INSERT INTO v_line VALUES(1,2,37,44,12726,3022);
INSERT INTO v_line VALUES(1,2,38,45,13063,3102);
INSERT INTO v_line VALUES(1,2,39,46,13400,3182);
INSERT INTO v_line VALUES(1,2,40,47,13737,3262);
INSERT INTO v_line VALUES(1,2,41,48,14074,3342);
INSERT INTO v_line VALUES(1,2,42,49,14411,3422);
INSERT INTO v_line VALUES(1,2,43,50,14748,3502);
INSERT INTO v_line VALUES(1,2,44,51,15085,3582);
INSERT INTO v_line VALUES(1,2,45,52,15422,3662);
INSERT INTO v_line VALUES(1,2,46,53,15759,3742);
INSERT INTO v_line VALUES(1,2,47,54,16096,3822);
INSERT INTO v_line VALUES(1,2,48,55,16433,3902);
INSERT INTO v_line VALUES(1,2,49,56,16770,3982);
INSERT INTO v_line VALUES(1,2,50,57,17107,4062);
INSERT INTO v_line VALUES(1,2,51,58,17444,4142);
INSERT INTO v_line VALUES(1,2,52,59,17781,4222);
INSERT INTO v_line VALUES(1,2,53,60,18118,4302);
INSERT INTO v_line VALUES(1,2,54,61,18455,4382);
INSERT INTO v_line VALUES(1,2,55,62,18792,4462);
INSERT INTO v_line VALUES(1,2,56,63,19129,4542);
INSERT INTO v_line VALUES(1,2,57,64,19466,4622);
INSERT INTO v_line VALUES(1,2,58,65,19803,4702);
INSERT INTO v_line VALUES(1,2,59,66,20140,4782);
INSERT INTO v_line VALUES(1,2,60,67,20477,4862);
INSERT INTO v_line VALUES(1,2,61,68,20814,4942);
INSERT INTO v_line VALUES(1,2,62,69,21151,5022);
INSERT INTO v_line VALUES(1,2,63,70,21488,5102);
INSERT INTO v_line VALUES(1,2,64,71,21825,5182);
INSERT INTO v_line VALUES(1,2,65,72,22162,5262);
INSERT INTO v_line VALUES(1,2,66,73,22499,5342);
INSERT INTO v_line VALUES(1,2,67,74,22836,5422);
INSERT INTO v_line VALUES(1,2,68,75,23173,5502);
INSERT INTO v_line VALUES(1,2,69,76,23510,5582);
INSERT INTO v_line VALUES(2,1,0,3,290,110);
INSERT INTO v_line VALUES(2,1,1,7,563,188);
INSERT INTO v_line VALUES(2,1,2,8,898,266);
INSERT INTO v_line VALUES(2,1,3,9,1233,344);
INSERT INTO v_line VALUES(2,1,4,10,1568,422);
INSERT INTO v_line VALUES(2,1,5,11,1903,500);
INSERT INTO v_line VALUES(2,1,6,12,2238,578);
INSERT INTO v_line VALUES(2,1,7,13,2573,656);
INSERT INTO v_line VALUES(2,1,8,14,2908,734);
INSERT INTO v_line VALUES(2,1,9,15,3243,812);
INSERT INTO v_line VALUES(2,1,10,16,3580,892);
INSERT INTO v_line VALUES(2,1,11,17,3917,972);
INSERT INTO v_line VALUES(2,1,12,18,4254,1052);
INSERT INTO v_line VALUES(2,1,13,19,4591,1132);
INSERT INTO v_line VALUES(2,1,14,20,4928,1212);
INSERT INTO v_line VALUES(2,1,15,21,5265,1292);
INSERT INTO v_line VALUES(2,1,16,22,5602,1372);
INSERT INTO v_line VALUES(2,1,17,23,5939,1452);
INSERT INTO v_line VALUES(2,1,18,24,6276,1532);
INSERT INTO v_line VALUES(2,1,19,25,6613,1612);
INSERT INTO v_line VALUES(2,1,20,26,6950,1692);
INSERT INTO v_line VALUES(2,1,21,27,7287,1772);
INSERT INTO v_line VALUES(2,1,22,28,7624,1852);
INSERT INTO v_line VALUES(2,1,23,29,7961,1932);
INSERT INTO v_line VALUES(2,1,24,30,8298,2012);
INSERT INTO v_line VALUES(2,1,25,31,8635,2092);
INSERT INTO v_line VALUES(2,1,26,32,8972,2172);
INSERT INTO v_line VALUES(2,1,27,33,9309,2252);
INSERT INTO v_line VALUES(2,1,28,34,9646,2332);
INSERT INTO v_line VALUES(2,1,29,35,9983,2412);
INSERT INTO v_line VALUES(2,1,30,36,10320,2492);
INSERT INTO v_line VALUES(2,1,31,37,10657,2572);
INSERT INTO v_line VALUES(2,1,32,38,10994,2652);
INSERT INTO v_line VALUES(2,1,33,39,11331,2732);
INSERT INTO v_line VALUES(2,1,34,40,11668,2812);
INSERT INTO v_line VALUES(2,1,35,41,12005,2892);
INSERT INTO v_line VALUES(2,1,36,42,12342,2972);
INSERT INTO v_line VALUES(2,1,37,43,12679,3052);
INSERT INTO v_line VALUES(2,1,38,44,13016,3132);
INSERT INTO v_line VALUES(2,1,39,45,13353,3212);
INSERT INTO v_line VALUES(2,1,40,46,13690,3292);
INSERT INTO v_line VALUES(2,1,41,47,14027,3372);
INSERT INTO v_line VALUES(2,1,42,48,14364,3452);
INSERT INTO v_line VALUES(2,1,43,49,14701,3532);
INSERT INTO v_line VALUES(2,1,44,50,15038,3612);
INSERT INTO v_line VALUES(2,1,45,51,15375,3692);
INSERT INTO v_line VALUES(2,1,46,52,15712,3772);
INSERT INTO v_line VALUES(2,1,47,53,16049,3852);
INSERT INTO v_line VALUES(2,1,48,54,16386,3932);
INSERT INTO v_line VALUES(2,1,49,55,16723,4012);
INSERT INTO v_line VALUES(2,1,50,56,17060,4092);
INSERT INTO v_line VALUES(2,1,51,57,17397,4172);
INSERT INTO v_line VALUES(2,1,52,58,17734,4252);
INSERT INTO v_line VALUES(2,1,53,59,18071,4332);
INSERT INTO v_line VALUES(2,1,54,60,18408,4412);
INSERT INTO v_line VALUES(2,1,55,61,18745,4492);
INSERT INTO v_line VALUES(2,1,56,62,19082,4572);
INSERT INTO v_line VALUES(2,1,57,63,19419,4652);
INSERT INTO v_line VALUES(2,1,58,64,19756,4732);
INSERT INTO v_line VALUES(2,1,59,65,20093,4812);
INSERT INTO v_line VALUES(2,1,60,66,20430,4892);
INSERT INTO v_line VALUES(2,1,61,67,20767,4972);
INSERT INTO v_line VALUES(2,1,62,68,21104,5052);
INSERT INTO v_line VALUES(2,1,63,69,21441,5132);
INSERT INTO v_line VALUES(2,1,64,70,21778,5212);
INSERT INTO v_line VALUES(2,1,65,71,22115,5292);
INSERT INTO v_line VALUES(2,1,66,72,22452,5372);
INSERT INTO v_line VALUES(2,1,67,73,22789,5452);
INSERT INTO v_line VALUES(2,1,68,74,23126,5532);
INSERT INTO v_line VALUES(2,1,69,75,23463,5612);
INSERT INTO v_line VALUES(2,1,70,76,23800,5692);
CREATE TABLE v_message (
	seq     INTEGER PRIMARY KEY,
	session INTEGER NOT NULL,  -- v_name, as all below
	thread  INTEGER,
	owner   INTEGER NOT NULL,
	master  INTEGER,
	flag    INTEGER,
	item    INTEGER,
	loc     INTEGER,
	time_us INTEGER NOT NULL
) STRICT;
INSERT INTO v_message VALUES(3,1,3,4,NULL,NULL,NULL,NULL,1795238304495896);
INSERT INTO v_message VALUES(4,1,NULL,4,NULL,NULL,NULL,NULL,1795238304496111);
INSERT INTO v_message VALUES(5,1,NULL,4,NULL,NULL,NULL,NULL,1795238304496146);
INSERT INTO v_message VALUES(6,1,NULL,8,NULL,9,NULL,10,1795238304496172);
INSERT INTO v_message VALUES(7,2,3,4,NULL,NULL,NULL,NULL,1795238304503977);
INSERT INTO v_message VALUES(8,2,3,4,NULL,NULL,NULL,NULL,1795238304504059);
INSERT INTO v_message VALUES(9,2,3,4,NULL,NULL,NULL,NULL,1795238304504092);
INSERT INTO v_message VALUES(10,2,3,4,NULL,NULL,NULL,NULL,1795238304504119);
INSERT INTO v_message VALUES(11,2,3,4,NULL,NULL,NULL,NULL,1795238304504144);
INSERT INTO v_message VALUES(12,2,3,4,NULL,NULL,NULL,NULL,1795238304504167);
INSERT INTO v_message VALUES(13,2,3,4,NULL,NULL,NULL,NULL,1795238304504191);
INSERT INTO v_message VALUES(14,2,3,4,NULL,NULL,NULL,NULL,1795238304504214);
INSERT INTO v_message VALUES(15,2,3,4,NULL,NULL,NULL,NULL,1795238304504242);
INSERT INTO v_message VALUES(16,2,3,4,NULL,NULL,NULL,NULL,1795238304504283);
INSERT INTO v_message VALUES(17,2,3,4,NULL,NULL,NULL,NULL,1795238304504309);
INSERT INTO v_message VALUES(18,2,3,4,NULL,NULL,NULL,NULL,1795238304504335);
INSERT INTO v_message VALUES(19,2,3,4,NULL,NULL,NULL,NULL,1795238304504359);
INSERT INTO v_message VALUES(20,2,3,4,NULL,NULL,NULL,NULL,1795238304504384);
INSERT INTO v_message VALUES(21,2,3,4,NULL,NULL,NULL,NULL,1795238304504552);
INSERT INTO v_message VALUES(22,2,3,4,NULL,NULL,NULL,NULL,1795238304504578);
INSERT INTO v_message VALUES(23,2,3,4,NULL,NULL,NULL,NULL,1795238304504600);
INSERT INTO v_message VALUES(24,2,3,4,NULL,NULL,NULL,NULL,1795238304504623);
INSERT INTO v_message VALUES(25,2,3,4,NULL,NULL,NULL,NULL,1795238304504646);
INSERT INTO v_message VALUES(26,2,3,4,NULL,NULL,NULL,NULL,1795238304504669);
INSERT INTO v_message VALUES(27,2,3,4,NULL,NULL,NULL,NULL,1795238304504692);
INSERT INTO v_message VALUES(28,2,3,4,NULL,NULL,NULL,NULL,1795238304504715);
INSERT INTO v_message VALUES(29,2,3,4,NULL,NULL,NULL,NULL,1795238304504737);
INSERT INTO v_message VALUES(30,2,3,4,NULL,NULL,NULL,NULL,1795238304504762);
INSERT INTO v_message VALUES(31,2,3,4,NULL,NULL,NULL,NULL,1795238304504792);
INSERT INTO v_message VALUES(32,2,3,4,NULL,NULL,NULL,NULL,1795238304504816);
INSERT INTO v_message VALUES(33,2,3,4,NULL,NULL,NULL,NULL,1795238304504839);
INSERT INTO v_message VALUES(34,2,3,4,NULL,NULL,NULL,NULL,1795238304504862);
INSERT INTO v_message VALUES(35,2,3,4,NULL,NULL,NULL,NULL,1795238304504887);
INSERT INTO v_message VALUES(36,2,3,4,NULL,NULL,NULL,NULL,1795238304504910);
INSERT INTO v_message VALUES(37,2,3,4,NULL,NULL,NULL,NULL,1795238304504934);
INSERT INTO v_message VALUES(38,2,3,4,NULL,NULL,NULL,NULL,1795238304504958);
INSERT INTO v_message VALUES(39,2,3,4,NULL,NULL,NULL,NULL,1795238304504982);
INSERT INTO v_message VALUES(40,2,3,4,NULL,NULL,NULL,NULL,1795238304505007);
INSERT INTO v_message VALUES(41,2,3,4,NULL,NULL,NULL,NULL,1795238304505031);
INSERT INTO v_message VALUES(42,2,3,4,NULL,NULL,NULL,NULL,1795238304505055);
INSERT INTO v_message VALUES(43,2,3,4,NULL,NULL,NULL,NULL,1795238304505484);
INSERT INTO v_message VALUES(44,2,3,4,NULL,NULL,NULL,NULL,1795238304505529);
INSERT INTO v_message VALUES(45,2,3,4,NULL,NULL,NULL,NULL,1795238304505556);
INSERT INTO v_message VALUES(46,2,3,4,NULL,NULL,NULL,NULL,1795238304505590);
INSERT INTO v_message VALUES(47,2,3,4,NULL,NULL,NULL,NULL,1795238304505614);
INSERT INTO v_message VALUES(48,2,3,4,NULL,NULL,NULL,NULL,1795238304505638);
INSERT INTO v_message VALUES(49,2,3,4,NULL,NULL,NULL,NULL,1795238304505662);
INSERT INTO v_message VALUES(50,2,3,4,NULL,NULL,NULL,NULL,1795238304505686);
INSERT INTO v_message VALUES(51,2,3,4,NULL,NULL,NULL,NULL,1795238304505711);
INSERT INTO v_message VALUES(52,2,3,4,NULL,NULL,NULL,NULL,1795238304505735);
INSERT INTO v_message VALUES(53,2,3,4,NULL,NULL,NULL,NULL,1795238304505758);
INSERT INTO v_message VALUES(54,2,3,4,NULL,NULL,NULL,NULL,1795238304505782);
INSERT INTO v_message VALUES(55,2,3,4,NULL,NULL,NULL,NULL,1795238304505806);
INSERT INTO v_message VALUES(56,2,3,4,NULL,NULL,NULL,NULL,1795238304505830);
INSERT INTO v_message VALUES(57,2,3,4,NULL,NULL,NULL,NULL,1795238304505853);
INSERT INTO v_message VALUES(58,2,3,4,NULL,NULL,NULL,NULL,1795238304505877);
INSERT INTO v_message VALUES(59,2,3,4,NULL,NULL,NULL,NULL,1795238304505901);
INSERT INTO v_message VALUES(60,2,3,4,NULL,NULL,NULL,NULL,1795238304505924);
INSERT INTO v_message VALUES(61,2,3,4,NULL,NULL,NULL,NULL,1795238304505958);
INSERT INTO v_message VALUES(62,2,3,4,NULL,NULL,NULL,NULL,1795238304505981);
INSERT INTO v_message VALUES(63,2,3,4,NULL,NULL,NULL,NULL,1795238304506005);
INSERT INTO v_message VALUES(64,2,3,4,NULL,NULL,NULL,NULL,1795238304506030);
INSERT INTO v_message VALUES(65,2,3,4,NULL,NULL,NULL,NULL,1795238304506057);
INSERT INTO v_message VALUES(66,2,3,4,NULL,NULL,NULL,NULL,1795238304506080);
INSERT INTO v_message VALUES(67,2,3,4,NULL,NULL,NULL,NULL,1795238304506104);
INSERT INTO v_message VALUES(68,2,3,4,NULL,NULL,NULL,NULL,1795238304506128);
INSERT INTO v_message VALUES(69,2,3,4,NULL,NULL,NULL,NULL,1795238304506151);
INSERT INTO v_message VALUES(70,2,3,4,NULL,NULL,NULL,NULL,1795238304506175);
INSERT INTO v_message VALUES(71,2,3,4,NULL,NULL,NULL,NULL,1795238304506199);
INSERT INTO v_message VALUES(72,2,3,4,NULL,NULL,NULL,NULL,1795238304506223);
INSERT INTO v_message VALUES(73,2,3,4,NULL,NULL,NULL,NULL,1795238304506247);
INSERT INTO v_message VALUES(74,2,3,4,NULL,NULL,NULL,NULL,1795238304506270);
INSERT INTO v_message VALUES(75,2,3,4,NULL,NULL,NULL,NULL,1795238304506294);
INSERT INTO v_message VALUES(76,2,3,4,NULL,NULL,NULL,NULL,1795238304506329);
CREATE TABLE v_tag (
	seq      INTEGER NOT NULL,
	field    INTEGER NOT NULL,
	position INTEGER NOT NULL,
	name     INTEGER NOT NULL,
	PRIMARY KEY (seq, field, position)
) STRICT, WITHOUT ROWID;
INSERT INTO v_tag VALUES(3,2,1,5);
INSERT INTO v_tag VALUES(3,2,2,6);
INSERT INTO v_tag VALUES(4,1,1,7);
CREATE TABLE v_ref (
	id       INTEGER PRIMARY KEY,
	seq      INTEGER NOT NULL,
	type     TEXT    NOT NULL,
	hash     TEXT    NOT NULL,
	position INTEGER NOT NULL,
	thread   INTEGER,
	UNIQUE (seq, hash)
) STRICT;
INSERT INTO v_ref VALUES(1,4,'context','cf0055b3fc28cbcb60cec0f0d5331896b49d2ad21b34acc40f93c634f7855aec',1,NULL);
INSERT INTO v_ref VALUES(2,7,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(3,8,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(4,9,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(5,10,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(6,11,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(7,12,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(8,13,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(9,14,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(10,15,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(11,16,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(12,17,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(13,18,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(14,19,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(15,20,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(16,21,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(17,22,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(18,23,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(19,24,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(20,25,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(21,26,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(22,27,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(23,28,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(24,29,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(25,30,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(26,31,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(27,32,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(28,33,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(29,34,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(30,35,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(31,36,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(32,37,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(33,38,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(34,39,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(35,40,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(36,41,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(37,42,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(38,43,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(39,44,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(40,45,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(41,46,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(42,47,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(43,48,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(44,49,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(45,50,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(46,51,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(47,52,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(48,53,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(49,54,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(50,55,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(51,56,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(52,57,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(53,58,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(54,59,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(55,60,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(56,61,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(57,62,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(58,63,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(59,64,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(60,65,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(61,66,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(62,67,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(63,68,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(64,69,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(65,70,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(66,71,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(67,72,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(68,73,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(69,74,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(70,75,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
INSERT INTO v_ref VALUES(71,76,'secretary','5f202637242b7ee419f671fe657a7b785c26efc00636bc08f575c66608fe729c',1,3);
CREATE TRIGGER tape_append BEFORE INSERT ON tape
WHEN NEW.seq IS NOT coalesce((SELECT max(seq) + 1 FROM tape), 0)
  OR CASE NEW.stream_seq
     WHEN 0 THEN NEW.prev IS NOT zeroblob(32) OR EXISTS (SELECT 1 FROM tape WHERE stream = NEW.stream)
     ELSE (NEW.stream_seq - 1, NEW.prev) IS NOT
          (SELECT stream_seq, leaf_hash FROM tape WHERE stream = NEW.stream
           ORDER BY stream_seq DESC LIMIT 1)
     END
BEGIN SELECT RAISE(ABORT, 'an entry goes at the end of the tape and of its stream'); END;
CREATE TRIGGER tape_keep BEFORE DELETE ON tape
BEGIN SELECT RAISE(ABORT, 'the tape only grows'); END;
CREATE TRIGGER tape_redact BEFORE UPDATE ON tape
WHEN NOT (NEW.salt IS NULL AND NEW.body IS NULL
      AND NEW.seq IS OLD.seq AND NEW.stream IS OLD.stream AND NEW.stream_seq IS OLD.stream_seq
      AND NEW.prev IS OLD.prev AND NEW.time_us IS OLD.time_us AND NEW.kind IS OLD.kind
      AND NEW.author IS OLD.author AND NEW.body_len IS OLD.body_len
      AND NEW.body_hash IS OLD.body_hash AND NEW.leaf_hash IS OLD.leaf_hash)
BEGIN SELECT RAISE(ABORT, 'an entry never changes'); END;
CREATE TRIGGER tape_tile_keep BEFORE DELETE ON tape_tile
BEGIN SELECT RAISE(ABORT, 'the tape only grows'); END;
CREATE TRIGGER tape_tile_fixed BEFORE UPDATE ON tape_tile
BEGIN SELECT RAISE(ABORT, 'a tile never changes'); END;
CREATE TRIGGER tape_checkpoint_keep BEFORE DELETE ON tape_checkpoint
BEGIN SELECT RAISE(ABORT, 'the tape only grows'); END;
CREATE TRIGGER tape_checkpoint_fixed BEFORE UPDATE ON tape_checkpoint
BEGIN SELECT RAISE(ABORT, 'a checkpoint never changes'); END;
CREATE UNIQUE INDEX v_group_name ON v_group (kind, name);
CREATE INDEX v_group_hash ON v_group (hash);
CREATE INDEX v_group_last ON v_group (kind, last_seq);
CREATE INDEX v_message_session ON v_message (session);
CREATE INDEX v_message_thread ON v_message (thread) WHERE thread IS NOT NULL;
CREATE INDEX v_message_owner ON v_message (owner);
CREATE INDEX v_message_master ON v_message (master) WHERE master IS NOT NULL;
CREATE INDEX v_message_flag ON v_message (flag) WHERE flag IS NOT NULL;
CREATE INDEX v_message_item ON v_message (item) WHERE item IS NOT NULL;
CREATE INDEX v_message_loc ON v_message (loc) WHERE loc IS NOT NULL;
CREATE INDEX v_message_time ON v_message (time_us);
CREATE INDEX v_tag_name ON v_tag (name, field, seq);
CREATE INDEX v_ref_hash ON v_ref (hash);
CREATE INDEX v_ref_thread ON v_ref (thread) WHERE thread IS NOT NULL;
CREATE VIEW log_messages AS
SELECT m.seq AS id,
       lower(hex(t.leaf_hash)) AS hash,
       s.hash AS session_hash,
       th.hash AS thread_hash,
       o.hash AS owner_id,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 1 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS players_id,
       p.hash AS master_player,
       json_extract(t.body, '$.role') AS role,
       json_extract(t.body, '$.content') AS content,
       coalesce(json_extract(t.body, '$.attachments'), '{}') AS attachments,
       CASE t.stream_seq WHEN 0 THEN NULL ELSE lower(hex(t.prev)) END AS prev_hash,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 2 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS hashtags,
       f.hash AS flag_id,
       i.hash AS master_item_id,
       (SELECT json_group_array(n.hash) FROM (SELECT name FROM v_tag WHERE seq = m.seq AND field = 3 ORDER BY position) g JOIN v_name n ON n.id = g.name) AS item_id,
       l.hash AS loc_id,
       json_extract(t.body, '$.ambient') AS ambient,
       strftime('%Y-%m-%dT%H:%M:%S', m.time_us / 1000000, 'unixepoch') || printf('.%06dZ', m.time_us % 1000000) AS created_at
  FROM v_message m
  JOIN tape t ON t.seq = m.seq
  JOIN v_name s ON s.id = m.session
  LEFT JOIN v_name th ON th.id = m.thread
  JOIN v_name o ON o.id = m.owner
  LEFT JOIN v_name p ON p.id = m.master
  LEFT JOIN v_name f ON f.id = m.flag
  LEFT JOIN v_name i ON i.id = m.item
  LEFT JOIN v_name l ON l.id = m.loc;
CREATE VIEW log_message_refs AS
SELECT r.id, lower(hex(t.leaf_hash)) AS message_hash, r.hash AS ref_hash, r.type AS ref_type,
       r.position, th.hash AS thread_hash, r.seq AS message_id
  FROM v_ref r JOIN tape t ON t.seq = r.seq LEFT JOIN v_name th ON th.id = r.thread;
CREATE VIEW log_message_index AS
SELECT CASE g.field WHEN 1 THEN 'players_id' WHEN 2 THEN 'hashtags' ELSE 'item_id' END AS field,
       n.hash AS ref_hash, n.label, g.seq AS message_id
  FROM v_tag g JOIN v_name n ON n.id = g.name;
COMMIT;
PRAGMA application_id=1668183137;
PRAGMA user_version=1;
