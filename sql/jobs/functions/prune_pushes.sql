-- Removes pushes older than `age` from the history of the next feeds in id order. The newest successful one among them
-- stays, because it is what readers saw when the rest of the history began. Mistakes of an old refusal go with it.
create or replace function prune_pushes(
  inout mark text,
  moment timestamptz,
  age interval,
  row_limit int,
  out is_more boolean
)
language plpgsql
set enable_seqscan = off
as $$
declare
  nil constant text := '00000000-0000-0000-0000-000000000000';
  feed_limit constant int := 500;
  feed record;
  feeds_done int := 0;
  rows_left int := row_limit;
  removed int;
begin
  for feed in
    select feeds.feed_id
    from feeds
    where feeds.feed_id >= coalesce(nullif(mark, ''), nil)::uuid
      and feeds.feed_id::text <> mark
    order by feeds.feed_id
    limit feed_limit
  loop
    delete from pushes
    where ctid = any (array(
      select old.ctid
      from pushes as old
      where old.feed_id = feed.feed_id
        and old.pushed_at < moment - age
        and old.push_id is distinct from (
          select kept.push_id
          from pushes as kept
          where kept.feed_id = feed.feed_id
            and kept.stored
            and kept.pushed_at < moment - age
          order by kept.pushed_at desc, kept.push_id desc
          limit 1
        )
      order by old.pushed_at
      limit rows_left
    ));
    get diagnostics removed = row_count;
    rows_left := rows_left - removed;
    delete from push_mistakes
    where push_mistakes.feed_id = feed.feed_id
      and push_mistakes.refused_at < moment - age;
    exit when rows_left = 0;
    mark := feed.feed_id::text;
    feeds_done := feeds_done + 1;
  end loop;
  is_more := rows_left = 0 or feeds_done = feed_limit;
  if not is_more then
    mark := '';
  end if;
end
$$;
