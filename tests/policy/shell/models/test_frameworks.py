import pytest

from hermes.policy.paths.places import Places
from hermes.policy.shell.state import Place
from hermes.policy.shell.understanding import understand

PLACE = Place("/home/dev/app", Places(("/home/dev/app",), "/home/dev", "/home/dev/.hermes"))

HARMLESS = [
    "rails routes",
    "rails db:migrate",
    "rails db:migrate:status",
    "rails runner 'puts User.count'",
    "rails generate migration X",
    "rails test",
    "rake test",
    "rake -T",
    "rake spec",
    "manage.py migrate",
    "manage.py makemigrations shop",
    "manage.py test",
    "manage.py shell -c 'from shop.models import Item; print(Item.objects.count())'",
    "manage.py runserver",
    "alembic upgrade head",
    "alembic current",
    "alembic revision --autogenerate -m x",
    "flask run",
    "flask db upgrade",
    "flyway info",
    "liquibase status",
    "prisma migrate dev --name x",
    "prisma generate",
    "prisma migrate status",
    "npx prisma db push",
    "knex migrate:latest",
    "artisan migrate",
    "artisan tinker --execute='echo 1;'",
    "mix ecto.migrate",
    "mix test",
    "diesel migration run",
    "sqlx migrate run",
    "goose up",
    "dbmate up",
    "supabase start",
    "supabase status",
    "atlas migrate diff x",
    "drizzle-kit generate",
    "dbt run",
    "dbt test",
]
DANGEROUS = [
    ("rails db:drop", "database"),
    ("rails db:drop db:create", "database"),
    ("rake db:schema:load", "database"),
    ("rake db:reset", "database"),
    ("bundle exec rake db:drop", "database"),
    ("rails db:rollback", "database"),
    ("rails runner 'User.delete_all'", "database"),
    ("rails credentials:show", "exfiltration"),
    ("rake release", "publish"),
    ("rake deploy", "publish"),
    ("manage.py flush --noinput", "database"),
    ("manage.py migrate app zero", "database"),
    ("django-admin flush", "database"),
    ("manage.py reset_db", "database"),
    ("alembic downgrade base", "database"),
    ("alembic downgrade -1", "database"),
    ("flask db downgrade", "database"),
    ("flyway clean", "database"),
    ("flyway -url=x clean", "database"),
    ("liquibase dropAll", "database"),
    ("prisma migrate reset --force", "database"),
    ("npx prisma db push --force-reset", "database"),
    ("npx prisma db push --accept-data-loss", "database"),
    ("knex migrate:rollback --all", "database"),
    ("sequelize db:drop", "database"),
    ("npx sequelize-cli db:migrate:undo:all", "database"),
    ("typeorm schema:drop", "database"),
    ("artisan migrate:fresh --seed", "database"),
    ("artisan db:wipe", "database"),
    ("mix ecto.drop", "database"),
    ("mix ecto.reset", "database"),
    ("mix do ecto.drop, ecto.create", "database"),
    ("diesel database reset", "database"),
    ("sqlx database drop -y", "database"),
    ("goose reset", "database"),
    ("migrate -path x -database y drop -f", "database"),
    ("dbmate drop", "database"),
    ("supabase db reset", "database"),
    ("atlas schema clean -u x", "database"),
    ("hasura metadata clear", "database"),
    ("console doctrine:database:drop --force", "database"),
    ("wp db reset --yes", "database"),
    ("drush sql-drop", "database"),
    ("airflow db reset", "database"),
    ("knex --env production migrate:latest", "database"),
]


@pytest.mark.parametrize("command", HARMLESS)
def test_frameworks_in_everyday_use_asks_nothing(command):
    assert understand(command, PLACE).findings == ()


@pytest.mark.parametrize(("command", "category"), DANGEROUS)
def test_frameworks_says_what_is_dangerous(command, category):
    findings = understand(command, PLACE).findings

    assert category in {finding.category for finding in findings}
