-- Refunds of a payment by card are counted one by one, because one that has failed makes room for another. Beside them
-- stands the total of the charge (source: refunds), whose rank is the time of the message. Of a refund that has failed,
-- or was canceled, that time is the rank, too, and ended_nanos is what it was to give back.

alter table topup_take_backs
  alter column rank type bigint,
  add column ended_nanos bigint not null default 0;
