import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findDataDirectory } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../context.js';
import { init } from './init.js';

describe('init at a terminal', () => {
  const pathTo = useTemporaryDirectory();
  let configPath: string;
  let printed: string;
  let questions: string[];
  beforeEach(() => {
    configPath = pathTo('mergexo.toml');
    printed = '';
    questions = [];
  });

  const contextWith = (...answers: string[]) =>
    createContext({
      config: configPath,
      env: {},
      homeDir: pathTo(),
      write: (text) => {
        printed += text;
      },
      ask: async (question) => {
        questions.push(question);
        return answers.shift() ?? '';
      },
      confirm: async (question) => {
        questions.push(question);
        return false;
      },
    });

  it('asks for missing values', async () => {
    await init(contextWith('https://github.com/ada/engine', 'claude'), {});
    const text = readFileSync(configPath, 'utf8');
    expect(text).toContain('owner = "ada"\n');
    expect(text).toContain('\nadapter = "claude"\n');
    expect(questions).toEqual([
      'Which repository (owner/name)?',
      'Which agent, codex or claude? [codex]',
      'Create the labels on GitHub now?',
    ]);
    expect(printed).toMatch(/created +config/);
  });

  it('asks only for missing values, and uses the default for an empty reply', async () => {
    await init(contextWith(''), { repo: 'ada/engine', labels: false });
    expect(questions).toEqual(['Which agent, codex or claude? [codex]']);
    expect(readFileSync(configPath, 'utf8')).toContain('# adapter = "codex"');
  });

  it('asks only about labels if the config exists', async () => {
    await init(contextWith(), { repo: 'ada/engine', agent: 'codex', labels: false });
    await init(contextWith(), { labels: false });
    expect(questions).toEqual([]);
    await init(contextWith(), {});
    expect(questions).toEqual(['Create the labels on GitHub now?']);
  });

  it('keeps existing files, adds missing files and rejects conflicting options when it runs again', async () => {
    const options = { repo: 'ada/engine', agent: 'codex', labels: false };
    await init(contextWith(), options);
    const base = findDataDirectory({ env: {}, homeDir: pathTo() });
    const before = readFileSync(configPath, 'utf8');
    for (const name of ['secret', 'state.db']) rmSync(join(base, name));
    printed = '';
    await init(contextWith(), { ...options, repo: 'Ada/Engine' });
    expect(printed).toMatch(/kept +config.*kept +directory.*created +secret.*created +database/s);
    for (const name of ['secret', 'state.db']) expect(existsSync(join(base, name))).toBe(true);
    expect(readFileSync(configPath, 'utf8')).toBe(before);
    for (const conflicting of [
      { repo: 'ada/loom' },
      { agent: 'claude' },
      { apiUrl: 'https://ghe.test/api/v3' },
    ])
      await expect(init(contextWith(), conflicting)).rejects.toThrow(
        /options conflict with \S+: --\S+ \(the file has \S+\)\. Edit the file/,
      );
    await expect(init(contextWith(), { repo: 'ada/loom' })).rejects.toThrow(
      '--repo (the file has ada/engine)',
    );
  });

  it('fails without a repository, with or without a terminal, and writes nothing', async () => {
    const { ask: _ask, confirm: _confirm, ...context } = contextWith();
    const withoutTerminal = { ...context, ask: undefined, confirm: undefined };
    await expect(init(withoutTerminal, {})).rejects.toThrow('add --repo owner/name. Nothing was written.');
    await expect(init(contextWith(''), {})).rejects.toThrow('No repository given');
    expect(existsSync(configPath)).toBe(false);
    expect(existsSync(pathTo('.local'))).toBe(false);
  });

  it('rejects an invalid reply and writes nothing', async () => {
    await expect(init(contextWith('engine'), {})).rejects.toThrow(/owner\/name/);
    await expect(init(contextWith('ada/engine', 'gpt'), {})).rejects.toThrow(/--agent must be one of codex/);
    expect(existsSync(configPath)).toBe(false);
  });

  it.each<[string, Parameters<typeof init>[1], RegExp]>([
    ['an unknown agent', { agent: 'gpt' }, /--agent must be one of codex, claude, command, not "gpt"/],
    ['a command agent without its command', { agent: 'command' }, /add --command <program>/],
    ['plain HTTP to another machine', { agent: 'codex', apiUrl: 'http://ghe.test/api/v3' }, /https:\/\//],
    ['an API URL that is not a URL', { agent: 'codex', apiUrl: 'ghe' }, /--api-url must be/],
  ])('rejects %s as incorrect usage, and writes nothing', async (_what, options, reason) => {
    const started = init(contextWith(), { repo: 'ada/engine', labels: false, ...options });
    await expect(started).rejects.toThrow(UsageError);
    await expect(started).rejects.toThrow(reason);
    expect(existsSync(configPath)).toBe(false);
  });

  it('lists the written files if it could not create the labels', async () => {
    const options = { repo: 'ada/engine', agent: 'codex', apiUrl: 'http://127.0.0.1:1', labels: true };
    await expect(init(contextWith(), options)).rejects.toThrow(
      /The labels could not be created.*Everything else is done: created config .*mergexo\.toml, .*init --config .* --labels/s,
    );
    expect(existsSync(configPath)).toBe(true);
  });

  it('lists the labels in a dry run', async () => {
    await init(contextWith(), { repo: 'ada/engine', agent: 'codex', dryRun: true, labels: true });
    expect(printed).toContain('agent:design, agent:bugfix, agent:small-job, agent:ignore');
    expect(existsSync(configPath)).toBe(false);
  });

  it('changes nothing in a dry run', async () => {
    await init(contextWith(), { repo: 'ada/engine', agent: 'codex', dryRun: true });
    expect(existsSync(configPath)).toBe(false);
    expect(existsSync(pathTo('.local'))).toBe(false);
    expect(printed).toMatch(/missing +config +\S+mergexo\.toml\n.*missing +directory/s);
    expect(printed).toContain('Nothing was changed.');
  });
});
