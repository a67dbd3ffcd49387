-- Names whoever acts to the audit trail, until the transaction ends: "operator NAME", "key ID", … Null changes nothing:
-- whoever acts is named already, or is nobody in particular. A function calls it before it writes. A statement of its
-- own has it in its from clause, since triggers run after that.
create or replace function act_as(actor text)
returns void
language sql
strict
as $$
  select set_config('feedgate.actor', actor, true)
$$;
