-- Adds an entry to the ledger of an account and its amount to the balance, under the account's lock, so that the
-- balances before and after the entry form the account's history.
--
-- A reference is unique across all accounts. The same reference with the same account, kind, feed, and amount returns
-- the first entry again, so that a caller may retry a call whose answer it did not get.
--
-- amount: nano-dollars, negative to revoke them
-- entry_feed: the feed of the entry, if there is one
--
-- balance: the balance before the entry
-- Outcomes: appended; repeated; reference_taken (by `entry`); balance_full (the sum would not fit in a bigint);
-- balance_short (it would be below zero).
create or replace function append_ledger_entry(
  entry_account uuid,
  entry_kind text,
  amount bigint,
  entry_reason text,
  entry_reference text,
  entry_feed uuid default null,
  actor text default null,
  out outcome text,
  out entry credit_ledger,
  out balance bigint
)
language plpgsql
as $$
declare
  balance_most constant bigint := 9223372036854775807;
begin
  perform act_as(actor);
  select balance_nanos into strict balance
  from accounts
  where account_id = entry_account
  for no key update;

  select * into entry
  from credit_ledger
  where reference = entry_reference;
  if not found then
    if amount > balance_most - balance then
      outcome := 'balance_full';
      return;
    end if;
    if amount < -balance then
      outcome := 'balance_short';
      return;
    end if;
    insert into credit_ledger (
      account_id, kind, feed_id, amount_nanos, balance_before_nanos, balance_after_nanos, reason,
      reference
    )
    values (
      entry_account, entry_kind, entry_feed, amount, balance, balance + amount, entry_reason,
      entry_reference
    )
    on conflict (reference) do nothing
    returning * into entry;
    if found then
      update accounts
      set balance_nanos = balance + amount
      where account_id = entry_account
        and amount <> 0;
      outcome := 'appended';
      return;
    end if;
    -- Another account's entry has used the reference since. Its account is not covered by our lock.
    select * into entry
    from credit_ledger
    where reference = entry_reference;
  end if;

  outcome := case
    when entry.account_id = entry_account and entry.kind = entry_kind
      and entry.feed_id is not distinct from entry_feed
      and entry.amount_nanos = amount then 'repeated'
    else 'reference_taken'
  end;
end
$$;
