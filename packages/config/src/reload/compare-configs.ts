import type { Config, RepoConfig } from '../parse/config.js';
import { sections } from '../sections/all-sections.js';
import { deepFreeze } from '../values/deep-freeze.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { RELOADABLE_REPO_KEYS, RELOADABLE_SECTIONS } from './reloadable-keys.js';

export type ConfigChange = {
  /** The running config with every change that needs no restart. */
  config: Config;
  /** The keys that took effect, and those that need a restart. */
  reloaded: string[];
  needRestart: string[];
};

/** Applies the changed keys that need no restart, and lists all changed keys. */
export function compareConfigs(running: Config, next: Config): ConfigChange {
  const changed = listChangedKeys(running, next);
  const isReloadable = (key: string): boolean => {
    const [table = '', id, name] = key.split('.');
    if (table === 'prices') return true;
    if (table === 'repo')
      return (
        name !== undefined && id !== undefined && RELOADABLE_REPO_KEYS.some((one) => toTomlKey(one) === name)
      );
    return RELOADABLE_SECTIONS.some((section) => section === table);
  };
  const { limits, scheduler, notify, prices } = next;
  const repos = running.repos.map((repo) =>
    applyToRepo(
      repo,
      next.repos.find(({ id }) => id === repo.id),
    ),
  );
  return {
    config: deepFreeze({ ...running, limits, scheduler, notify, prices, repos }),
    reloaded: changed.filter(isReloadable),
    needRestart: changed.filter((key) => !isReloadable(key)),
  };
}

function applyToRepo(running: RepoConfig, next: RepoConfig | undefined): RepoConfig {
  if (next === undefined) return running;
  const { allowedUsers, operatorLogins, setup, requiredTests, testFileRegex } = next;
  const { codingGuidelinesPath, ciPolicy, autoUpdate, showCost } = next;
  return {
    ...running,
    ...{ allowedUsers, operatorLogins, setup, requiredTests, testFileRegex },
    ...{ codingGuidelinesPath, ciPolicy, autoUpdate, showCost },
  };
}

function listChangedKeys(before: Config, after: Config): string[] {
  const ofSections = Object.keys(sections).flatMap((section) =>
    compareTables(section, readTableOf(before, section), readTableOf(after, section)),
  );
  const prices = isSame(before.prices, after.prices) ? [] : ['prices'];
  const ids = [...new Set([...before.repos, ...after.repos].map(({ id }) => id))];
  const ofRepos = ids.flatMap((id) => {
    const [old, now] = [before, after].map(({ repos }) => repos.find((repo) => repo.id === id));
    // A key that repositories inherit from a table is listed for the table and for each of them.
    return old === undefined || now === undefined ? [`repo.${id}`] : compareTables(`repo.${id}`, old, now);
  });
  return [...ofSections, ...prices, ...ofRepos];
}

function readTableOf(config: Config, section: string): object {
  return Object(Object.entries(config).find(([name]) => name === section)?.[1]);
}

function compareTables(path: string, before: object, after: object): string[] {
  const [old, now] = [
    new Map<string, unknown>(Object.entries(before)),
    new Map<string, unknown>(Object.entries(after)),
  ];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((key) => !isSame(old.get(key), now.get(key)))
    .map((key) => `${path}.${toTomlKey(key)}`);
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
