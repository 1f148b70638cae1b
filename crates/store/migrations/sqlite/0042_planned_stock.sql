-- Units of open allocations that plans made. A level counts them, so that a plan need not add up all open allocations of an item:
-- a wave makes thousands of them. Plans lock the levels that they draw on, and allocations that are made by hand do not, so these
-- are still added up.
ALTER TABLE allocation ADD COLUMN is_planned BIGINT NOT NULL DEFAULT 0 CHECK (is_planned IN (0, 1));
ALTER TABLE inventory_level ADD COLUMN planned BIGINT NOT NULL DEFAULT 0 CHECK (planned >= 0);
CREATE INDEX allocation_unplanned ON allocation (owner, item_id, location_id, quantity)
    WHERE completed_at IS NULL AND is_planned = 0;
