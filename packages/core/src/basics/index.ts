export { toCanonicalJson } from './canonical-json.js';
export { createStop } from './create-stop.js';
export { explainError, USAGE_EXIT_CODE, UsageError } from './explain-error.js';
export { armFailpoint, FAILPOINTS, type Failpoint, failpoint, watchFailpoints } from './failpoint.js';
export { Failure, type FailureKind } from './failure.js';
export { describeHost, findApiUrl, GITHUB_TOKEN_VARIABLES, type GitHubHost } from './github-host.js';
export {
  HEARTBEAT_GRACE_MS,
  HEARTBEAT_MS,
  JOB_LOCK_MS,
  WORKER_HEARTBEAT_MS,
  WORKER_LEASE_MS,
} from './heartbeats.js';
export { computeHmac, isSameHmac } from './hmac.js';
export { isDeeperThan } from './is-deeper-than.js';
export { isLoopbackHost } from './is-loopback-host.js';
export type { Json } from './json.js';
export { type Log, silentLog } from './log.js';
export type { LogCode } from './log-code.js';
export { MERGEXO_CLI } from './mergexo-cli.js';
export { chooseProxy, NO_PROXY, type ProxySettings, readProxySettings } from './proxy.js';
export { isWithin, remainingWaitMs } from './wait.js';
