-- Companies that everybody knows, and who founded them. Only what does not change: no sales, no profits, no ages.
CREATE TABLE person (
  id TEXT PRIMARY KEY, name TEXT, surname TEXT, birth_year INTEGER, studied_at TEXT
);
CREATE TABLE company (
  id TEXT PRIMARY KEY, name TEXT, short_name TEXT, industry TEXT, headquarters TEXT, founded INTEGER,
  founder_id TEXT REFERENCES person (id)
);
INSERT INTO person VALUES
  ('walton', 'Sam Walton', 'Walton', 1918, 'University of Missouri'),
  ('smith', 'Frederick Smith', 'Smith', 1944, 'Yale University'),
  ('mdell', 'Michael Dell', 'Dell', 1965, 'University of Texas at Austin'),
  ('son', 'Masayoshi Son', 'Son', 1957, 'University of California, Berkeley'),
  ('abose', 'Amar Bose', 'Bose', 1929, 'Massachusetts Institute of Technology'),
  ('jtata', 'Jamsetji Tata', 'Tata', 1839, 'Elphinstone College'),
  ('wang', 'Wang Chuanfu', 'Wang', 1966, 'Central South University'),
  ('turner', 'Ted Turner', 'Turner', 1938, 'Brown University'),
  ('bezos', 'Jeff Bezos', 'Bezos', 1964, 'Princeton University'),
  ('hford', 'Henry Ford', 'Ford', 1863, NULL),
  ('kirk', 'Ole Kirk Christiansen', 'Christiansen', 1891, NULL),
  ('yamauchi', 'Fusajiro Yamauchi', 'Yamauchi', 1859, NULL);
INSERT INTO company VALUES
  ('walmart', 'Walmart', 'Walmart', 'retail', 'Bentonville', 1962, 'walton'),
  ('fedex', 'FedEx', 'FedEx', 'parcel delivery', 'Memphis', 1971, 'smith'),
  ('dell', 'Dell Technologies', 'Dell', 'computers', 'Round Rock', 1984, 'mdell'),
  ('softbank', 'SoftBank', 'SoftBank', 'telecommunications', 'Tokyo', 1981, 'son'),
  ('bose', 'Bose Corporation', 'Bose', 'audio equipment', 'Framingham', 1964, 'abose'),
  ('tata', 'Tata Group', 'Tata', 'conglomerate', 'Mumbai', 1868, 'jtata'),
  ('byd', 'BYD', 'BYD', 'electric cars', 'Shenzhen', 1995, 'wang'),
  ('cnn', 'CNN', 'CNN', 'television news', 'Atlanta', 1980, 'turner'),
  ('amazon', 'Amazon', 'Amazon', 'online retail', 'Seattle', 1994, 'bezos'),
  ('ford', 'Ford Motor Company', 'Ford', 'cars', 'Dearborn', 1903, 'hford'),
  ('lego', 'Lego', 'Lego', 'toys', 'Billund', 1932, 'kirk'),
  ('nintendo', 'Nintendo', 'Nintendo', 'video games', 'Kyoto', 1889, 'yamauchi');
