-- A feed that is no collection has no batch. Of one whose type was changed after a push without rows, exports and
-- metadata looked for its rows in the batch that it had as a collection.

update feeds
set current_batch = null
where current_batch is not null
  and feed_type is distinct from 'collection';
