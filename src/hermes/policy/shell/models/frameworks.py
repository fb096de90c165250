"""Describe the database tasks of web frameworks and migration tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect, danger
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.databases_queries import piped
from hermes.policy.shell.models.scripts_named import task
from hermes.policy.shell.models.surroundings import environment, is_live, is_passing, loses
from hermes.policy.shell.models.words import words

_EVERY_ROW = re.compile(
    r"\b(?:update_all|delete_all|destroy_all|truncate_all)\b|::truncate\(|\.truncate\b"
    r"|::(?:query\(\)->)?delete\(|\.all\(\)\.(?:delete|update)\("
)
_UNDOING = re.compile(
    r"(?:^|:)(?:downgrade|backwards|rollback|revert|undo(?::all)?|reset|fresh|drop|down)$"
)
_RAKE_LOSES = words(
    """
    db:drop db:drop:all db:reset db:purge db:purge:all db:schema:load db:structure:load
    db:migrate:reset db:migrate:down db:migrate:redo db:rollback db:truncate_all
    db:seed:replant db:setup db:environment:set db:fixtures:load db:schema:load:primary
    """
)
_RAKE_CHANGES = words("db:migrate db:migrate:up db:seed db:prepare db:create")
_RAKE_SHOWS = words("credentials:show credentials:edit secrets:show secrets:edit encrypted:show")
_MIX_LOSES = words("ecto.drop ecto.reset ecto.rollback ecto.load ash.reset ash_postgres.drop")
_MIX_CHANGES = words("ecto.migrate ecto.setup ecto.create")


def _named(call: Call, loses: tuple[str, ...], changes: tuple[str, ...]) -> Iterator[Effect]:
    """Yield what the tasks of a framework lose, or change where people depend on it."""
    where = environment(call)
    for word in call.operands:
        name = word.partition("[")[0].rstrip(",").removesuffix(":_unsafe")
        if name in loses and not is_passing(where):
            yield danger("database", f"runs {name}, which loses data")
        elif name in changes and (is_live(where) or "VERSION=0" in call.operands):
            yield danger("database", f"runs {name} in production or from nothing")


def rails(call: Call) -> Iterator[Effect]:
    """Yield what tasks of Rails and Rake do."""
    yield from _named(call, _RAKE_LOSES, _RAKE_CHANGES)
    for word in call.operands:
        if word in _RAKE_SHOWS:
            yield danger("exfiltration", "shows the application's secrets")
        elif not word.startswith("db:") and "=" not in word and call.name == "rake":
            yield from task(word)
    if call.operands[:1] in (("console",), ("c",), ("dbconsole",)) and is_live(environment(call)):
        yield danger("database", "opens a console on what people depend on")
    if call.operands[:1] in (("dbconsole",), ("db",)):
        yield from piped(call, "sql", environment(call))
    if call.operands[:1] in (("console",), ("c",)) and call.piped.text:
        yield from _inline(call, "ruby", ".rb", ("-",))
    if call.name == "rails" and call.operands[:1] in (("runner",), ("r",)):
        yield from _inline(call, "ruby", ".rb", call.operands[1:2])


def _inline(call: Call, language: str, ending: str, codes: tuple[str, ...]) -> Iterator[Effect]:
    """Yield the code that a framework is given to run inside the application."""
    for code in codes:
        if _EVERY_ROW.search(code):
            yield danger("database", "changes or deletes every record of a model")
        if code.endswith(ending):
            yield Effect("script", code)
        elif code != "-":
            yield Effect("code", code, what=language)
        elif call.piped.text:
            if _EVERY_ROW.search(call.piped.text):
                yield danger("database", "changes or deletes every record of a model")
            yield Effect("code", call.piped.text, what=language)


def _django(call: Call) -> Iterator[Effect]:
    where = environment(call)
    verb = call.operands[0] if call.operands else ""
    if verb in ("flush", "reset_db") and not is_passing(where):
        yield danger("database", f"runs {verb}, which empties the database")
    elif verb == "migrate" and call.operands[-1:] == ("zero",):
        yield danger("database", "undoes every migration, which drops tables")
    elif re.match(r"(?:delete|drop|purge|wipe|truncate|reset|remove_stale)_|sqlflush$", verb):
        yield danger("database", f"runs {verb}, which deletes data")
    elif verb in ("migrate", "loaddata", "createsuperuser") and is_live(where):
        yield danger("database", f"runs {verb} in production")
    elif verb == "shell":
        codes = call.values("-c", "--command")
        yield from _inline(call, "python", ".py", codes or ("-",))
    elif verb == "dbshell":
        yield from piped(call, "sql", where)


def _artisan(call: Call) -> Iterator[Effect]:
    where = environment(call)
    verb = call.operands[0] if call.operands else ""
    loses = (
        "migrate:fresh", "migrate:refresh", "migrate:reset", "migrate:rollback", "db:wipe",
        "queue:flush", "queue:clear", "queue:prune-failed", "model:prune", "horizon:clear",
        "telescope:clear", "passport:purge",
    )  # fmt: skip
    if verb in loses and not is_passing(where):
        yield danger("database", f"runs {verb}, which loses data")
    elif verb in ("migrate", "db:seed") and (is_live(where) or call.has("--force")):
        yield danger("database", f"runs {verb} in production")
    elif verb == "down":
        yield danger("service", "takes the application offline")
    elif verb == "env:decrypt":
        yield danger("exfiltration", "decrypts the application's secrets")
    elif verb == "key:generate" and call.has("--force"):
        yield danger("delete", "replaces the key that the application's data is encrypted with")
    elif verb == "tinker":
        yield from _inline(call, "php", ".php", call.values("--execute") or ("-",))


def _prisma(call: Call) -> Iterator[Effect]:
    where = environment(call)
    two = call.operands[:2]
    if two == ("migrate", "reset") and not is_passing(where):
        yield danger("database", "drops the database and applies every migration again")
    elif two == ("db", "push") and call.has("--force-reset", "--accept-data-loss"):
        yield danger("database", "changes the database though data is lost")
    elif two == ("db", "execute"):
        yield from piped(call, "sql", where)
        if any(loses(file) for file in call.values("--file")):
            yield danger("database", f"runs {call.value('--file')}, which loses data by its name")
    elif two == ("migrate", "resolve"):
        yield danger("database", "changes what the database believes was migrated")
    elif two == ("migrate", "deploy") and not is_passing(where):
        yield danger("database", "migrates the deployed database")


def _mixed(call: Call) -> Iterator[Effect]:
    yield from _named(call, _MIX_LOSES, _MIX_CHANGES)


def _migrations(call: Call) -> Iterator[Effect]:
    """Yield the danger of migrations that are undone, or applied where people depend on them."""
    where = environment(call)
    if call.name == "flask" and call.operands[:1] == ("shell",):
        yield from _inline(call, "python", ".py", ("-",))
    for word in call.operands[:4]:
        if not is_passing(where) and _UNDOING.search(word):
            yield danger("database", f"{call.name} {word} may lose data of the database")
    if is_live(where) and any(
        word in ("up", "upgrade", "migrate", "update", "apply", "run", "migrate:latest")
        for word in call.operands
    ):
        yield danger("database", f"migrates the database of {where}")


_MIGRATION = Program(
    dry="--sql",
    values="-e --env --environment -c --config -d --dir -x --url --database-url --database -path"
    " -n --name --source -u --knexfile --cwd --dataSource --target -t",
    handler=_migrations,
)

PROGRAMS = {
    "rake": Program(
        values="-f --rakefile -I -r --require -C",
        options={"-e|--execute|-E": "code:ruby"},
        dry="-n -T --tasks -D --describe -P --prereqs -W --where",
        handler=rails,
    ),
    "mix": Program(values="-e --eval -r -S", handler=_mixed),
    "rails": Program(values="-e --environment -c --config", handler=rails),
    "manage.py|django-admin|django-admin.py": Program(
        values="--settings --pythonpath --database -c --command -v --verbosity", handler=_django
    ),
    "artisan": Program(
        values="--env --database --path --execute", dry="--pretend", handler=_artisan
    ),
    "ace": _MIGRATION,
    "prisma": Program(values="--schema --name", options={"--file": "read"}, handler=_prisma),
    "alembic|flask|flyway|liquibase|knex|sequelize|sequelize-cli|typeorm|drizzle-kit": _MIGRATION,
    "diesel|sqlx|sea-orm-cli|goose|migrate|dbmate|sql-migrate|refinery|tern|yoyo": _MIGRATION,
    "mikro-orm|node-pg-migrate|db-migrate|umzug|migrate-mongo|phinx|atlas|hasura": _MIGRATION,
    "doctrine|console|symfony|wp|drush|occ|dbt|airflow|superset|aerich|piccolo": _MIGRATION,
    "soda|migratus|gorp": _MIGRATION,
    "sequel": Program(values="-m -M -e -l -I"),
    "directus|strapi|payload|keystone|medusa|nocodb|wasp|redwood|rw": Program(),
    "ent|bytebase|sqitch|squawk|skeema|gh-ost|pt-online-schema-change": Program(),
    "pt-archiver|pt-kill": Program(),
}

RULES = """
django-admin|manage.py changepassword|createsuperuser|drop_* \
    => database: changes the application's users or data
