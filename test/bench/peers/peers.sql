-- The database of the handwritten stacks, as their author would design it: the same accounts, keys, feeds, and rows, a
-- durable usage log, and no foreign keys, which would slow it down.
create table accounts (account_id uuid primary key, balance_nanos bigint not null)
with (fillfactor = 50);

create table api_keys (
  key_hash bytea primary key,
  account_id uuid not null,
  revoked_at timestamptz
);

create table feeds (feed_id uuid primary key, status text not null, price_nanos bigint not null);

create table feed_rows (
  feed_id uuid not null,
  position int not null,
  payload json not null,
  primary key (feed_id, position)
);

create table usage_events (
  usage_id uuid primary key,
  account_id uuid not null,
  feed_id uuid not null,
  charge_nanos bigint not null,
  happened_at timestamptz not null
);

create index usage_events_account on usage_events (account_id, happened_at);

create table windows (
  account_id uuid not null,
  feed_id uuid not null,
  started_at timestamptz not null,
  hits int not null,
  primary key (account_id, feed_id)
)
with (fillfactor = 50);

-- A whole read in one call: key, fixed window, feed, debit, usage row, page. A read locks one account and one window
-- until its commit, always in this order.
create function read_feed(hash bytea, feed uuid, usage uuid, points int)
returns table (outcome text, data text)
language plpgsql
as $$
declare
  reader uuid;
  price bigint;
  hits_now int;
begin
  select api_keys.account_id into reader
  from api_keys where api_keys.key_hash = hash and api_keys.revoked_at is null;
  if reader is null then
    return query select 'forbidden', null::text;
    return;
  end if;
  select feeds.price_nanos into price
  from feeds where feeds.feed_id = feed and feeds.status = 'active';
  if price is null then
    return query select 'not_found', null::text;
    return;
  end if;
  insert into windows as counted (account_id, feed_id, started_at, hits)
  values (reader, feed, now(), 1)
  on conflict (account_id, feed_id) do update
  set started_at = case
        when counted.started_at > now() - interval '1 minute' then counted.started_at
        else now()
      end,
    hits = case
      when counted.started_at > now() - interval '1 minute' then counted.hits + 1
      else 1
    end
  returning hits into hits_now;
  if hits_now > points then
    return query select 'limited', null::text;
    return;
  end if;
  update accounts set balance_nanos = balance_nanos - price
  where accounts.account_id = reader and balance_nanos >= price;
  if not found then
    return query select 'unpaid', null::text;
    return;
  end if;
  insert into usage_events (usage_id, account_id, feed_id, charge_nanos, happened_at)
  values (usage, reader, feed, price, now());
  return query
  select 'granted', '[' || string_agg(page.payload::text, ',' order by page.position) || ']'
  from (
    select feed_rows.position, feed_rows.payload
    from feed_rows
    where feed_rows.feed_id = feed
    order by feed_rows.position
    limit 20
  ) as page;
end
$$;
