-- Whether a webhook may receive notices about the budget of a chain of keys. A webhook of a connected agent receives
-- only those about its own chain; the others receive all.
create or replace function is_own_budget(told webhooks, spent_chain uuid)
returns boolean
language sql
stable
as $$
  select spent_chain is null
    or told.chain_id is null
    or told.chain_id = spent_chain
    or not is_of_agent(told)
$$;
