import type { z } from 'zod';
import { agent } from '../sections/agent.js';
import { claude } from '../sections/claude.js';
import { codex } from '../sections/codex.js';
import { command } from '../sections/command.js';
import { dashboard } from '../sections/dashboard.js';
import { github } from '../sections/github.js';
import { limits } from '../sections/limits.js';
import { redis } from '../sections/redis.js';
import { repo } from '../sections/repo.js';
import { review } from '../sections/review.js';
import { runtime } from '../sections/runtime.js';
import { scheduler } from '../sections/scheduler.js';
import type { Section } from '../sections/section.js';
import { showKey, showValue } from '../values/show-value.js';
import { isTable, type TomlTable } from '../values/toml-table.js';
import { describeUnknownKey } from './describe-unknown-key.js';
import { type Finding, notAllowed } from './finding.js';
import { type ReadTable, readTable } from './read-table.js';

/** The file's tables with their own defaults, before values of one section decide about another. */
export type Draft = ReturnType<typeof readDraft>['draft'];
export type RepoTable = ReadTable<typeof repo.shape>['table'];
export type RepoDraft = { id: string; path: string; table: RepoTable };

const NAMES = [
  ...[runtime, github, redis, agent, codex, claude, command, limits, scheduler, review, dashboard].map(
    ({ title }) => title,
  ),
  'repo',
];

/** Reads every section, whatever is wrong with the others. */
export function readDraft(raw: TomlTable, secrets: readonly Finding[]) {
  const findings = Object.keys(raw)
    .filter((key) => !NAMES.includes(key))
    .map((key) => describeUnknownKey({ path: '', key, known: NAMES }))
    .filter((finding) => !secrets.some((secret) => secret.path === finding.path));

  function read<Shape extends z.ZodRawShape>(section: Section<Shape>): ReadTable<Shape>['table'] {
    const { table, findings: found } = readTable(section, {
      path: section.title,
      value: raw[section.title],
      secrets,
    });
    findings.push(...found);
    return table;
  }

  const tables = {
    runtime: read(runtime),
    github: read(github),
    redis: read(redis),
    agent: read(agent),
    codex: read(codex),
    claude: read(claude),
    command: read(command),
    limits: read(limits),
    scheduler: read(scheduler),
    review: read(review),
    dashboard: read(dashboard),
  };
  const { repos, findings: found } = readRepos(raw['repo'], secrets);
  return { draft: { ...tables, repos }, findings: [...findings, ...found] };
}

const TABLE_PER_REPO = 'a table per repository, [repo.<id>], where <id> is a name that you choose';

function readRepos(value: unknown, secrets: readonly Finding[]): { repos: RepoDraft[]; findings: Finding[] } {
  if (value === undefined || (isTable(value) && Object.keys(value).length === 0)) {
    return {
      repos: [],
      findings: [{ path: 'repo', message: `is missing; needed: ${TABLE_PER_REPO}`, breaks: ['repo'] }],
    };
  }
  if (!isTable(value)) {
    const message = notAllowed(showValue(value), TABLE_PER_REPO);
    return { repos: [], findings: [{ path: 'repo', message, breaks: ['repo'] }] };
  }
  const findings: Finding[] = [];
  const repos = Object.keys(value).flatMap((id) => {
    const path = showKey('repo', id);
    if (!isTable(value[id])) {
      findings.push({ path, message: notAllowed(showValue(value[id]), TABLE_PER_REPO), breaks: [path] });
      return [];
    }
    findings.push(...checkId(id, path));
    const { table, findings: found } = readTable(repo, { path, value: value[id], secrets });
    findings.push(...found);
    return [{ id, path, table }];
  });
  return { repos, findings };
}

/** Ids become keys of maps elsewhere; names that every object already has are asking for trouble. */
function checkId(id: string, path: string): Finding[] {
  if (/^[A-Za-z\d][\w-]{0,39}$/.test(id) && !(id in {})) return [];
  const message =
    'is no usable id; allowed: 1 to 40 letters, digits, hyphens and underscores, beginning with a letter or digit, and no name that JavaScript reserves (constructor)';
  return [{ path, message, breaks: [] }];
}
