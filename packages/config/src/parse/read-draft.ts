import type { z } from 'zod';
import { nestedSections, readSections, sections } from '../sections/all-sections.js';
import { repo } from '../sections/repo.js';
import type { Section } from '../sections/section.js';
import { showKey, showValue } from '../values/show-value.js';
import { isTable, type TomlTable } from '../values/toml-table.js';
import { findUnknownKeys } from './find-unknown-keys.js';
import { type Finding, notAllowed } from './finding.js';
import { readPrices } from './read-prices.js';
import { type ReadTable, readTable } from './read-table.js';

/** The tables with their fixed defaults. `resolveConfig` adds the defaults that depend on other keys. */
export type Draft = ReturnType<typeof readDraft>['draft'];
export type RepoTable = ReadTable<typeof repo.shape>['table'];
export type RepoDraft = { id: string; path: string; table: RepoTable };

const NAMES = [...Object.keys(sections), 'prices', 'repo'];

/** Reads every section, even if others are invalid. */
export function readDraft(raw: TomlTable, secrets: readonly Finding[]) {
  const findings = findUnknownKeys(raw, { path: '', known: NAMES, secrets });

  function read<Shape extends z.ZodRawShape>(section: Section<Shape>): ReadTable<Shape>['table'] {
    const { title: path } = section;
    const { table, findings: found } = readTable(section, { path, value: raw[path], secrets });
    findings.push(...found);
    return table;
  }

  /** Reads a table inside another one; undefined if the file does not contain it. */
  function readNested<Shape extends z.ZodRawShape>(
    section: Section<Shape>,
  ): ReadTable<Shape>['table'] | undefined {
    const [parent = '', name = ''] = section.title.split('.');
    const outer = raw[parent];
    const value = isTable(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined;
    if (value === undefined) return undefined;
    const { table, findings: found } = readTable(section, { path: section.title, value, secrets });
    findings.push(...found);
    return table;
  }

  const tables = readSections(read);
  const nested = {
    github: { ...tables.github, app: readNested(nestedSections.github) },
    review: { ...tables.review, app: readNested(nestedSections.review) },
  };
  const priced = readPrices(raw['prices'], secrets);
  const { repos, findings: found } = readRepos(raw['repo'], secrets);
  const draft = { ...tables, ...nested, prices: priced.prices, repos };
  return { draft, findings: [...findings, ...priced.findings, ...found] };
}

const TABLE_PER_REPO = 'a table per repository, [repo.<id>], where <id> is a name of your choice';

function readRepos(value: unknown, secrets: readonly Finding[]): { repos: RepoDraft[]; findings: Finding[] } {
  if (value === undefined || (isTable(value) && Object.keys(value).length === 0)) {
    const message = `missing, expected ${TABLE_PER_REPO}`;
    return { repos: [], findings: [{ path: 'repo', message, breaks: ['repo'] }] };
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

/** Rejects names that every object inherits, such as `constructor`, because ids may become object keys. */
function checkId(id: string, path: string): Finding[] {
  if (/^[A-Za-z\d][\w-]{0,39}$/.test(id) && !(id in {})) return [];
  const message =
    'invalid id, expected 1 to 40 letters, digits, hyphens and underscores, starting with a letter or digit, and not a reserved name such as constructor';
  return [{ path, message, breaks: [] }];
}
