-- Until when a lost batch of the account may still be on its way: till then a read that waits alone looks for
-- its token in lost_batches. Else it need not look at a table that is nearly always empty.
alter table accounts
add column lost_batches_until timestamptz;
