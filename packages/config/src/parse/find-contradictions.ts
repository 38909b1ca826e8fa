import { FLOORS } from '../sections/runtime.js';
import { isLoopbackUrl } from '../values/is-loopback-url.js';
import { joinList } from '../values/join-list.js';
import { findRepoContradictions } from './find-repo-contradictions.js';
import { type Contradiction, contradict } from './finding.js';
import type { Draft } from './read-draft.js';

export function findContradictions(
  draft: Draft,
  surroundings: { redisPasswordGiven: boolean },
): Contradiction[] {
  return [
    ...findHaste(draft),
    ...findLongSilence(draft),
    ...findMissingCommand(draft),
    ...findOwnFallback(draft),
    ...findUnusedHosts(draft),
    ...findOpenRedis(draft, surroundings.redisPasswordGiven),
    ...findUnreachableCaps(draft),
    ...findReviewModelWithoutModel(draft),
    ...findPassedWebhook(draft),
    ...findSameApp(draft),
    ...findRepoContradictions(draft),
  ];
}

function findHaste({ runtime, github }: Draft): Contradiction[] {
  if (isLoopbackUrl(github.apiUrl)) return [];
  const checks = [
    ['runtime.poll_interval_seconds', runtime.pollIntervalSeconds, FLOORS.pollIntervalSeconds],
    ['runtime.visibility_window_seconds', runtime.visibilityWindowSeconds, FLOORS.visibilityWindowSeconds],
    ['runtime.write_spacing_seconds', runtime.writeSpacingSeconds, FLOORS.writeSpacingSeconds],
  ] as const;
  return checks
    .filter(([, value, floor]) => value < floor)
    .map(([path, value, floor]) => {
      const allowed = `at least ${floor}, because github.api_url is not a loopback address`;
      return contradict({ path, value, allowed, involves: ['github.api_url'] });
    });
}

function findLongSilence({ agent }: Draft): Contradiction[] {
  if (agent.silenceSeconds <= agent.timeoutSeconds) return [];
  const { silenceSeconds: value, timeoutSeconds } = agent;
  const allowed = `at most agent.timeout_seconds, which is ${timeoutSeconds}`;
  return [contradict({ path: 'agent.silence_seconds', value, allowed, involves: ['agent.timeout_seconds'] })];
}

function findMissingCommand({ agent, review, repos, command }: Draft): Contradiction[] {
  if (command.argv !== undefined) return [];
  const choices = [
    { path: 'agent.adapter', adapters: [agent.adapter] },
    { path: 'agent.fallback', adapters: agent.fallback },
    { path: 'review.agent', adapters: [review.agent] },
    { path: 'review.fallback', adapters: review.fallback ?? [] },
    ...repos.flatMap(({ path, table }) => [
      { path: `${path}.agent_adapter`, adapters: [table.agentAdapter] },
      { path: `${path}.agent_fallback`, adapters: table.agentFallback ?? [] },
    ]),
  ];
  const users = choices.filter(({ adapters }) => adapters.includes('command')).map(({ path }) => path);
  if (users.length === 0) return [];
  const message = `missing, but required because of "command" in ${joinList(users, 'and')}. Set it to the program and its arguments`;
  return [{ path: 'command.argv', message, involves: users }];
}

/** Rejects a fallback that is the agent itself, which could never take over. */
function findOwnFallback({ agent, review, repos }: Draft): Contradiction[] {
  const ofAgent = { path: 'agent.adapter', adapter: agent.adapter };
  const chains = [
    { of: ofAgent, path: 'agent.fallback', fallback: agent.fallback },
    {
      of: review.agent === undefined ? ofAgent : { path: 'review.agent', adapter: review.agent },
      path: 'review.fallback',
      fallback: review.fallback,
    },
    ...repos.map(({ path, table }) => ({
      of:
        table.agentAdapter === undefined
          ? ofAgent
          : { path: `${path}.agent_adapter`, adapter: table.agentAdapter },
      path: `${path}.agent_fallback`,
      fallback: table.agentFallback,
    })),
  ];
  return chains.flatMap(({ of, path, fallback }) => {
    if (fallback?.includes(of.adapter) !== true) return [];
    const allowed = `another agent, because ${of.path} is already "${of.adapter}"`;
    return [contradict({ path, value: of.adapter, allowed, involves: [of.path] })];
  });
}

/**
 * Rejects `allowed_hosts` if no setting uses it, because the operator expects the list to restrict or allow something.
 */
function findUnusedHosts({ sandbox }: Draft): Contradiction[] {
  const { network, setupNetwork, requiredTestsNetwork, allowedHosts: value } = sandbox;
  const isUsed = [network, setupNetwork, requiredTestsNetwork].includes('allow-list');
  if (value.length === 0 || isUsed) return [];
  const allowed =
    'an empty list, because none of sandbox.network, sandbox.setup_network and sandbox.required_tests_network is "allow-list"';
  const involves = ['sandbox.network', 'sandbox.setup_network', 'sandbox.required_tests_network'];
  return [contradict({ path: 'sandbox.allowed_hosts', value, allowed, involves })];
}

function findOpenRedis({ redis }: Draft, redisPasswordGiven: boolean): Contradiction[] {
  const local = redis.url?.startsWith('unix:') || (redis.url !== undefined && isLoopbackUrl(redis.url));
  if (redis.url === undefined || redis.allowInsecure || redisPasswordGiven || local) return [];
  const allowed =
    'a loopback host, a password in the environment variable MERGEXO_REDIS_PASSWORD, or allow_insecure = true';
  return [contradict({ path: 'redis.url', value: redis.url, allowed, involves: ['redis.allow_insecure'] })];
}

function findUnreachableCaps({ limits }: Draft): Contradiction[] {
  const pairs = [
    ['max_tokens_per_run', limits.maxTokensPerRun, 'max_tokens_per_day', limits.maxTokensPerDay],
    ['max_cost_usd_per_run', limits.maxCostUsdPerRun, 'max_cost_usd_per_day', limits.maxCostUsdPerDay],
  ] as const;
  return pairs.flatMap(([runKey, perRun, dayKey, perDay]) => {
    if (perRun === undefined || perDay === undefined || perRun <= perDay) return [];
    const allowed = `at most limits.${dayKey}, which is ${perDay}`;
    return [contradict({ path: `limits.${runKey}`, value: perRun, allowed, involves: [`limits.${dayKey}`] })];
  });
}

function findReviewModelWithoutModel({ review }: Draft): Contradiction[] {
  if (review.model === undefined || review.agent !== 'command') return [];
  const allowed = 'no value, because review.agent is "command"';
  return [contradict({ path: 'review.model', value: review.model, allowed, involves: ['review.agent'] })];
}

/** Rejects one App in both roles, because GitHub does not let an App approve its own pull requests. */
function findSameApp({ github, review }: Draft): Contradiction[] {
  const value = review.app?.clientId;
  if (value === undefined || value !== github.app?.clientId) return [];
  const allowed =
    'another App than github.app.client_id, because an App cannot approve its own pull requests';
  return [contradict({ path: 'review.app.client_id', value, allowed, involves: ['github.app.client_id'] })];
}

/** Rejects the address of the webhook in the environment of agents, who could then write to the channel. */
function findPassedWebhook({ agent, notify }: Draft): Contradiction[] {
  const { webhookEnv: value } = notify;
  if (value === undefined || !agent.passEnv.includes(value)) return [];
  const allowed = 'a variable that is not in agent.pass_env';
  return [contradict({ path: 'notify.webhook_env', value, allowed, involves: ['agent.pass_env'] })];
}
