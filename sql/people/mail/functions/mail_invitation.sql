-- Queues the mail of an invitation to an account or a feed, unless a limit is reached. Returns whether it did.
--
-- Anyone who joins can invite any address, so the mails are limited: one an hour from an account to an address,
-- `address_max` an hour to an address from all accounts, and `account_max` an hour from an account. The limits count
-- mails, not invitations. So withdrawing, accepting, and removing make no room for more mails, and an invitation without
-- a mail does not prolong a limit.
--
-- The address is locked until the end of the transaction, after the caller's locks.
--
-- given_key: the address in lower case
-- mail_subject: null if the gateway sends no mail
create or replace function mail_invitation(
  inviting_account uuid,
  given_address text,
  given_key text,
  address_max int,
  account_max int,
  lifetime interval,
  mail_subject text,
  mail_text text,
  mail_html text
)
returns boolean
language plpgsql
as $$
declare
  pause constant interval := interval '1 hour';
  mailed_hash constant bytea := sha256(convert_to(given_key, 'UTF8'));
  moment timestamptz;
begin
  if mail_subject is null then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('invitations of address ' || given_key, 0));
  moment := clock_timestamp();
  if (
    select count(*) filter (where account_id = inviting_account) > 0 or count(*) >= address_max
    from invitation_mails
    where address_hash = mailed_hash
      and happened_at > moment - pause
  )
  or (
    select count(*)
    from invitation_mails
    where account_id = inviting_account
      and happened_at > moment - pause
  ) >= account_max then
    return false;
  end if;
  insert into invitation_mails (address_hash, account_id, happened_at)
  values (mailed_hash, inviting_account, moment)
  on conflict (address_hash, account_id) do update
  set happened_at = excluded.happened_at;
  perform queue_mail(
    (select person_id from persons where address_key = given_key),
    given_address, mail_subject, mail_text, mail_html, lifetime
  );
  return true;
end
$$;
