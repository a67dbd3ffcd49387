-- Removes proofs of addresses, networks of sign-ups, ended invitations, and hashes of addresses that have passed their
-- retention, in bounded pieces of each. Whatever mail_invitation counts is kept for the hour that it counts.
--
-- age: of proofs. Sign-ups stay a day longer, because the limits of a UTC day count them.
create or replace function remove_old_proofs(
  moment timestamptz,
  age interval,
  row_limit int
)
returns boolean
language plpgsql
as $$
declare
  is_more boolean;
begin
  is_more := remove_aged_rows(moment, age, row_limit, 'address_proofs');
  is_more := remove_aged_rows(moment, age + interval '1 day', row_limit, 'sign_ups') or is_more;
  is_more := remove_aged_rows(moment, interval '0', row_limit, 'welcomes') or is_more;
  is_more := remove_aged_rows(moment, interval '1 hour', row_limit, 'invitation_mails') or is_more;
  delete from invitations
  where invitation_id in (
    select ended.invitation_id
    from invitations as ended
    where ended.expires_at <= moment - age
    limit row_limit
    for update skip locked
  );
  delete from access_invitations
  where invitation_id in (
    select ended.invitation_id
    from access_invitations as ended
    where ended.ends_at <= moment - age
    limit row_limit
    for update skip locked
  );
  return is_more;
end
$$;
