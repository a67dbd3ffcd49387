-- Until when a lost batch of the account may still be on its way: till then its token is looked for in
-- lost_batches, by whoever has locked the account. So a read that waits alone need not look at a table that
-- is nearly always empty.
alter table accounts
add column lost_batches_until timestamptz;
