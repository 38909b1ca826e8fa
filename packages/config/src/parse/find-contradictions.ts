import { FLOORS } from '../sections/runtime.js';
import { isLoopbackUrl } from '../values/is-loopback-url.js';
import { showValue } from '../values/show-value.js';
import { findRepoContradictions } from './find-repo-contradictions.js';
import { type Contradiction, notAllowed } from './finding.js';
import type { Draft } from './read-draft.js';

export function findContradictions(
  draft: Draft,
  surroundings: { redisPasswordGiven: boolean },
): Contradiction[] {
  return [
    ...findHaste(draft),
    ...findLongSilence(draft),
    ...findMissingCommand(draft),
    ...findOpenRedis(draft, surroundings.redisPasswordGiven),
    ...findUnreachableCaps(draft),
    ...findReviewModelWithoutModel(draft),
    ...findRepoContradictions(draft),
  ];
}

function findHaste({ runtime, github }: Draft): Contradiction[] {
  if (isLoopbackUrl(github.apiUrl)) return [];
  const involves = ['github.api_url'];
  const checks = [
    ['runtime.poll_interval_seconds', runtime.pollIntervalSeconds, FLOORS.pollIntervalSeconds],
    ['runtime.visibility_window_seconds', runtime.visibilityWindowSeconds, FLOORS.visibilityWindowSeconds],
    ['runtime.write_spacing_seconds', runtime.writeSpacingSeconds, FLOORS.writeSpacingSeconds],
  ] as const;
  return checks
    .filter(([, value, floor]) => value < floor)
    .map(([path, value, floor]) => ({
      path,
      message: notAllowed(
        String(value),
        `at least ${floor}, because github.api_url is not a loopback address`,
      ),
      involves,
    }));
}

function findLongSilence({ agent }: Draft): Contradiction[] {
  if (agent.silenceSeconds <= agent.timeoutSeconds) return [];
  const message = notAllowed(
    String(agent.silenceSeconds),
    `at most agent.timeout_seconds, which is ${agent.timeoutSeconds}`,
  );
  return [{ path: 'agent.silence_seconds', message, involves: ['agent.timeout_seconds'] }];
}

function findMissingCommand({ agent, review, repos, command }: Draft): Contradiction[] {
  if (command.argv !== undefined) return [];
  const choices = [
    { path: 'agent.adapter', adapter: agent.adapter },
    { path: 'review.agent', adapter: review.agent },
    ...repos.map(({ path, table }) => ({ path: `${path}.agent_adapter`, adapter: table.agentAdapter })),
  ];
  const users = choices.filter(({ adapter }) => adapter === 'command').map(({ path }) => path);
  if (users.length === 0) return [];
  const message = `is missing; needed, because ${users.join(' and ')} is "command": the program and its arguments`;
  return [{ path: 'command.argv', message, involves: users }];
}

function findOpenRedis({ redis }: Draft, redisPasswordGiven: boolean): Contradiction[] {
  const local = redis.url?.startsWith('unix:') || (redis.url !== undefined && isLoopbackUrl(redis.url));
  if (redis.url === undefined || redis.allowInsecure || redisPasswordGiven || local) return [];
  const message = notAllowed(
    showValue(redis.url),
    'a loopback host, or a password in the environment variable MERGEXO_REDIS_PASSWORD, or allow_insecure = true',
  );
  return [{ path: 'redis.url', message, involves: ['redis.allow_insecure'] }];
}

function findUnreachableCaps({ limits }: Draft): Contradiction[] {
  const pairs = [
    ['max_tokens_per_run', limits.maxTokensPerRun, 'max_tokens_per_day', limits.maxTokensPerDay],
    ['max_cost_usd_per_run', limits.maxCostUsdPerRun, 'max_cost_usd_per_day', limits.maxCostUsdPerDay],
  ] as const;
  return pairs.flatMap(([runKey, perRun, dayKey, perDay]) => {
    if (perRun === undefined || perDay === undefined || perRun <= perDay) return [];
    const message = notAllowed(String(perRun), `at most limits.${dayKey}, which is ${perDay}`);
    return [{ path: `limits.${runKey}`, message, involves: [`limits.${dayKey}`] }];
  });
}

function findReviewModelWithoutModel({ review }: Draft): Contradiction[] {
  if (review.model === undefined || review.agent !== 'command') return [];
  const message = notAllowed(showValue(review.model), 'no value, because review.agent is "command"');
  return [{ path: 'review.model', message, involves: ['review.agent'] }];
}
