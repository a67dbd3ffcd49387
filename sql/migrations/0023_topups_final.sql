-- Whether a payment that was granted can't be undone by its chain any more. Of payments by card nobody asks.

alter table topups add column is_final boolean not null default false;

-- Finds those that the chain is asked about again.
create index topups_not_final on topups (due_at)
where status = 'granted' and way = 'x402' and not is_final;
