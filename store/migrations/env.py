"""How Alembic runs the migrations: on the connection that database.py hands over, inside its transaction."""

from alembic import context

from store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
