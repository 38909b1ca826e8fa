import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { DEPENDABOT_SCHEMA } from './github/dependabot-schema.js';
import { ISSUE_CHOOSER_SCHEMA, ISSUE_FORM_SCHEMA } from './github/issue-form-schema.js';
import { WORKFLOW_SCHEMA } from './github/workflow-schema.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const list = (folder: string): string[] => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);

const yaml: { load(text: string): unknown } = createRequire(import.meta.url)('js-yaml');
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/** Lists every schema violation with its location in the file. */
function findProblems(schema: object, text: string): string[] {
  const validate = ajv.compile(schema);
  if (validate(yaml.load(text))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const WORKFLOWS = list('.github/workflows');
const FORMS = list('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('/config.yml'));
const FILES: [string, object][] = [
  ...WORKFLOWS.map((path): [string, object] => [path, WORKFLOW_SCHEMA]),
  ...FORMS.map((path): [string, object] => [path, ISSUE_FORM_SCHEMA]),
  ['.github/ISSUE_TEMPLATE/config.yml', ISSUE_CHOOSER_SCHEMA],
  ['.github/dependabot.yml', DEPENDABOT_SCHEMA],
];

describe('the files in .github', () => {
  it.each(FILES)('%s matches its schema', (path, schema) => {
    expect(findProblems(schema, read(path))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['.github/workflows/ci.yml', 'timeout-minutes', 'timeout-minuts'],
    ['.github/workflows/ci.yml', 'permissions:', 'permission:'],
    ['.github/workflows/ci.yml', 'contents: read', 'content: read'],
    ['.github/workflows/ci.yml', 'contents: read', 'contents: reed'],
    ['.github/workflows/ci.yml', 'actions/checkout@v5', 'actions/checkout@main'],
    ['.github/workflows/ci.yml', 'node-version-file: .nvmrc', 'node-version-file: [.nvmrc]'],
    ['.github/workflows/docs.yml', 'needs: build', 'need: build'],
    ['.github/workflows/codeql.yml', 'fail-fast', 'failfast'],
    ['.github/ISSUE_TEMPLATE/bug.yml', 'validations:', 'validation:'],
    ['.github/ISSUE_TEMPLATE/bug.yml', 'placeholder:', 'placeholer:'],
    ['.github/ISSUE_TEMPLATE/bug.yml', 'type: textarea', 'type: textfield'],
    ['.github/ISSUE_TEMPLATE/config.yml', 'blank_issues_enabled', 'blank_issue_enabled'],
    ['.github/dependabot.yml', 'package-ecosystem', 'package-ecosytem'],
    ['.github/dependabot.yml', 'interval: weekly', 'interval: sometimes'],
  ])('%s would fail this test if "%s" were "%s"', (path, right, wrong) => {
    const schema = FILES.find(([file]) => file === path)?.[1] ?? {};
    expect(read(path)).toContain(right);
    expect(findProblems(schema, read(path).replace(right, wrong))).not.toEqual([]);
  });

  it('use each id only once per form', () => {
    const Form = z.object({ body: z.array(z.object({ id: z.string().optional() })) });
    for (const path of FORMS) {
      const ids = Form.parse(yaml.load(read(path))).body.flatMap(({ id }) => (id === undefined ? [] : [id]));
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('run only scripts that exist', () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')));
    const named = WORKFLOWS.flatMap((path) => {
      return [...read(path).matchAll(/npm run ([a-z][\w:-]*)|'(test:\w+)'/g)].map(
        ([, run, listed]) => run ?? listed ?? '',
      );
    });
    expect(named).toEqual(expect.arrayContaining(['lint', 'types', 'docs:check', 'test:walks']));
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('give write permissions to individual jobs, never to a whole workflow', () => {
    const Workflow = z.object({ permissions: z.record(z.string(), z.string()) });
    for (const path of WORKFLOWS) {
      expect([path, Workflow.parse(yaml.load(read(path))).permissions]).toEqual([path, { contents: 'read' }]);
    }
  });

  it('leave no token in the checkout, where the install script of a package could read it', () => {
    const Step = z.object({
      uses: z.string().optional(),
      with: z.record(z.string(), z.unknown()).optional(),
    });
    const Jobs = z.object({ jobs: z.record(z.string(), z.object({ steps: z.array(Step) })) });
    const checkouts = WORKFLOWS.flatMap((path) =>
      Object.values(Jobs.parse(yaml.load(read(path))).jobs).flatMap(({ steps }) =>
        steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@')),
      ),
    );
    expect(checkouts).not.toEqual([]);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
  });

  it('test every supported Node version on Linux and macOS', () => {
    const [, nodes = ''] = /node: \[([\d, ]+)\]/.exec(read('.github/workflows/ci.yml')) ?? [];
    for (const version of nodes.split(', '))
      expect(read('README.md')).toMatch(new RegExp(`\\b${version}\\b`));
    expect(nodes).toBe('20, 22, 24');
    expect(read('.github/workflows/ci.yml')).toContain('os: [ubuntu-latest, macos-latest]');
    expect(nodes.split(', ')).toContain(read('.nvmrc').trim());
  });

  it('install Chromium for every job that runs browser tests, because these tests skip themselves without one', () => {
    const Step = z.object({ run: z.string().optional() });
    const Job = z.object({ strategy: z.unknown().optional(), steps: z.array(Step) });
    const { jobs } = z
      .object({ jobs: z.record(z.string(), Job) })
      .parse(yaml.load(read('.github/workflows/ci.yml')));
    const browsing = Object.values(jobs).filter((job) => /test:(?:walks|agents)/.test(JSON.stringify(job)));
    expect(browsing).not.toEqual([]);
    for (const { steps } of browsing) {
      const runs = steps.map(({ run = '' }) => run);
      const installs = runs.findIndex((run) =>
        /playwright-core install .*\n.*MERGEXO_CHROMIUM=.*GITHUB_ENV/.test(run),
      );
      expect(installs).toBeGreaterThan(runs.indexOf('npm ci'));
      expect(installs).toBeLessThan(runs.findIndex((run) => run.startsWith('npm run')));
    }
  });

  it('name code owners only for folders that exist', () => {
    const rules = read('.github/CODEOWNERS')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(/\s+/));
    expect(rules[0]).toEqual(['*', expect.stringMatching(/^@/)]);
    for (const [pattern = '', owner = ''] of rules.slice(1)) {
      expect([pattern, existsSync(join(ROOT, pattern))]).toEqual([pattern, true]);
      expect(owner).toMatch(/^@[\w-]+(\/[\w-]+)?$/);
    }
  });
});
