export { createState, openState, type State } from './create-state.js';
export { holdLock, type Lock, type LockHolder } from './hold-lock.js';
export type { Lease } from './leases.js';
export { type Database, openDatabase, openDatabaseReadOnly } from './open-database.js';
export type { Repository } from './repositories.js';
