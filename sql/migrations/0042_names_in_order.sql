-- Operators find accounts and feeds by a part of a name. The indexes of the lists hold the names, so a search reads the
-- rows that it lists and no others.

drop index feeds_newest;
create index feeds_newest on feeds (created_at, feed_id) include (name, endpoint_path)
where deleted_at is null;

drop index accounts_oldest;
create index accounts_oldest on accounts (created_at, account_id) include (name);

drop index accounts_name;
create index accounts_name on accounts (name, account_id);
