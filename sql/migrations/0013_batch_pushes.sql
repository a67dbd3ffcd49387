-- What a batch remembers of its pushes.

-- The last push to it by its name; null where there was none since it was begun. One that nobody has
-- pushed to for a day was given up.
alter table batches add column pushed_at timestamptz;

-- MD5 of the ids of the push that finalized it, in their order: by it the same push is known when it comes
-- once more. Null where a program before this one finalized it.
alter table batches add column finalizing_ids text;
