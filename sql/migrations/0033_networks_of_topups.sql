-- From which network a top-up was asked for, as far as that is known: what waits to be paid is bounded by it.

alter table topups add column network text;
