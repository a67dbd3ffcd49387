-- Notes a change of an account's members in the audit trail, which names persons by their ids only, so that nothing of
-- a person stays in it.
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
