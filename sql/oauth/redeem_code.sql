-- name: redeem_code
-- why: creates the key for a user's consent, once; a code that is presented again ends the key
-- :code_hash bytea
-- :client_id text
-- :redirect_uri text?
-- :challenge bytea
-- :code_age interval
-- :key_hash bytea
-- :key_start text
-- returns outcome text, seconds_left int?
select outcome, seconds_left
from redeem_code(
  presented_code => :code_hash,
  presented_client => :client_id,
  presented_address => :redirect_uri,
  presented_challenge => :challenge,
  code_age => :code_age,
  new_hash => :key_hash,
  new_start => :key_start
)