django-admin|manage.py clear_cache|clearsessions --all => database: deletes data
alembic downgrade            => database: undoes migrations, which may drop tables
alembic stamp                => database: changes what the database believes was migrated
flask db downgrade|stamp     => database: undoes migrations, which may drop tables
flask drop-db|drop_db|init-db|reset-db|db-drop|db-reset => database: drops or empties tables
flyway ... clean|undo|repair|baseline => database: empties the database or its history
liquibase ... dropAll|drop-all|rollback*|clearCheckSums|changelogSync|changelog-sync \
    => database: undoes or drops what is in the database
knex migrate:rollback|migrate:down|migrate:unlock => database: undoes migrations
sequelize|sequelize-cli db:drop|db:migrate:undo|db:migrate:undo:all|db:seed:undo|db:seed:undo:all \
    => database: drops or undoes what is in the database
typeorm schema:drop|migration:revert|schema:sync|cache:clear \
    => database: drops or undoes what is in the database
drizzle-kit drop             => database: drops a migration
drizzle-kit push --force     => database: changes the database though data is lost
mikro-orm schema:drop|schema:fresh|migration:down|migration:fresh|database:* \
    => database: drops what is in the database
node-pg-migrate|db-migrate|migrate-mongo|umzug|yoyo|tern down|rollback|reset|redo|reapply \
    => database: undoes migrations
