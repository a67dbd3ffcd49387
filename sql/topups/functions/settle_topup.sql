-- Removes the alert of a top-up. Null if there is none.
create or replace function settle_topup(
  alerting_topup uuid, -- :topup_id
  given_reason text, -- :reason
  actor text -- :actor?
)
returns uuid -- :topup_id?
language plpgsql
as $$
declare
  settled topups;
begin
  perform act_as(actor);
  select * into settled
  from topups
  where topup_id = alerting_topup
    and alert is not null
  for no key update;
  if not found then
    return null;
  end if;
  update topups
  set alert = null
  where topup_id = alerting_topup;
  insert into audit_events (actor, action, account_id, before, after)
  values (
    audit_actor(),
    'topup settle',
    settled.account_id,
    json_build_object('topup_id', settled.topup_id, 'alert', settled.alert),
    json_build_object('reason', given_reason)
  );
  return alerting_topup;
end
$$;
