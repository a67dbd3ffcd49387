-- One word, or all that begin with it, as a query; nothing in it is read as an operator.
create or replace function to_lexeme_query(word text, is_prefix boolean default false)
returns tsquery
language sql
immutable
parallel safe
as $$
  select (
    '''' || replace(replace(word, '\', '\\'), '''', '''''') || ''''
    || case when is_prefix then ':*' else '' end
  )::tsquery
$$;
