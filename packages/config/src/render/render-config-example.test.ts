import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { parseConfig } from '../parse/parse-config.js';
import { allSections } from '../sections/all-sections.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { isTable } from '../values/toml-table.js';
import { renderConfigExample } from './render-config-example.js';

const options = { homeDir: '/home/ada' };
const example = readFileSync(new URL('../../../../mergexo.toml.example', import.meta.url), 'utf8');
const uncommented = example.replace(/^# ([a-z_]+ = |\[(?:prices|github|review)\.)/gm, '$1');

function keysOf(table: unknown, path = ''): string[] {
  if (!isTable(table)) return [path];
  return Object.entries(table).flatMap(([key, value]) => keysOf(value, path === '' ? key : `${path}.${key}`));
}

describe('mergexo.toml.example', () => {
  it('matches the schema (to update it, run: node packages/config/dist/write-docs.js)', () => {
    expect(example).toBe(renderConfigExample());
  });

  it('is a valid config with the default values', () => {
    const minimal = '[repo.main]\nowner = "octo-org"\nname = "hello-world"';
    expect(parseConfig(example, options)).toEqual(parseConfig(minimal, options));
  });

  it('is still valid with every key uncommented', () => {
    expect(parseConfig(uncommented, options).repos[0]?.allowedUsers).toEqual(['octocat', 'hubot-keeper']);
  });

  it('contains every key of the schema once, and no other', () => {
    const wanted = allSections.flatMap(({ title, shape }) =>
      Object.keys(shape).map(
        (name) => `${title.replace('<id>', 'main').replace('<model>', 'gpt-5')}.${toTomlKey(name)}`,
      ),
    );
    expect(keysOf(parse(uncommented))).toEqual(wanted);
  });

  it('describes each key, its default and its allowed values', () => {
    const blocks = example.split('\n\n').filter((block) => /^(?:# )?[a-z_]+ = /m.test(block));
    expect(blocks).toHaveLength(keysOf(parse(uncommented)).length);
    for (const block of blocks) expect(block).toMatch(/^# .+\n# (?:Required\.|Default: ).+Allowed: /s);
  });

  it('has no line above 110 characters and ends with a newline', () => {
    for (const line of example.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
    expect(example).toMatch(/[^\n]\n$/);
  });
});

describe('renderConfigExample', () => {
  it('sets the given values as quoted TOML', () => {
    const values = {
      'repo.owner': 'ada',
      'repo.name': 'x',
      'agent.adapter': 'claude',
      'repo.allowed_users': ['ada', 'bob'],
    };
    const config = parseConfig(renderConfigExample({ repoId: 'mine', values }), options);
    expect(config.agent.adapter).toBe('claude');
    expect(config.repos[0]).toMatchObject({ id: 'mine', fullName: 'ada/x', allowedUsers: ['ada', 'bob'] });
  });

  it('rejects an unknown key', () => {
    expect(() => renderConfigExample({ values: { 'agent.adaptor': 'claude' } })).toThrow(
      'the config has no key agent.adaptor',
    );
  });
});
