// Bundled alone: it is large, and only a service that shares a database loads it.
export { PgBoss } from 'pg-boss';
