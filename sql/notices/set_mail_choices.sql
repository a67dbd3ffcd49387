-- name: set_mail_choices
-- why: sets a member's choices of notices by email; no row if the person is not a member
-- :account_id uuid
-- :person_id uuid
-- :types text[]
-- :choice text
-- returns type text, feeds_watched boolean
with chosen as (
  insert into mail_choices (account_id, person_id, type, choice)
  select members.account_id, members.person_id, told.type, :choice
  from members
  cross join unnest(:types::text[]) as told (type)
  where members.account_id = :account_id
    and members.person_id = :person_id
  order by told.type
  on conflict (account_id, person_id, type) do update
  set choice = excluded.choice
  returning mail_choices.type
)
select chosen.type, watch_feeds_of(:account_id) is null as feeds_watched
from chosen
