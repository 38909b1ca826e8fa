export { describeHealth, formatSince, type Health, type HealthProblem } from './describe-health.js';
export {
  HEALTH_CODES,
  type HealthCode,
  type HealthReport,
  type HealthSubject,
  POLLER_HEARTBEAT_MS,
} from './health.js';
