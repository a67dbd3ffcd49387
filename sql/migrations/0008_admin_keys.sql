-- Keys of operators, which belong to no account. They have a table of their own, so that no statement that reads feeds
-- or charges can find one.

create table admin_keys (
  key_id uuid primary key default gen_random_uuid(),
  -- A key itself is never stored.
  key_hash bytea not null,
  key_start text not null,
  -- Always the same. The audit trail and the list of keys show it beside those of accounts.
  permission text not null default 'admin',
  name text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- The key that was rotated, if this one was made by that.
  replaces uuid references admin_keys,
  constraint admin_keys_hash_unique unique (key_hash),
  constraint admin_keys_hash_is_sha256 check (octet_length(key_hash) = 32),
  constraint admin_keys_permission_is_admin check (permission = 'admin')
);

create trigger admin_keys_audited_insert
after insert on admin_keys
for each row
execute function note_audit('key');

create trigger admin_keys_audited_update
after update of name, expires_at, revoked_at on admin_keys
for each row
when (
  (old.name, old.expires_at, old.revoked_at) is distinct from (new.name, new.expires_at, new.revoked_at)
)
execute function note_audit('key');
