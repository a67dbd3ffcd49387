-- name: end_import
-- why: frees the feed of an import that did not come to its end, and retires what it had staged
-- :feed_id uuid
-- :import_id uuid
-- returns is_ended boolean
select is_ended
from end_import(:feed_id, :import_id, now())
