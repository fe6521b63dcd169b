export const bothEnds = `
-- Four bytes of each end find candidates, the whole name decides: names that were counted begin alike, or end alike, and
-- an index of one end finds all of them for each.
DROP INDEX transfers_rec_id;
DROP INDEX transfers_zone_hash;
DROP INDEX transfers_main_hash;
DROP INDEX leg_answers_hash;
CREATE INDEX transfers_rec_id ON transfers (unhex(hex(substr(rec_id, 1, 4)) || hex(substr(rec_id, -4)))) WHERE rec_id IS NOT NULL;
CREATE INDEX transfers_zone_hash ON transfers (unhex(hex(substr(zone_hash, 1, 4)) || hex(substr(zone_hash, -4)))) WHERE zone_hash IS NOT NULL;
CREATE INDEX transfers_main_hash ON transfers (unhex(hex(substr(main_hash, 1, 4)) || hex(substr(main_hash, -4)))) WHERE main_hash IS NOT NULL;
CREATE INDEX leg_answers_hash ON leg_answers (unhex(hex(substr(hash, 1, 4)) || hex(substr(hash, -4))));
`
