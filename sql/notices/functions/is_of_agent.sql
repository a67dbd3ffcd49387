-- Whether a connected agent has created a webhook.
create or replace function is_of_agent(told webhooks)
returns boolean
language sql
stable
as $$
  select exists (
    select
    from agent_connections as connected
    where connected.account_id = told.account_id
      and connected.key_id = told.chain_id
  )
$$;
