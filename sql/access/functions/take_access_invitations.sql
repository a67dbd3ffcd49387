-- Accepts all open invitations to read feeds that were sent to a person's address, for the account that the person is
-- entering. An invitation to a feed of this account stays, because its owner needs no grant. A grant that the account
-- already has stays as it is: the provider did not know whose address it invited.
create or replace function take_access_invitations(person uuid, entered_account uuid)
returns void
language plpgsql
as $$
#variable_conflict use_column
declare
  invited access_invitations;
begin
  for invited in
    delete from access_invitations
    where address_key = (select address_key from persons where person_id = person)
      and not exists (
        select
        from feeds
        where feeds.feed_id = access_invitations.feed_id
          and feeds.account_id = entered_account
      )
    returning *
  loop
    if invited.ends_at > clock_timestamp() and not has_grant(entered_account, invited.feed_id) then
      perform grant_access(
        invited.feed_id, entered_account, invited.is_free, invited.expires_at, invited.note,
        'console:person ' || person
      );
    end if;
  end loop;
end
$$;
