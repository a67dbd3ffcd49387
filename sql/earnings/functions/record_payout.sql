-- Notes what a provider has been paid. The same reference with the same provider and amount is the first payout again.
--
-- Outcomes: recorded; repeated; reference_taken (by `payout`).
create or replace function record_payout(
  provider_id uuid,
  amount bigint,
  payout_reference text,
  actor text,
  out outcome text,
  out payout payouts
)
language plpgsql
as $$
begin
  perform act_as(actor);
  insert into payouts (account_id, amount_nanos, reference)
  values (provider_id, amount, payout_reference)
  on conflict (reference) do nothing
  returning * into payout;
  if found then
    outcome := 'recorded';
    return;
  end if;
  select * into strict payout
  from payouts
  where reference = payout_reference;
  outcome := case
    when payout.account_id = provider_id and payout.amount_nanos = amount then 'repeated'
    else 'reference_taken'
  end;
end
$$;
