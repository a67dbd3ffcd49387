-- wrk's part of `bench serve`: each request with a random path and a random key, the figures as JSON.
-- wrk … -s load.lua URL -- KEYS_FILE PATHS_FILE SEED
local heads, keys = {}, {}
local random = math.random

function init(args)
  math.randomseed(tonumber(args[3]))
  for line in io.lines(args[1]) do
    keys[#keys + 1] = "X-Api-Key: " .. line .. "\r\n\r\n"
  end
  for line in io.lines(args[2]) do
    heads[#heads + 1] = "GET " .. line .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
  end
end

function request()
  return heads[random(#heads)] .. keys[random(#keys)]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"refused":%d,"failed":%d,"seconds":%f,"p50":%f,"p90":%f,"p99":%f,"max":%f}\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(90) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3
  ))
end
