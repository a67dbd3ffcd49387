-- Names the actor to the audit trail, until the transaction ends: "operator NAME", "key ID", … Null changes nothing:
-- the actor is named already, or there is none. A function calls it before it writes. A statement of its
-- own has it in its from clause, since triggers run after that.
create or replace function act_as(actor text)
returns void
language sql
strict
as $$
  select set_config('feedgate.actor', actor, true)
$$;
