-- Removes unused registrations of clients, and codes that never became a key, older than `age`, in bounded pieces of
-- each.
create or replace function remove_unused_connections(
  moment timestamptz,
  age interval,
  row_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  clients_removed int;
  codes_removed int;
begin
  delete from connect_clients
  where ctid = any (array(
    select unused.ctid
    from connect_clients as unused
    where unused.happened_at <= moment - age
      and not unused.is_used
    order by unused.happened_at
    limit row_limit
    for update skip locked
  ));
  get diagnostics clients_removed = row_count;
  delete from agent_connections
  where ctid = any (array(
    select unredeemed.ctid
    from agent_connections as unredeemed
    where unredeemed.happened_at <= moment - age
      and unredeemed.key_id is null
    order by unredeemed.happened_at
    limit row_limit
    for update skip locked
  ));
  get diagnostics codes_removed = row_count;
  return row_limit in (clients_removed, codes_removed);
end
$$;
