export { type CheckRun, type CiPolicy, hasFailed } from './check-run.js';
export { chooseFailures } from './choose-failures.js';
export { describeChecks } from './describe-checks.js';
export { type Annotation, type FailedJob, type FailureDetails, renderFailure } from './render-failure.js';
