-- Ostlund Verrin, consulting engineers: a firm that does not exist, with its people, clients and projects.
CREATE TABLE employee (
  id TEXT PRIMARY KEY, name TEXT, surname TEXT, job_title TEXT, department TEXT,
  manager_id TEXT REFERENCES employee (id)
);
CREATE TABLE client (
  id TEXT PRIMARY KEY, name TEXT, industry TEXT, location TEXT
);
CREATE TABLE project (
  id TEXT PRIMARY KEY, name TEXT, location TEXT, start_date DATE, end_date DATE,
  client_id TEXT REFERENCES client (id), director_id TEXT REFERENCES employee (id),
  manager_id TEXT REFERENCES employee (id)
);
INSERT INTO employee VALUES
  ('falkner', 'Ingrid Falkner', 'Falkner', 'Managing Director', 'Board', NULL),
  ('renn', 'Tobias Renn', 'Renn', 'Director of Structures', 'Structures', 'falkner'),
  ('odell', 'Amara Odell', 'Odell', 'Director of Water', 'Water', 'falkner'),
  ('ferrante', 'Lucia Ferrante', 'Ferrante', 'Director of Transport', 'Transport', 'falkner'),
  ('solvay', 'Henrik Solvay', 'Solvay', 'Finance Director', 'Finance', 'falkner'),
  ('lindholt', 'Petra Lindholt', 'Lindholt', 'Senior Bridge Engineer', 'Structures', 'renn'),
  ('achter', 'Dawit Achter', 'Achter', 'Structural Engineer', 'Structures', 'lindholt'),
  ('tannahill', 'Mei Tannahill', 'Tannahill', 'Geotechnical Engineer', 'Structures', 'renn'),
  ('bellweather', 'Oscar Bellweather', 'Bellweather', 'Senior Hydrologist', 'Water', 'odell'),
  ('quilty', 'Saoirse Quilty', 'Quilty', 'Drainage Engineer', 'Water', 'bellweather'),
  ('montero', 'Rafael Montero', 'Montero', 'Process Engineer', 'Water', 'odell'),
  ('kassar', 'Nadia Kassar', 'Kassar', 'Senior Transport Planner', 'Transport', 'ferrante'),
  ('whitcombe', 'George Whitcombe', 'Whitcombe', 'Signalling Engineer', 'Transport', 'kassar'),
  ('andersund', 'Freya Andersund', 'Andersund', 'Chartered Surveyor', 'Transport', 'ferrante'),
  ('marchetti', 'Colin Marchetti', 'Marchetti', 'Contracts Manager', 'Finance', 'solvay'),
  ('demiray', 'Yusuf Demiray', 'Demiray', 'Document Controller', 'Finance', 'marchetti');
INSERT INTO client VALUES
  ('brightwell', 'Brightwell Foods', 'food production', 'Carrowmere'),
  ('greyquay', 'Grey Quay Harbour Trust', 'shipping', 'Lowestrand'),
  ('lanterna', 'Lanterna Hotels', 'hospitality', 'Port Calder'),
  ('orla', 'Saint Orla Infirmary', 'health care', 'Dunvarrow'),
  ('pixelgarth', 'Pixelgarth Systems', 'software', 'Ashby Tor'),
  ('mallowfield', 'Mallowfield Estates', 'property development', 'Elmsreach'),
  ('northspur', 'Northspur Railways', 'rail transport', 'Hexley'),
  ('calderwick', 'Calderwick Water', 'water supply', 'Brenfold'),
  ('sunmark', 'Sunmark Power', 'renewable energy', 'Ostrey'),
  ('linden', 'Linden Hall University', 'higher education', 'Marchbury');
INSERT INTO project VALUES
  ('saltmarsh', 'Saltmarsh Bridge', 'Eddermouth', '2021-03-08', '2023-09-29', 'greyquay', 'renn', 'lindholt'),
  ('coldstore', 'Harrier Cold Store', 'Pennick', '2022-01-17', '2022-11-25', 'brightwell', 'renn', 'achter'),
  ('belvedere', 'Belvedere Roof Gardens', 'Port Sorrel', '2020-06-01', '2021-04-30', 'lanterna', 'renn', 'tannahill'),
  ('juniper', 'Juniper Wing', 'Dunvarrow', '2021-09-06', '2024-02-16', 'orla', 'renn', 'lindholt'),
  ('cinder', 'Cinder Lane Data Centre', 'Tarn Ends', '2023-02-13', '2024-08-30', 'pixelgarth', 'falkner', 'tannahill'),
  ('otter', 'Otter Weir Renewal', 'Brenfold', '2019-04-15', '2020-10-09', 'calderwick', 'odell', 'bellweather'),
  ('hightarn', 'High Tarn Reservoir', 'Skelbeck', '2020-02-03', '2023-05-26', 'calderwick', 'odell', 'montero'),
  ('herring', 'Herring Wharf Flood Wall', 'Lowestrand', '2022-05-09', '2023-12-15', 'greyquay', 'odell', 'quilty'),
  ('meadowgate', 'Meadowgate Effluent Plant', 'Carrowmere', '2021-11-01', '2022-12-09', 'brightwell', 'odell', 'montero'),
  ('kestrel', 'Kestrel Ridge Solar Park', 'Fallow Down', '2022-08-22', '2024-03-28', 'sunmark', 'falkner', 'andersund'),
  ('marshlane', 'Marsh Lane Junction', 'Hexley', '2019-09-02', '2021-06-18', 'northspur', 'ferrante', 'whitcombe'),
  ('orchard', 'Orchard Tramway', 'Marchbury', '2020-10-12', '2024-05-17', 'linden', 'ferrante', 'kassar'),
  ('copperdale', 'Copperdale Halt', 'Winterby', '2023-04-03', '2024-10-25', 'northspur', 'ferrante', 'whitcombe'),
  ('larkspur', 'Larkspur Quarter', 'Elmsreach', '2021-05-24', '2024-07-12', 'mallowfield', 'ferrante', 'andersund'),
  ('linnet', 'Linnet Footbridge', 'Marchbury', '2022-03-14', '2022-09-02', 'linden', 'renn', 'achter');
