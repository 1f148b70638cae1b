-- What is old is found without reading all there is.

CREATE INDEX stream_audience_old ON stream_audience (until) WHERE ending_code = 0;
CREATE INDEX carrier_message_old ON carrier_message (created_at);
