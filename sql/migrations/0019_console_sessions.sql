-- Sign-in to the console. A session stands for a key, so it ends with the key, and does what the key may do.

create table sign_in_links (
  -- SHA-256 of the token in the link, which is stored nowhere.
  link_hash bytea primary key,
  permission text not null,
  -- Null: an operator.
  account_id uuid references accounts,
  made_by text not null,
  expires_at timestamptz not null,
  constraint sign_in_links_permission_known check (permission in ('read', 'write', 'admin')),
  constraint sign_in_links_account_given check ((account_id is null) = (permission = 'admin'))
);

create index sign_in_links_expires_at on sign_in_links (expires_at);

create table console_sessions (
  -- SHA-256 of the token in the cookie, which is stored nowhere.
  session_hash bytea primary key,
  permission text not null,
  -- Of admin_keys, if the permission is admin, else of api_keys.
  key_id uuid not null,
  -- The key itself, which can be read with the cookie's token only.
  sealed_key text not null,
  -- Whether the key was made for this session, and ends with it.
  is_own_key boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  constraint console_sessions_permission_known check (permission in ('read', 'write', 'admin'))
);

create index console_sessions_expires_at on console_sessions (expires_at);

-- Finds the sessions of a key, which end together.
create index console_sessions_key_id on console_sessions (key_id);
