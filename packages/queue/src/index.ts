export { askLedger, findRedisTarget } from './ask-ledger.js';
export { checkRedis, type RedisReport } from './check-redis.js';
export { createRedis, describeTarget, parseRedisUrl, type RedisTarget } from './connect.js';
export {
  consumeTurns,
  type TurnConsumer,
  type TurnDelivery,
  type TurnOutcome,
} from './consume-turns.js';
export { readEndpoint } from './embedded-redis/endpoint.js';
export type { RedisKind } from './embedded-redis/order.js';
export {
  chooseRedisKind,
  type EmbeddedRedis,
  startEmbeddedRedis,
} from './embedded-redis/start-embedded-redis.js';
export { createLedgerClient, type LedgerClient } from './ledger-client.js';
export { type LedgerServer, serveLedger, type VerifiedMessage } from './serve-ledger.js';
export { createTurnQueue, DEFAULT_PREFIX, type QueuedTurn, type TurnQueue } from './turn-queue.js';
export { type RedisWatch, watchRedis } from './watch-redis.js';
