-- A window's hits are written anew with each of them. From 250 on PostgreSQL would compress them each time,
-- which took ten times what all else of an admission does: they are stored as they are, and up to some 1,000
-- in the row itself.
alter table rate_windows
alter column hits set storage external,
set (toast_tuple_target = 8160);
