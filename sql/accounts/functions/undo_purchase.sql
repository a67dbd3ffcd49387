-- Takes back that an account has bought a feed. The purchase goes, so the account's version is renewed and the
-- next read is refused. An entry of the amount 0 keeps the reason, because the purchase was paid elsewhere.
-- Afterwards the feed may be bought again.
--
-- Outcomes: undone; repeated (`entry` is the last undo: the feed has not been bought again since); not_purchased.
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
  undone_entry bigint;
begin
  perform act_as(actor);
  perform
  from accounts
  where account_id = buying_account
  for no key update;

  delete from purchases
  where account_id = buying_account
    and feed_id = bought_feed
  returning entry_id into undone_entry;
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

  outcome := 'undone';
  entry := (
    append_ledger_entry(
      buying_account,
      'purchase_undo',
      0,
      undo_reason,
      'purchase_undo:' || undone_entry,
      bought_feed
    )
  ).entry;
end
$$;
