-- What lets a gateway decide reads in memory: each account has a version, and a gateway that knows the newest
-- one knows all of the account.

alter table accounts
-- A random token, renewed by every change of the account: its balance, its log, its keys, its purchases. It is
-- random so that none comes again after a failover that lost commits.
add column version bigint not null default floor(random() * 281474976710656),
-- Moves with every change but charges and the events that belong to them. Whoever finds it unchanged needs
-- only the events since the last one that it knows.
add column generation bigint not null default 0,
-- When the newest event of its log was decided, in microseconds of the Unix epoch.
add column logged_us bigint not null default 0;

-- Any update that does not renew the version itself, as log_reads does, has it renewed here: no statement can
-- forget it.
create function renew_account_version()
returns trigger
language plpgsql
as $$
begin
  new.version := floor(random() * 281474976710656);
  new.generation := old.generation + 1;
  return new;
end
$$;

create trigger accounts_version_renewed
before update on accounts
for each row
when (new.version = old.version)
execute function renew_account_version();

-- A key, or a purchase, is part of the account's state.
create function touch_account()
returns trigger
language plpgsql
as $$
begin
  update accounts
  set generation = generation
  where account_id in (old.account_id, new.account_id);
  return null;
end
$$;

-- last_used_at alone is no part of the state.
create trigger api_keys_account_touched
after insert or delete or update of account_id, key_hash, permission, expires_at, revoked_at on api_keys
for each row
execute function touch_account();

create trigger purchases_account_touched
after insert or delete or update on purchases
for each row
execute function touch_account();

-- Whether a client has been answered with the event: then it is not refunded, whatever became of its batch.
alter table idempotency_keys
add column is_replayed boolean not null default false,
drop column batch_tokens;

-- A lost batch can't be written once the version is renewed: no token needs to be remembered.
drop table lost_batches;

alter table accounts drop column lost_batches_until;

-- Reads are counted by their usage events.
delete from rate_windows where operation <> 'push';

-- Nobody reads it, and a batch would have to add it up.
alter table usage_events drop column balance_after_nanos;
