-- Records a change of an account's members in the audit trail. Persons are identified only by id, so that no personal
-- data stays in the trail.
create or replace function note_member(
  noted_account uuid,
  noted_action text,
  noted_before json,
  noted_after json
)
returns void
language sql
as $$
  insert into audit_events (actor, action, account_id, before, after)
  values (audit_actor(), noted_action, noted_account, noted_before, noted_after)
$$;
