import { isLoopbackUrl } from '../values/is-loopback-url.js';
import { showValue } from '../values/show-value.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { type Contradiction, contradict } from './finding.js';
import type { Draft, RepoDraft } from './read-draft.js';
import { readLabels } from './read-labels.js';

export function findRepoContradictions(draft: Draft): Contradiction[] {
  return [
    ...findSameRepository(draft.repos),
    ...draft.repos.flatMap((repo) => [
      ...findSameLabels(repo, draft),
      ...findOwnBranchAsBase(repo),
      ...findForeignRemote(repo),
      ...findLocalRemote(repo, draft),
      ...findModelWithoutModel(repo, draft),
    ]),
  ];
}

function findSameRepository(repos: readonly RepoDraft[]): Contradiction[] {
  const first = new Map<string, RepoDraft>();
  return repos.flatMap((repo) => {
    const fullName = `${repo.table.owner}/${repo.table.name}`;
    const earlier = first.get(fullName.toLowerCase());
    if (earlier === undefined) {
      first.set(fullName.toLowerCase(), repo);
      return [];
    }
    const message = `configures ${showValue(fullName)}, which [${earlier.path}] already configures. Use one table per repository`;
    const involves = [earlier, repo].flatMap(({ path }) => [`${path}.owner`, `${path}.name`]);
    return [{ path: repo.path, message, involves }];
  });
}

/** Finds labels that are configured twice. Ignores case, as GitHub does. */
function findSameLabels({ path, table }: RepoDraft, { review }: Draft): Contradiction[] {
  const labels = [
    ['review.escalation_label', review.escalationLabel] as const,
    ...Object.entries(readLabels(table)).map(
      ([key, label]) => [`${path}.${toTomlKey(`${key}Label`)}`, label] as const,
    ),
  ];
  const first = new Map<string, string>();
  return labels.flatMap(([at, label]) => {
    const earlier = first.get(label.toLowerCase());
    if (earlier === undefined) {
      first.set(label.toLowerCase(), at);
      return [];
    }
    const allowed = `a different label than ${earlier}`;
    return [contradict({ path: at, value: label, allowed, involves: [earlier] })];
  });
}

function findOwnBranchAsBase({ path, table }: RepoDraft): Contradiction[] {
  if (!table.defaultBranch.startsWith('agent/')) return [];
  const allowed = "a branch outside agent/, which is reserved for MergeXO's branches";
  return [contradict({ path: `${path}.default_branch`, value: table.defaultBranch, allowed, involves: [] })];
}

/** Rejects the remote of another repository, because pushes must go where MergeXO opens its pull requests. */
function findForeignRemote({ path, table }: RepoDraft): Contradiction[] {
  const { remoteUrl: url, owner, name } = table;
  if (url === undefined || url.startsWith('file:')) return [];
  const location = url
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/i, '')
    .toLowerCase();
  const wanted = `${owner}/${name}`.toLowerCase();
  if (location.endsWith(`/${wanted}`) || location.endsWith(`:${wanted}`)) return [];
  const allowed = `a URL that ends with ${owner}/${name}.git`;
  const involves = [`${path}.owner`, `${path}.name`];
  return [contradict({ path: `${path}.remote_url`, value: url, allowed, involves })];
}

function findLocalRemote({ path, table }: RepoDraft, { github }: Draft): Contradiction[] {
  const url = table.remoteUrl;
  if (url === undefined || !/^(?:file|http):/.test(url) || isLoopbackUrl(github.apiUrl)) return [];
  const allowed = 'https:// or ssh, because github.api_url is not a loopback address';
  return [contradict({ path: `${path}.remote_url`, value: url, allowed, involves: ['github.api_url'] })];
}

function findModelWithoutModel({ path, table }: RepoDraft, { agent }: Draft): Contradiction[] {
  const [at, adapter] =
    table.agentAdapter === undefined
      ? ['agent.adapter', agent.adapter]
      : [`${path}.agent_adapter`, table.agentAdapter];
  if (table.agentModel === undefined || adapter !== 'command') return [];
  const allowed = `no value, because ${at} is "command"`;
  const involves = [at, `${path}.agent_adapter`];
  return [contradict({ path: `${path}.agent_model`, value: table.agentModel, allowed, involves })];
}
