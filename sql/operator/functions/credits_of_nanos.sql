-- The values of an audit event, with money in the units of the API: credits, and USD per 1,000 calls. Multiplies,
-- because dividing numerics may round.
create or replace function credits_of_nanos(change json)
returns json
language sql
immutable
parallel safe
as $$
  select json_object_agg(
    case
      when name = 'call_price_nanos' then 'price_per_1k'
      when name like '%\_nanos' then regexp_replace(name, '_nanos$', '_credits')
      else name
    end,
    case
      when name = 'call_price_nanos'
        then to_json(trim_scale((value #>> '{}')::numeric * 0.000001))
      when name like '%\_nanos' then to_json(trim_scale((value #>> '{}')::numeric * 0.001))
      else value
    end
    order by place
  )
  from json_each(change) with ordinality as member (name, value, place)
$$;
