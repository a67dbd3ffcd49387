-- Finds the events of the audit trail that are older than it is kept.
create index audit_events_happened_at on audit_events (happened_at);
