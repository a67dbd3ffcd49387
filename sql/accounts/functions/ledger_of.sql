-- The sums of an account's ledger, in one snapshot. They verify that granted - revoked - charged + refunded = balance.
--
-- The usage log is the ledger of charges. Entries of the kind charges contain the sums of its dropped partitions, as
-- negative amounts. A purchase from the balance is a usage event, and undoing it refunds the charge. One that was paid
-- for elsewhere is an entry with the amount 0, and so is its undo.
--
-- known_to, known_nanos: the charges of the log up to an event, which are not summed again. An account's lock puts its
--   events in the order of their ids. Null: none are known
-- log_to, log_nanos: the last event of the log, and all its charges
create or replace function ledger_of(
  proven_id uuid,
  known_to uuid default null,
  known_nanos bigint default null,
  out balance_nanos bigint,
  out granted_nanos bigint,
  out revoked_nanos bigint,
  out charged_nanos bigint,
  out refunded_nanos bigint,
  out log_to uuid,
  out log_nanos bigint
)
language sql
stable
as $$
  with entries as (
    select
      coalesce(
        sum(amount_nanos) filter (
          where kind not in ('revocation', 'refund', 'purchase_undo', 'charges')
        ),
        0
      ) as granted,
      coalesce(-sum(amount_nanos) filter (where kind = 'revocation'), 0) as revoked,
      coalesce(sum(amount_nanos) filter (where kind in ('refund', 'purchase_undo')), 0)
        as refunded,
      coalesce(-sum(amount_nanos) filter (where kind = 'charges'), 0) as carried_over
    from credit_ledger
    where account_id = proven_id
  ),
  charges as (
    select coalesce(known_nanos, 0) + coalesce(sum(charge_nanos), 0) as charged
    from usage_events
    where account_id = proven_id
      and usage_id > coalesce(known_to, '00000000-0000-0000-0000-000000000000')
  )
  select
    accounts.balance_nanos,
    entries.granted::bigint,
    entries.revoked::bigint,
    (charges.charged + entries.carried_over)::bigint,
    entries.refunded::bigint,
    (
      select usage_id
      from usage_events
      where account_id = proven_id
      order by usage_id desc
      limit 1
    ),
    charges.charged::bigint
  from accounts
  cross join entries
  cross join charges
  where accounts.account_id = proven_id
$$;
