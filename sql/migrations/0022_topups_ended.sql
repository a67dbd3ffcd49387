-- Finds the top-ups that were granted, or expired, in a range of days.

create index topups_ended_at on topups (ended_at) where ended_at is not null;
