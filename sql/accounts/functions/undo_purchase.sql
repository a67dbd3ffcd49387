-- Undoes an account's purchase of a feed. The purchase is deleted, so the account's version is renewed and the next
-- read is refused. Afterwards the feed may be bought again.
--
-- An entry records the reason. Its amount is the charge, if the purchase was paid from the balance. It is 0 if the
-- purchase was paid for elsewhere, or if its usage event was refunded before.
--
-- Outcomes: undone; repeated (`entry` is the last undo: the feed has not been bought again since); not_purchased;
-- balance_full as in append_ledger_entry.
create or replace function undo_purchase(
  buying_account uuid,
  bought_feed uuid,
  undo_reason text,
  actor text,
  out outcome text,
  out entry credit_ledger
)
language plpgsql
as $$
declare
  bought purchases;
  -- The same reference as for any other refund of the event, so that there is only one.
  refund_reference text;
  is_owed boolean;
  appended record;
begin
  perform act_as(actor);
  perform
  from accounts
  where account_id = buying_account
  for no key update;

  select * into bought
  from purchases
  where account_id = buying_account
    and feed_id = bought_feed;
  if not found then
    select * into entry
    from credit_ledger
    where account_id = buying_account
      and feed_id = bought_feed
      and kind = 'purchase_undo'
    order by entry_id desc
    limit 1;
    outcome := case when found then 'repeated' else 'not_purchased' end;
    return;
  end if;

  refund_reference := 'refund:' || bought.purchase_id;
  is_owed := bought.entry_id is null
    and not exists (select from credit_ledger where reference = refund_reference);
  select * into appended
  from append_ledger_entry(
    buying_account,
    'purchase_undo',
    case when is_owed then bought.price_cents * 10000000 else 0 end,
    undo_reason,
    case
      when is_owed then refund_reference
      else 'purchase_undo:' || coalesce(bought.entry_id::text, bought.purchase_id::text)
    end,
    bought_feed
  );
  if appended.outcome <> 'appended' then
    outcome := appended.outcome;
    return;
  end if;
  entry := appended.entry;
  -- After a year, the event may no longer be in the log.
  update usage_events
  set refunded = true
  where account_id = buying_account
    and usage_id = bought.purchase_id
    and is_owed;
  delete from purchases
  where account_id = buying_account
    and feed_id = bought_feed;
  outcome := 'undone';
end
$$;