db-migrate db:drop           => database: drops {}
diesel database reset|drop   => database: drops the database
diesel migration revert|redo => database: undoes migrations
sqlx database drop|reset     => database: drops the database
sqlx migrate revert          => database: undoes migrations
cargo sqlx database drop|reset => database: drops the database
sea-orm-cli migrate fresh|refresh|reset|down => database: drops or undoes what is in the database
goose ... down|down-to|reset|redo => database: undoes migrations
migrate ... down|drop|force|goto => database: drops or undoes what is in the database
dbmate ... drop|down|rollback => database: drops or undoes what is in the database
sql-migrate|refinery down|redo => database: undoes migrations
phinx rollback|seed:run      => database: undoes migrations or overwrites data
atlas schema clean|apply     => database: changes the database at once, which may lose data
atlas migrate down|set       => database: undoes migrations
atlas clusters|projects|organizations delete|pause|create|update => infrastructure: changes {}
atlas backups|dbusers|accessLists|deployments delete|pause|create|update \
    => infrastructure: changes {}
hasura migrate delete|squash => database: deletes migrations
hasura migrate apply --down|--type=down => database: undoes migrations
hasura metadata clear|apply|reload|drop => database: changes what the server shows
supabase db reset|push       => database: resets or changes the database
supabase link|login|logout|unlink => persistence: changes the stored login
supabase projects|branches|orgs delete|create|set|unset|deploy|update|rm \
    => infrastructure: changes {}
supabase secrets|functions|storage|domains delete|create|set|unset|deploy|update|rm \
    => infrastructure: changes {}
supabase migration repair|squash|down => database: changes the record of migrations
doctrine|console|symfony ... doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load \
    => database: drops or overwrites what is in the database
doctrine|console ... orm:schema-tool:drop|d:d:d|d:s:d|doctrine:schema:update \
    => database: changes the database
wp db reset|drop|clean|import|query => database: drops or overwrites the site's database
wp site|post|user|comment|term|option|plugin|theme|core delete|empty|update|install|uninstall \
    => database: changes the site: {}
wp search-replace            => database: rewrites the site's database
drush sql-drop|sql:drop|site-install|site:install|si|sql-sync|sql:sync|entity:delete|user:cancel \
    => database: drops or overwrites the site's database
dbt run|build|seed|snapshot --full-refresh|--target=prod*|-t=prod* \
    => database: rebuilds tables of the warehouse
dbt run-operation            => database: runs {} in the warehouse
airflow db reset|clean|downgrade|drop-archived => database: empties the scheduler's database
airflow dags|pools|users|connections|variables|roles delete|trigger|backfill|import|create|set \
    => infrastructure: changes what the scheduler runs: {}
airflow tasks clear|run      => infrastructure: runs tasks again
airflow connections|variables export|get => exfiltration: shows stored connections
aerich downgrade             => database: undoes migrations
tern migrate -d|--destination => database: moves the database to another migration
sequel -M=0 => database: undoes every migration
clj|clojure|lein ... down|rollback|reset => database: undoes migrations
sqitch revert|rebase         => database: undoes migrations
skeema push                  => database: changes the database
gh-ost --execute             => database: changes a table
pt-online-schema-change --execute => database: changes a table
pt-archiver --purge          => database: deletes rows
pt-kill --kill|--kill-query  => database: ends sessions of the database
strapi|directus transfer|import|schema --force|--to|--yes => database: overwrites the data
rw|redwood|wasp prisma|db migrate|reset|push reset|--force => database: drops the database
wasp db reset|clean          => database: drops the database
"""
