-- Documents say which package they are for, and the labels of a batch can be made in several formats.

-- The number of the package in its shipment, from 1 on; none where a file is not for one package.
ALTER TABLE document ADD COLUMN package_number BIGINT;

-- The work is one row for each format now.
ALTER TABLE batch_labels DROP CONSTRAINT batch_labels_pkey, ADD PRIMARY KEY (owner, batch_id, format);
ALTER TABLE batch_labels DROP CONSTRAINT batch_labels_state_check;
ALTER TABLE batch_labels ADD CONSTRAINT batch_labels_state_check
    CHECK (state IN ('making', 'merging', 'made', 'refused'));
-- The shipments whose labels can't be had in this format, as JSON: the first of them.
ALTER TABLE batch_labels ADD COLUMN refused TEXT COLLATE "C" NOT NULL DEFAULT '[]';
