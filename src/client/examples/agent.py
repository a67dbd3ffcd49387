"""An agent that finds feeds, buys and reads them within a budget, and prints the first rows of each.

FEEDGATE_URL=https://feeds.example.com FEEDGATE_KEY=fg_read_… python3 agent.py "gold prices" 0.50

It needs the package requests.
"""

import json
import os
import sys
import time
import uuid

import requests

URL = os.environ.get("FEEDGATE_URL", "http://127.0.0.1:3000")
session = requests.Session()
session.headers["x-api-key"] = os.environ["FEEDGATE_KEY"]


def call(method, path, **options):
    """Returns a response's JSON. Waits as long as the gateway asks for, up to five times."""
    # With the same key, a repeated call is charged once.
    headers = {"Idempotency-Key": str(uuid.uuid4()), **options.pop("headers", {})}
    for _ in range(5):
        response = session.request(method, URL + path, headers=headers, timeout=60, **options)
        if response.status_code not in (429, 503):
            break
        time.sleep(float(response.headers.get("Retry-After", 1)))
    return response.json()


words = sys.argv[1] if len(sys.argv) > 1 else "gold prices"
usd = sys.argv[2] if len(sys.argv) > 2 else "1"
# Credits that may still be spent. A read may cost a part of one.
left = float(usd) * 1_000_000
for hit in call("GET", "/v1/search", params={"q": words, "limit": 5})["results"]:
    # Free, like the search: what the feed contains, and what it costs.
    feed = call("GET", f"/v1/feed/{hit['id']}/metadata")
    if feed["price_type"] == "one_time":
        # A feed that was bought before costs nothing. A higher price is refused.
        bought = call("POST", f"/v1/feed/{hit['id']}/purchase", json={"max_credits": int(left)})
        if "code" in bought:
            print(f"{hit['name']}: {bought['code']}: {bought['detail']}")
            continue
        left -= bought["_origin"]["credits_charged"]
    limit = {"Feedgate-Max-Credits": str(int(left))}
    page = call("GET", f"/v1/feed/{hit['id']}", params={"limit": 3}, headers=limit)
    if "code" in page:
        print(f"{hit['name']}: {page['code']}: {page['detail']}")
        continue
    left -= page["_origin"]["credits_charged"]
    print(f"{hit['name']}: {json.dumps(page['data'], separators=(',', ':'))}")
print(f"{int(left)} credits of the budget are left")
