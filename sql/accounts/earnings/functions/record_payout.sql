-- Records a payout to a provider. The same reference with the same provider and amount returns the first payout again.
--
-- The provider's row is locked first, so that two payouts never both find the same amount owed.
--
-- Outcomes: recorded; repeated; undone (`payout` has the reference, and was undone); reference_taken (by `payout`);
-- above_owed (`owed_nanos` is the amount owed to the provider; it is null with any other outcome).
create or replace function record_payout(
  provider_id uuid,
  amount bigint,
  payout_reference text,
  may_exceed boolean,
  actor text,
  out outcome text,
  out payout payouts,
  out owed_nanos bigint
)
language plpgsql
as $$
begin
  perform act_as(actor);
  perform
  from accounts
  where account_id = provider_id
  for no key update;

  select * into payout
  from payouts
  where reference = payout_reference;
  if not found then
    if not may_exceed then
      owed_nanos := owed_to(provider_id);
      if amount > owed_nanos then
        outcome := 'above_owed';
        return;
      end if;
      owed_nanos := null;
    end if;
    insert into payouts (account_id, amount_nanos, reference)
    values (provider_id, amount, payout_reference)
    on conflict (reference) do nothing
    returning * into payout;
    if found then
      outcome := 'recorded';
      return;
    end if;
    -- Another provider's payout has just used the reference.
    select * into strict payout
    from payouts
    where reference = payout_reference;
  end if;

  outcome := case
    when payout.account_id <> provider_id or payout.amount_nanos <> amount then 'reference_taken'
    when exists (select from payouts where undoes_payout_id = payout.payout_id) then 'undone'
    else 'repeated'
  end;
end
$$;
