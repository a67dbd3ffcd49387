-- Names the actor to the audit trail, until the transaction ends: "shell:operator NAME", "api:key ID", … The word before
-- the colon is the face, which an actor that was kept by an older program lacks. Null changes nothing: the actor is
-- named already, or there is none. A function calls it before it writes. A statement of its own has it in its from
-- clause, since triggers run after that.
create or replace function act_as(actor text)
returns void
language sql
strict
as $$
  select
    set_config('feedgate.face', coalesce(substring(actor from '^(shell|api|console):'), ''), true),
    set_config('feedgate.actor', regexp_replace(actor, '^(shell|api|console):', ''), true)
$$;
