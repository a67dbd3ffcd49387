-- wrk's part of `bench serve`: sends requests with a random path and a random key, and prints the figures as JSON.
-- wrk … -s load.lua URL -- KEYS_FILE PATHS_FILE SEED
-- A line of PATHS_FILE is a path to GET, or "path TAB headers, separated by | TAB body" to POST.
local heads, bodies, keys = {}, {}, {}
local random = math.random

function init(args)
  math.randomseed(tonumber(args[3]))
  for line in io.lines(args[1]) do
    keys[#keys + 1] = "X-Api-Key: " .. line .. "\r\n\r\n"
  end
  for line in io.lines(args[2]) do
    local path, headers, body = line:match("^(.-)\t(.-)\t(.*)$")
    local start = path and "POST " .. path or "GET " .. line
    local more = path and headers:gsub("|", "\r\n") .. "\r\nContent-Length: " .. #body .. "\r\n" or ""
    heads[#heads + 1] = start .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n" .. more
    bodies[#heads] = body or ""
  end
end

function request()
  local place = random(#heads)
  return heads[place] .. keys[random(#keys)] .. bodies[place]
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
