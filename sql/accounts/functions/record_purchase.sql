-- Records that an account has bought a one-time feed. The feed is paid for elsewhere: the entry's amount is 0 and its
-- reason contains the price. A feed is bought once. Recording it again is harmless, unless the reference shows that it
-- was paid for a second time. After an undo, it may be bought again, but not with the previous reference, which may be
-- a late retry.
--
-- Outcomes: purchased; repeated; not_one_time; own_feed (which the account reads for free); already_purchased (under
-- the reference of `entry`); bought_from_balance (the account has bought it itself, so there is no entry); undone (the
-- purchase with this reference, `entry`, was undone); reference_taken as in append_ledger_entry.
create or replace function record_purchase(
  buying_account uuid,
  bought_feed uuid,
  purchase_reference text,
  actor text,
  out outcome text,
  out entry credit_ledger
)
language plpgsql
as $$
declare
  feed feeds;
  appended record;
begin
  perform act_as(actor);
  perform
  from accounts
  where account_id = buying_account
  for no key update;
  select credit_ledger.* into entry
  from purchases
  left join credit_ledger
    on credit_ledger.entry_id = purchases.entry_id
  where purchases.account_id = buying_account
    and purchases.feed_id = bought_feed;
  if found then
    outcome := case
      when entry.entry_id is null then 'bought_from_balance'
      when entry.reference is distinct from coalesce(purchase_reference, entry.reference)
        then 'already_purchased'
      else 'repeated'
    end;
    return;
  end if;
  select * into strict feed
  from feeds
  where feed_id = bought_feed;
  if feed.account_id = buying_account then
    outcome := 'own_feed';
    return;
  end if;
  if feed.price_type <> 'one_time' then
    outcome := 'not_one_time';
    return;
  end if;

  select * into appended
  from append_ledger_entry(
    buying_account,
    'purchase',
    0,
    -- list_revenue.sql reads the price of an undone purchase from this text.
    format('one-time purchase of feed %s for %s cents', bought_feed, feed.one_time_price_cents),
    purchase_reference,
    bought_feed
  );
  entry := appended.entry;
  if appended.outcome <> 'appended' then
    outcome := case appended.outcome when 'repeated' then 'undone' else 'reference_taken' end;
    return;
  end if;
  insert into purchases (account_id, feed_id, entry_id, price_cents)
  values (buying_account, bought_feed, entry.entry_id, feed.one_time_price_cents);
  perform watch_feeds_of(buying_account);
  outcome := 'purchased';
end
$$;
