-- name: find_durability
-- why: whether a commit of this session survives a crash of the server, of its machine, or a failover
-- returns synchronous_commit text, fsync text, full_page_writes text, standby_names text
select
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('fsync') as fsync,
  current_setting('full_page_writes') as full_page_writes,
  current_setting('synchronous_standby_names') as standby_names
