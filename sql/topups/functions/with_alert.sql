-- The open alerts of a top-up, one per line, with another one added. None is lost or duplicated.
create or replace function with_alert(open_alerts text, told text)
returns text
language sql
immutable
as $$
  select case
    when told is null or told = any (string_to_array(open_alerts, E'\n')) then open_alerts
    else concat_ws(E'\n', open_alerts, told)
  end
$$;
