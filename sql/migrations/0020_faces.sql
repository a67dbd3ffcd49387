-- Through which face something was done. Null: the database's own user did it, or it was done before faces were noted.

alter table audit_events
add column face text,
add constraint audit_events_face_known check (face in ('shell', 'api', 'console'));

-- By a default, so that every trigger and function that writes the trail notes it.
alter table audit_events
alter column face set default nullif(current_setting('feedgate.face', true), '');
