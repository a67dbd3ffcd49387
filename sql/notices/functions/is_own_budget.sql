-- Whether an address may be told of the budget of a chain of keys: of its own chain, or of any if the key that named it
-- may see the whole account. A connected agent sees only itself.
create or replace function is_own_budget(told webhooks, spent_chain uuid)
returns boolean
language sql
stable
as $$
  select spent_chain is null
    or told.chain_id is null
    or told.chain_id = spent_chain
    or not exists (
      select
      from agent_connections as connected
      where connected.account_id = told.account_id
        and connected.key_id = told.chain_id
    )
$$;
