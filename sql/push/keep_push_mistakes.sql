-- name: keep_push_mistakes
-- why: stores the mistakes of a feed's newest refused push, in place of those of an earlier one
-- :feed_id uuid
-- :detail text
-- :mistakes json
-- :mistake_count int
-- returns feed_id uuid
insert into push_mistakes (feed_id, detail, mistakes, mistake_count, refused_at)
values (:feed_id, :detail, :mistakes, :mistake_count, now())
on conflict (feed_id) do update
set detail = excluded.detail,
  mistakes = excluded.mistakes,
  mistake_count = excluded.mistake_count,
  refused_at = excluded.refused_at
returning feed_id
