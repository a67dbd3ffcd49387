-- Finds top-ups that nobody has paid and that are no account's, which are removed in the end.

create index topups_unpaid on topups (ended_at)
where status = 'expired' and account_id is null;
