-- Search folds letters that Unicode does not decompose, such as the ł of Łódź and the ß of Straße.

create or replace function search_plain(raw text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select case
    when octet_length(raw) = char_length(raw) then
      trim(both ' ' from regexp_replace(lower(replace(raw, '''', '')), '[^a-z0-9]+', ' ', 'g'))
    else
      trim(both ' ' from regexp_replace(
        regexp_replace(
          lower(normalize(
            -- Both cases, because what lower() knows depends on the locale.
            replace(replace(replace(replace(
              translate(
                regexp_replace(normalize(raw, NFKD), '[\u0300-\u036f''\u2019]', '', 'g'),
                'ŁłØøĐđÐðıĦħŦŧÆŒẞÞ',
                'llooddddihhttæœßþ'
              ),
              'æ', 'ae'), 'œ', 'oe'), 'ß', 'ss'), 'þ', 'th'),
            NFC
          )),
          '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])', ' \1 ', 'g'
        ),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'
      ))
  end;
end;

-- Computes the words of the feeds that have such a letter anew. In a schema it may be escaped.
update feeds
set name = feeds.name
from (
  select
    feed_id,
    schema_definition::text as schema,
    concat_ws(' ', name, description, category, readme_md, schema_definition::text) as words
  from feeds
  where deleted_at is null
) as texts
where feeds.feed_id = texts.feed_id
  and (
    texts.schema ~ '\\u'
    or (
      octet_length(texts.words) <> char_length(texts.words)
      and normalize(texts.words, NFKD) ~ '[ŁłØøĐđÐðıĦħŦŧÆæŒœßẞÞþ]'
    )
  );
