-- name: renew_function_set
-- why: a program that serves on stays among those that started last, so its functions are not dropped
-- $1 schema_name text
-- returns name text
update settings
set value = array_to_string(
  array_prepend($1, array_remove(string_to_array(value, ' '), $1)), ' '
)
where name = 'function_schemas'
  and split_part(value, ' ', 1) <> $1
returning name
