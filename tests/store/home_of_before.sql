BEGIN TRANSACTION;
CREATE TABLE activations (
	number INTEGER NOT NULL, 
	version TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	activated DATETIME NOT NULL, activated_by TEXT DEFAULT '' NOT NULL, units INTEGER DEFAULT '0' NOT NULL, original TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "activations" VALUES(1,'v1','chart.csv','3333333333333333333333333333333333333333333333333333333333333333','2026-11-26 18:45:40.935339','ada',9,'6666666666666666666666666666666666666666666666666666666666666666');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0011');
CREATE TABLE answers (
	number INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	conversation TEXT, 
	question TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	record_json TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (id), 
	FOREIGN KEY(conversation) REFERENCES conversations (id) ON DELETE SET NULL
);
INSERT INTO "answers" VALUES(1,'a1','288cd6cf85404679a7a194f195325865','Who signs?','Two sign.','{"status": "answered", "model": {"name": "m", "adapter": ""}, "entities": [{"unit": "u1"}], "sources": [{"kind": "section", "document": "rules.md"}], "checks": {"sentences": [{"supported": true}]}}','2026-11-26 18:45:40.953172');
INSERT INTO "answers" VALUES(2,'a2','288cd6cf85404679a7a194f195325865','Who else?','Nobody.','{}','2026-11-26 18:45:40.961642');
CREATE TABLE approved (
	id TEXT NOT NULL, 
	answer TEXT, 
	question TEXT NOT NULL, 
	normal TEXT NOT NULL, 
	reply TEXT NOT NULL, 
	sources TEXT NOT NULL, 
	chart TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	at DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	why TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(answer) REFERENCES answers (id) ON DELETE SET NULL
);
INSERT INTO "approved" VALUES('963e482c9be848dab9210049655723d4','a1','Who signs?','who signs','Two sign.','[["rules.md", "1111111111111111111111111111111111111111111111111111111111111111"]]','v1','Rita R.','2026-11-26 18:45:40.999503','pinned','');
CREATE TABLE audit (
	number INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	who TEXT NOT NULL, 
	what TEXT NOT NULL, 
	about TEXT NOT NULL, 
	"where" TEXT NOT NULL, 
	result TEXT NOT NULL, 
	chain TEXT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "audit" VALUES(1,'2026-11-26 18:45:40.812491','ada','document added','rules.md','','1111111111111111111111111111111111111111111111111111111111111111','6b4847d6787b23b6e82fec23e8afcb95a0c4a76cb92480e0a413109b3117ad27');
INSERT INTO "audit" VALUES(2,'2026-11-26 18:45:40.815463','ada','audience set','rules.md','','u1
u2','d4a0969093c888353862df46755c9817719876945fbc6c1a45239afe09b702bb');
INSERT INTO "audit" VALUES(3,'2026-11-26 18:45:40.846377','','document added','old.md','','4444444444444444444444444444444444444444444444444444444444444444','edd6ebad4209221ef283d83ce990ba7463adeaf6b2263bb2fd6910c46b15d3e6');
INSERT INTO "audit" VALUES(4,'2026-11-26 18:45:40.873955','ada','document removed','old.md','','','e1170e2eedfbabaedb5038ccfa0b70941551bc6efc551716fe2e033afec55760');
INSERT INTO "audit" VALUES(5,'2026-11-26 18:45:40.922772','','example questions set','','','2','aeb7afb384c23bebf35ad94c0f0d7edb0b842c6ffdf89d1ac8f631e7d0d61235');
INSERT INTO "audit" VALUES(6,'2026-11-26 18:45:40.936886','ada','chart activated','chart.csv','','v1','6e0bd3092b183a5e0cf9502dfa0295d7a7af2b5880043d923d9e4d8f6357ed50');
INSERT INTO "audit" VALUES(7,'2026-11-26 18:45:40.940762','ada','adapter promoted','20261120-0a0a0a0a','','','a027d41fea92250a68771b4008163823a403f8d934b7f61d5217d9c7d063f3ba');
INSERT INTO "audit" VALUES(8,'2026-11-26 18:45:40.947131','setup','person added','ada','','admin, active, unit u1','6dbe031ac4e607ac1e742aabd911fb7cad97406a5499df4548ed2faf3a2a8b6a');
INSERT INTO "audit" VALUES(9,'2026-11-26 18:45:40.950289','ada','person added','rita','','reviewer, active','7b3f23bc71bd7b1c72fbdf01d4f08a1a751206788ff2f741b87442a935849e41');
INSERT INTO "audit" VALUES(10,'2026-11-26 18:45:40.983794','595b9d3b06904fc1a6efd66be1ecab88','remarked','a1','','Correct-Verbose','9a58ac81383a99fc3d947a252e01c5e9aaf6aabc05d4f0cea39c7af8db462b21');
INSERT INTO "audit" VALUES(11,'2026-11-26 18:45:40.991064','12799cfa7e074c4a8933ebb9b38150cb','judged','a1','','Correct','1c1c29ceff3d9b787344cc8bdb63792241d96a80ae83dc42840df1d0e7cafdfc');
INSERT INTO "audit" VALUES(12,'2026-11-26 18:45:40.996609','12799cfa7e074c4a8933ebb9b38150cb','judged','a2','','Incorrect','f5a22583c8046cfb22cdb2101cde307a979201eca8bba4416d0dd28e4cc1ea32');
INSERT INTO "audit" VALUES(13,'2026-11-26 18:45:41.002237','Rita R.','answer pinned','a1','','Who signs?','889bf0594ca04337df42aafeb4514c3e91985ac372c47c9a23a57fa15aeeb789');
INSERT INTO "audit" VALUES(14,'2026-11-26 18:45:41.007581','ada','link made','ada','','password','2c3fe56b3467b46fe1444cd7fefdcf2c423bb9b9645dc2c888123738e87fb0f9');
INSERT INTO "audit" VALUES(15,'2026-11-26 18:45:41.010595','ada','token made','ada','','script, until 2126-11-02','7bc24b7648f5b7a71d02b16be6d885d2a98d40d357b539a4e7a93c2457d30bc5');
CREATE TABLE conversations (
	id TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	title TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	updated DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "conversations" VALUES('288cd6cf85404679a7a194f195325865','595b9d3b06904fc1a6efd66be1ecab88','Signing','2026-11-26 18:45:40.951345','2026-11-26 18:45:40.961642');
CREATE TABLE documents (
	name TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	pages INTEGER, 
	added DATETIME NOT NULL, audience TEXT DEFAULT 'everyone' NOT NULL, notes TEXT DEFAULT '[]' NOT NULL, given_by TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "documents" VALUES('rules.md','1111111111111111111111111111111111111111111111111111111111111111',3,'2026-11-26 18:45:40.806435','u1
u2','["a page was empty"]','ada');
CREATE TABLE examples (
	position INTEGER NOT NULL, 
	question TEXT NOT NULL, 
	PRIMARY KEY (position)
);
INSERT INTO "examples" VALUES(1,'Who signs?');
INSERT INTO "examples" VALUES(2,'Why?');
CREATE TABLE failures (
	"key" TEXT NOT NULL, 
	count INTEGER NOT NULL, 
	last DATETIME NOT NULL, 
	PRIMARY KEY ("key")
);
INSERT INTO "failures" VALUES('name:eve',1,'2026-11-26 18:45:41.003077');
CREATE TABLE jobs (
	number INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	given_by TEXT NOT NULL, 
	added DATETIME NOT NULL, 
	state TEXT NOT NULL, 
	message TEXT NOT NULL, 
	hint TEXT NOT NULL, audience TEXT DEFAULT 'everyone' NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (id)
);
INSERT INTO "jobs" VALUES(1,'86337cf9807e445da2e70fce89ed3847','late.pdf','2222222222222222222222222222222222222222222222222222222222222222','ada','2026-11-26 18:45:40.896716','waiting','','','u1');
CREATE TABLE labels (
	number INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	reviewer TEXT NOT NULL, 
	verdict TEXT NOT NULL, 
	comment TEXT NOT NULL, 
	corrected TEXT NOT NULL, 
	at DATETIME NOT NULL, asker BOOLEAN DEFAULT 0 NOT NULL, wrong_source TEXT DEFAULT '' NOT NULL, settles BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(answer) REFERENCES answers (id)
);
INSERT INTO "labels" VALUES(1,'a1','595b9d3b06904fc1a6efd66be1ecab88','Correct-Verbose','wordy','','2026-11-26 18:45:40.974494',1,'x1',0);
INSERT INTO "labels" VALUES(2,'a1','12799cfa7e074c4a8933ebb9b38150cb','Correct','good','Two.','2026-11-26 18:45:40.985605',0,'',0);
INSERT INTO "labels" VALUES(3,'a2','12799cfa7e074c4a8933ebb9b38150cb','Incorrect','','','2026-11-26 18:45:40.992784',0,'',0);
CREATE TABLE leaving (
	name TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	passages INTEGER NOT NULL, 
	pairs INTEGER NOT NULL, 
	forgotten_by TEXT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "leaving" VALUES('old.md','4444444444444444444444444444444444444444444444444444444444444444',0,0,'ada');
CREATE TABLE links (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	person TEXT, 
	ends DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "links" VALUES('24fed1bff4c9834adc879a8cf0063bb91f0849f1284cf231022f9806229072cd','password','595b9d3b06904fc1a6efd66be1ecab88','2026-11-27 18:45:41.005498');
CREATE TABLE pairs (
	id TEXT NOT NULL, 
	document TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	section TEXT NOT NULL, 
	page INTEGER, 
	question TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	type TEXT NOT NULL, 
	origin TEXT NOT NULL, 
	state TEXT NOT NULL, 
	searched BOOLEAN NOT NULL, 
	source TEXT NOT NULL, 
	changed_by TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(document) REFERENCES documents (name) ON DELETE CASCADE
);
INSERT INTO "pairs" VALUES('p1','rules.md',0,'4 Finance',NULL,'Who signs?','Two.','short answer','person','made',1,'','ada');
CREATE TABLE passages (
	id TEXT NOT NULL, 
	document TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	section TEXT NOT NULL, 
	page INTEGER, 
	text TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(document) REFERENCES documents (name) ON DELETE CASCADE
);
INSERT INTO "passages" VALUES('x1','rules.md',0,'section','4 Finance',3,'Two sign.');
CREATE TABLE people (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded TEXT NOT NULL, 
	shown TEXT NOT NULL, 
	found_by TEXT NOT NULL, 
	role TEXT NOT NULL, 
	state TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	how TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (folded)
);
INSERT INTO "people" VALUES('595b9d3b06904fc1a6efd66be1ecab88','ada','ada','Ada L.','ada ada l.','admin','active','u1','2026-11-26 18:45:40.942158','password');
INSERT INTO "people" VALUES('12799cfa7e074c4a8933ebb9b38150cb','rita','rita','Rita R.','rita rita r.','reviewer','active','','2026-11-26 18:45:40.949108','password');
CREATE TABLE promotions (
	number INTEGER NOT NULL, 
	adapter TEXT NOT NULL, 
	promoted DATETIME NOT NULL, 
	promoted_by TEXT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "promotions" VALUES(1,'20261120-0a0a0a0a','2026-11-26 18:45:40.938543','ada');
CREATE TABLE reviews (
	number INTEGER NOT NULL, 
	asker TEXT NOT NULL, 
	status TEXT NOT NULL, 
	model TEXT NOT NULL, 
	adapter TEXT NOT NULL, 
	support FLOAT, 
	lot INTEGER NOT NULL, 
	flag TEXT NOT NULL, 
	standing TEXT NOT NULL, 
	second BOOLEAN NOT NULL, 
	since INTEGER NOT NULL, first_opinion TEXT DEFAULT '' NOT NULL, second_opinion TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(number) REFERENCES answers (number) ON DELETE CASCADE
);
INSERT INTO "reviews" VALUES(1,'595b9d3b06904fc1a6efd66be1ecab88','answered','m','',1.0,2058352823,'Correct-Verbose','Correct',0,0,'Correct','');
INSERT INTO "reviews" VALUES(2,'595b9d3b06904fc1a6efd66be1ecab88','','','',NULL,371007780,'','Incorrect',0,0,'Incorrect','');
CREATE TABLE secrets (
	person TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (person), 
	FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "secrets" VALUES('595b9d3b06904fc1a6efd66be1ecab88','$argon2id$1');
CREATE TABLE sessions (
	id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	begun DATETIME NOT NULL, 
	seen DATETIME NOT NULL, 
	ends DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "sessions" VALUES('1def8ce3b755faccb7ef64e191a3d7593343722bc28880453415097fccde2759','595b9d3b06904fc1a6efd66be1ecab88','2026-11-26 18:45:41.014504','2026-11-26 18:45:41.014504','2026-12-03 18:45:41.014504');
CREATE TABLE tallies (
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	standing TEXT NOT NULL, 
	answers INTEGER NOT NULL, 
	PRIMARY KEY (kind, value, standing)
);
INSERT INTO "tallies" VALUES('document','rules.md','open',0);
INSERT INTO "tallies" VALUES('model','m','open',0);
INSERT INTO "tallies" VALUES('unit','u1','open',0);
INSERT INTO "tallies" VALUES('week','2026-11-23','open',0);
INSERT INTO "tallies" VALUES('model','','open',0);
INSERT INTO "tallies" VALUES('document','rules.md','Correct',1);
INSERT INTO "tallies" VALUES('model','m','Correct',1);
INSERT INTO "tallies" VALUES('unit','u1','Correct',1);
INSERT INTO "tallies" VALUES('week','2026-11-23','Correct',1);
INSERT INTO "tallies" VALUES('model','','Incorrect',1);
INSERT INTO "tallies" VALUES('week','2026-11-23','Incorrect',1);
CREATE TABLE tokens (
	id TEXT NOT NULL, 
	person TEXT NOT NULL, 
	name TEXT NOT NULL, 
	created DATETIME NOT NULL, 
	last_used DATETIME, 
	ends DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(person) REFERENCES people (id) ON DELETE CASCADE
);
INSERT INTO "tokens" VALUES('a0f50fafa05e857a6580c5660b34d46baf5c04730beccf16a84d5b83380ada8c','595b9d3b06904fc1a6efd66be1ecab88','script','2026-11-26 18:45:41.008792',NULL,'2126-11-02 18:45:41.008792');
CREATE TABLE topics (
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	standing TEXT NOT NULL, 
	PRIMARY KEY (kind, value, number), 
	FOREIGN KEY(number) REFERENCES answers (number) ON DELETE CASCADE
);
INSERT INTO "topics" VALUES('week','2026-11-23',1,'Correct');
INSERT INTO "topics" VALUES('model','m',1,'Correct');
INSERT INTO "topics" VALUES('document','rules.md',1,'Correct');
INSERT INTO "topics" VALUES('unit','u1',1,'Correct');
INSERT INTO "topics" VALUES('week','2026-11-23',2,'Incorrect');
INSERT INTO "topics" VALUES('model','',2,'Incorrect');
CREATE INDEX passages_of_document ON passages (document, position);
CREATE INDEX conversations_of_owner ON conversations (owner, updated);
CREATE INDEX answers_of_conversation ON answers (conversation, number);
CREATE INDEX labels_of_answer ON labels (answer, reviewer, number);
CREATE INDEX pairs_of_document ON pairs (document, position);
CREATE INDEX sessions_of_person ON sessions (person);
CREATE INDEX tokens_of_person ON tokens (person);
CREATE TRIGGER audit_stays_on_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'rows of this table are only ever added'); END;
CREATE TRIGGER audit_stays_on_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'rows of this table are only ever added'); END;
CREATE INDEX reviews_by_standing ON reviews (standing, number);
CREATE INDEX reviews_by_flag ON reviews (standing, flag, number);
CREATE INDEX reviews_by_support ON reviews (standing, support, number);
CREATE INDEX reviews_by_lot ON reviews (standing, lot, number);
CREATE INDEX reviews_of_asker ON reviews (asker);
CREATE INDEX topics_by_standing ON topics (kind, value, standing, number);
CREATE INDEX topics_of_answer ON topics (number, kind, value, standing);
CREATE INDEX approved_of_question ON approved (normal, state);
CREATE INDEX approved_of_answer ON approved (answer);
CREATE INDEX reviews_by_opinions ON reviews (second_opinion, first_opinion);
COMMIT;
