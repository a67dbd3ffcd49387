-- Whether a call has a usage event: those that an agent reads by. `lately_refused.ts` names the same.
create or replace function is_logged_call(operation text)
returns boolean
language sql
immutable
parallel safe
as $$
  select operation in ('data', 'metadata', 'catalog', 'search')
$$;
