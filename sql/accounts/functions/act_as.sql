-- Sets the actor for the audit trail until the transaction ends: "shell:operator NAME", "api:key ID", … The word before
-- the colon is the face, which actors recorded by an older program lack. Null changes nothing: the actor is set
-- already, or there is none. A function calls this before it writes. A plain statement calls it in its from clause,
-- because triggers run after that.
create or replace function act_as(actor text)
returns void
language sql
strict
as $$
  select
    set_config('feedgate.face', coalesce(substring(actor from '^(shell|api|console):'), ''), true),
    set_config('feedgate.actor', regexp_replace(actor, '^(shell|api|console):', ''), true)
$$;
