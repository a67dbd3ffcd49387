-- Replaces a singleton's document. Called under the feed's lock by write_push.
--
-- A text that is unchanged is not written again, and readers see no change.
--
-- outcomes: i (inserted) the first time, then u (updated)
create or replace function push_document(
  pushed_feed_id uuid,
  document text,
  out outcomes text,
  out is_changed boolean
)
language plpgsql
as $$
declare
  bytes_before bigint;
begin
  select documents.payload::text <> document, octet_length(documents.payload::text)
  into is_changed, bytes_before
  from documents
  where documents.feed_id = pushed_feed_id;

  outcomes := case when found then 'u' else 'i' end;
  is_changed := coalesce(is_changed, true);
  if outcomes = 'i' then
    insert into documents (feed_id, payload)
    values (pushed_feed_id, document::json);
  elsif is_changed then
    update documents
    set payload = document::json
    where documents.feed_id = pushed_feed_id;
  end if;
  if is_changed then
    perform add_row_totals(
      pushed_feed_id, 0, (outcomes = 'i')::int, octet_length(document) - coalesce(bytes_before, 0)
    );
  end if;
end
$$;
