-- A word, or all words that begin with it, as a query. Nothing in it is interpreted as an operator.
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
