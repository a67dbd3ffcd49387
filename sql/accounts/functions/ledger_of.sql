-- The sums of an account's ledger, in one snapshot. They verify that granted - revoked - charged + refunded = balance.
--
-- The usage log is the ledger of charges. Entries of the kind charges contain the sums of its dropped partitions, as
-- negative amounts. A purchase from the balance is a usage event, and undoing it refunds the charge. One that was paid
-- for elsewhere is an entry with the amount 0, and so is its undo.
create or replace function ledger_of(
  proven_id uuid,
  out balance_nanos bigint,
  out granted_nanos bigint,
  out revoked_nanos bigint,
  out charged_nanos bigint,
  out refunded_nanos bigint
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
    select coalesce(sum(charge_nanos), 0) as charged
    from usage_events
    where account_id = proven_id
  )
  select
    accounts.balance_nanos,
    entries.granted::bigint,
    entries.revoked::bigint,
    (charges.charged + entries.carried_over)::bigint,
    entries.refunded::bigint
  from accounts
  cross join entries
  cross join charges
  where accounts.account_id = proven_id
$$;
