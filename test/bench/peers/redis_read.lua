-- Charges a read in Redis, in one step: a window of 60 seconds, the debit, and a line of the log.
-- ARGV: the key, the feed, the limit of a window. Returns the status of the response, and the line's id.
local account = redis.call("HGET", "keys", ARGV[1])
if not account then return { 403 } end
local price = redis.call("HGET", "prices", ARGV[2])
if not price then return { 404 } end
local window = "window:" .. account .. ":" .. ARGV[2]
local reads = redis.call("INCR", window)
if reads == 1 then redis.call("EXPIRE", window, 60) end
if reads > tonumber(ARGV[3]) then return { 429 } end
if tonumber(redis.call("HGET", "balances", account)) < tonumber(price) then return { 402 } end
redis.call("HINCRBY", "balances", account, -price)
return { 200, redis.call("XADD", "usage", "*", "account", account, "feed", ARGV[2], "charge", price) }
