-- How far an order is, maintained in the transaction that changes an allocation.

ALTER TABLE orders ADD COLUMN fulfilment_status TEXT COLLATE "C" NOT NULL DEFAULT 'unallocated' CHECK (fulfilment_status IN (
    'unallocated', 'partially_allocated', 'allocated', 'partially_shipped', 'shipped', 'partially_delivered', 'delivered'));
CREATE INDEX orders_by_fulfilment ON orders (owner, fulfilment_status, id);

UPDATE orders SET fulfilment_status = CASE
        WHEN sums.wanted = 0 OR sums.allocated = 0 THEN 'unallocated'
        WHEN sums.shipped >= sums.wanted THEN 'shipped'
        WHEN sums.shipped > 0 THEN 'partially_shipped'
        WHEN sums.allocated >= sums.wanted THEN 'allocated'
        ELSE 'partially_allocated' END,
    doc = substr(doc, 1, length(doc) - 1) || ',"fulfilment":{"status":"' || CASE
        WHEN sums.wanted = 0 OR sums.allocated = 0 THEN 'unallocated'
        WHEN sums.shipped >= sums.wanted THEN 'shipped'
        WHEN sums.shipped > 0 THEN 'partially_shipped'
        WHEN sums.allocated >= sums.wanted THEN 'allocated'
        ELSE 'partially_allocated' END
    || '","allocated_quantity":' || sums.allocated || ',"shipped_quantity":' || sums.shipped
    || ',"delivered_quantity":0,"returned_quantity":0,"shipment_ids":[]}}'
FROM (
    SELECT o.owner, o.id,
        CAST(coalesce((SELECT sum(l.quantity) FROM order_line l WHERE l.owner = o.owner AND l.order_id = o.id), 0) AS BIGINT) AS wanted,
        CAST(coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id), 0) AS BIGINT) AS allocated,
        CAST(coalesce((SELECT sum(a.quantity) FROM allocation a WHERE a.owner = o.owner AND a.order_id = o.id
            AND a.completed_at IS NOT NULL), 0) AS BIGINT) AS shipped
    FROM orders o) sums
WHERE orders.owner = sums.owner AND orders.id = sums.id;
