-- While an account has as many follow-ups under way as it may, what is due of the other accounts is found account by account.
CREATE INDEX purchase_to_follow_by_account ON purchase (account_id, due_at) WHERE due_at IS NOT NULL AND is_follow_up = 1;
