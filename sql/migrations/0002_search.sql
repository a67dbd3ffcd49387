-- Search over listed feeds, and the order and size of the catalog.
--
-- A feed is listed while it is active and public. All that follows is kept by the database itself, and
-- none of it costs a push anything: the generated columns and the triggers depend only on columns that
-- a push leaves alone. For the same reason `feeds` must never get a `before update` row trigger: with
-- one, PostgreSQL computes every generated column anew at every update.

-- Lower case, without accents and apostrophes, one space between words, CJK characters apart (they
-- are written without spaces). The ranges are spelt out, since classes depend on the locale.
create function search_plain(raw text)
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
            regexp_replace(normalize(raw, NFKD), '[\u0300-\u036f''\u2019]', '', 'g'),
            NFC
          )),
          '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])', ' \1 ', 'g'
        ),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+', ' ', 'g'
      ))
  end;
end;

-- camelCase and ABCWords taken apart.
create function search_split(raw text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select regexp_replace(
    regexp_replace(raw, '([a-z0-9])([A-Z])', '\1 \2', 'g'),
    '([A-Z])([A-Z][a-z])', '\1 \2', 'g'
  );
end;

-- A name without its spaces: what close names are compared by.
create function search_key(raw text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select replace(search_plain(raw), ' ', '');
end;

-- Every two neighbouring words joined, and all of them: "open liga db" gives openliga, ligadb and
-- openligadb, so that words typed together or apart find each other.
create function search_joined(plain text)
returns text
language sql
immutable
strict
parallel safe
begin atomic
  select concat_ws(
    ' ',
    (
      select string_agg(words[place] || words[place + 1], ' ' order by place)
      from generate_series(1, least(array_length(words, 1) - 1, 40)) as place
    ),
    array_to_string(words, '')
  )
  from string_to_array(plain, ' ') as words;
end;

-- The property names of a JSON Schema, at any depth, as text.
create function search_properties(schema json)
returns text
language plpgsql
immutable
strict
parallel safe
-- A dump that is restored computes the columns anew, without a search path.
set search_path from current
as $$
begin
  return (
    select string_agg(name, ' ' order by name)
    from (
      select distinct key #>> '{}' as name
      from jsonb_path_query(
        schema::jsonb,
        '$.**.properties ? (@.type() == "object").keyvalue().key',
        silent => true
      ) as key
      order by name
      limit 500
    ) as names
  );
exception when others then
  -- What jsonb can't hold has no searchable names; it must not refuse the feed.
  return null;
end
$$;

-- The weighted words of a feed but those of its readme: name A, description and category B, schema
-- property names C. "@" marks the words of the name once more, "#" those of the category and "=" the
-- whole category, so that the index alone can tell who is named by a word, or filed under it.
create function search_head_of(name text, description text, category text, schema json)
returns tsvector
language plpgsql
immutable
parallel safe
set search_path from current
as $$
declare
  -- A word has at most 2,046 bytes, its mark included.
  mark_bytes_max constant integer := 2000;
  plain text := search_plain(name);
  parts text := search_plain(search_split(name));
  named tsvector := to_tsvector('english', plain);
  named_apart tsvector := to_tsvector('english', parts);
  filed tsvector := to_tsvector('english', coalesce(search_plain(category), ''));
  properties text := search_plain(search_split(search_properties(schema)));
begin
  named := named || to_tsvector('simple', search_joined(plain));
  if parts <> plain then
    named := named || named_apart || to_tsvector('simple', search_joined(parts));
  end if;
  return setweight(named, 'A')
    || setweight(to_tsvector('english', coalesce(search_plain(description), '')) || filed, 'B')
    || setweight(to_tsvector('english', coalesce(properties, '')), 'C')
    || array_to_tsvector(
      array(
        select '@' || word
        from unnest(tsvector_to_array(named_apart)) as word
        where octet_length(word) < mark_bytes_max
      )
      || array(
        select '#' || word
        from unnest(tsvector_to_array(filed)) as word
        where octet_length(word) < mark_bytes_max
      )
      || ('=' || lower(coalesce(category, 'uncategorized')))
    );
end
$$;

-- All the weighted words of a feed: those above, and its readme's as D.
create function search_words_of(
  name text,
  description text,
  category text,
  schema json,
  readme text
)
returns tsvector
language plpgsql
immutable
parallel safe
set search_path from current
as $$
declare
  head tsvector := search_head_of(name, description, category, schema);
begin
  if readme is null then
    return head;
  end if;
  return head || setweight(to_tsvector('english', search_plain(readme)), 'D');
exception when program_limit_exceeded then
  -- A tsvector holds 1 MB: of a readme with more different words than that, the beginning counts.
  return head
    || setweight(to_tsvector('english', left(search_plain(left(readme, 20000)), 20000)), 'D');
end
$$;

alter table feeds
  -- Null while the feed is not listed; else what the catalog is ordered by.
  add column listed_at timestamptz generated always as (
    case when status = 'active' and is_public then coalesce(published_at, created_at) end
  ) stored,
  add column search tsvector generated always as (
    search_words_of(name, description, category, schema_definition, readme_md)
  ) stored,
  -- What is ranked by, small enough to stay in the row where a readme's words do not.
  add column search_head tsvector generated always as (
    search_head_of(name, description, category, schema_definition)
  ) stored,
  add column name_key text generated always as (search_key(name)) stored;

create index feeds_search on feeds using gin (search) with (fastupdate = off)
where listed_at is not null;

create index feeds_catalog_order on feeds (listed_at desc, feed_id)
where listed_at is not null;

-- In how many listed feeds each word stands: what a word is worth in ranking, what a cut word may go
-- on to, and, through trigrams, what a mistyped one may have meant.
create table search_words (
  word text collate "C" primary key,
  feeds bigint not null
)
with (fillfactor = 70);

-- The catalog in order, cut into blocks: how many feeds stand from a block's start (newest first) up to
-- the next one's. Their sum is the catalog's exact total, and a page at any offset is found by adding
-- blocks instead of walking over feeds.
create table catalog_blocks (
  starts_at timestamptz not null,
  starts_with uuid not null,
  feeds integer not null,
  primary key (starts_at, starts_with),
  constraint catalog_blocks_feeds_not_negative check (feeds >= 0)
)
with (fillfactor = 50);

insert into catalog_blocks (starts_at, starts_with, feeds)
values ('infinity', '00000000-0000-0000-0000-000000000000', 0);

-- What the statement at work has changed, folded into the two tables above at its end: always empty
-- between statements.
create table listing_changes (
  feed_id uuid not null,
  listed_at timestamptz not null,
  search tsvector not null,
  feeds integer not null
);

create function note_listing_change()
returns trigger
language plpgsql
as $$
begin
  if tg_op <> 'INSERT' and old.listed_at is not null then
    insert into listing_changes (feed_id, listed_at, search, feeds)
    values (old.feed_id, old.listed_at, old.search, -1);
  end if;
  if tg_op <> 'DELETE' and new.listed_at is not null then
    insert into listing_changes (feed_id, listed_at, search, feeds)
    values (new.feed_id, new.listed_at, new.search, 1);
  end if;
  return null;
end
$$;

create function fold_listing_changes()
returns trigger
language plpgsql
as $$
begin
  perform fold_listing();
  return null;
end
$$;

create function forget_listing()
returns trigger
language plpgsql
as $$
begin
  truncate search_words, catalog_blocks, listing_changes;
  insert into catalog_blocks (starts_at, starts_with, feeds)
  values ('infinity', '00000000-0000-0000-0000-000000000000', 0);
  return null;
end
$$;

create trigger feeds_listing_inserted
after insert on feeds
for each row
when (new.listed_at is not null)
execute function note_listing_change();

create trigger feeds_listing_updated
after update of listed_at, search on feeds
for each row
when (
  old.listed_at is distinct from new.listed_at
  or (new.listed_at is not null and old.search is distinct from new.search)
)
execute function note_listing_change();

create trigger feeds_listing_deleted
after delete on feeds
for each row
when (old.listed_at is not null)
execute function note_listing_change();

create trigger feeds_listing_folded
after insert or delete or update of listed_at, search on feeds
for each statement
execute function fold_listing_changes();

create trigger feeds_listing_forgotten
after truncate on feeds
for each statement
execute function forget_listing();

-- Makes what needs pg_trgm, and tells whether it is there. Where the extension can't be had, search
-- works without tolerance for mistyped words; asking again after it was installed adds it.
create function ensure_trigram()
returns boolean
language plpgsql
as $$
begin
  if to_regproc('similarity') is null then
    begin
      create extension if not exists pg_trgm;
    exception when others then
      raise warning 'search runs without tolerance for typing errors, since pg_trgm is not to be had (%): have it installed with "create extension pg_trgm" and start again', sqlerrm;
    end;
  end if;
  if to_regproc('similarity') is null then
    return false;
  end if;
  if to_regclass('feeds_name_key_trigrams') is null then
    create index if not exists feeds_name_key_trigrams on feeds using gin (name_key gin_trgm_ops)
    with (fastupdate = off)
    where listed_at is not null;
  end if;
  if to_regclass('search_words_trigrams') is null then
    create index if not exists search_words_trigrams on search_words using gin (word gin_trgm_ops)
    with (fastupdate = off);
  end if;
  return true;
end
$$;

select ensure_trigram();
