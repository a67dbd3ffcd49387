-- Grants an account the credits of a promotion code. The account is locked first and then the code's row, so that the
-- last redemption of a code is granted only once.
--
-- Outcomes: redeemed; code_unknown; already_redeemed (`entry` is the first one); expired; exhausted; balance_full as in
-- append_ledger_entry.
create or replace function redeem_promotion(
  wanted_code text,
  redeeming_account uuid,
  actor text,
  out outcome text,
  out entry credit_ledger
)
language plpgsql
as $$
declare
  promotion promotion_codes;
  appended record;
begin
  perform act_as(actor);
  perform
  from accounts
  where account_id = redeeming_account
  for no key update;
  select * into promotion
  from promotion_codes
  where code = wanted_code
  for update;
  if not found then
    outcome := 'code_unknown';
    return;
  end if;

  select credit_ledger.* into entry
  from promotion_redemptions
  join credit_ledger
    on credit_ledger.entry_id = promotion_redemptions.entry_id
  where promotion_redemptions.code = wanted_code
    and promotion_redemptions.account_id = redeeming_account;
  outcome := case
    when found then 'already_redeemed'
    when promotion.expires_at <= clock_timestamp() then 'expired'
    when promotion.max_redemptions <= (
      select count(*) from promotion_redemptions where code = wanted_code
    ) then 'exhausted'
  end;
  if outcome is not null then
    return;
  end if;

  select * into appended
  from append_ledger_entry(
    redeeming_account,
    'promotion',
    promotion.amount_nanos,
    'promotion code ' || wanted_code,
    'promotion:' || wanted_code || ':' || redeeming_account
  );
  entry := appended.entry;
  if appended.outcome <> 'appended' then
    outcome := appended.outcome;
    return;
  end if;
  insert into promotion_redemptions (code, account_id, entry_id)
  values (wanted_code, redeeming_account, entry.entry_id);
  outcome := 'redeemed';
end
$$;
