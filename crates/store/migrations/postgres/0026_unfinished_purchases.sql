-- A purchase that is shown is finished when it has its label and no duplicate is left to void. From then on only its parcel
-- is tracked. What is unfinished is found by an index of its own: thousands of parcels may be due before it.
ALTER TABLE purchase ADD COLUMN is_tracking BIGINT NOT NULL DEFAULT 0 CHECK (is_tracking IN (0, 1));
UPDATE purchase SET is_tracking = 1 WHERE is_follow_up = 1 AND is_labelled = 1;
CREATE INDEX purchase_to_finish ON purchase (due_at) WHERE due_at IS NOT NULL AND is_follow_up = 1 AND is_tracking = 0;
