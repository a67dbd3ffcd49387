-- Operators' lists of feeds and accounts begin at an index, not with a sort of all.

create index feeds_newest on feeds (created_at, feed_id)
where deleted_at is null;

create index accounts_oldest on accounts (created_at, account_id);
