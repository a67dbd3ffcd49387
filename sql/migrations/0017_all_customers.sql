-- Counts the distinct customers of all providers together, beside those of each: the scope whose id is all zeros.

insert into customer_days (scope_id, account_id, day)
select distinct '00000000-0000-0000-0000-000000000000'::uuid, account_id, day
from customer_days;

insert into customer_counts (scope_id, day, previous_day, accounts)
select '00000000-0000-0000-0000-000000000000'::uuid, day, previous_day, count(*)
from (
  select
    day,
    coalesce(lag(day) over (partition by account_id order by day), '-infinity') as previous_day
  from customer_days
  where scope_id = '00000000-0000-0000-0000-000000000000'
) as days
group by day, previous_day;
