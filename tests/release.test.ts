import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { readNotes, releaseChangelog } from '../packaging/src/release/changelog.js';
import { checkVersion, compareVersions } from '../packaging/src/release/version.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('a version', () => {
  it.each([
    ['0.1.0', '0.1.1'],
    ['0.9.0', '0.10.0'],
    ['0.2.0-rc.1', '0.2.0-rc.2'],
    ['0.2.0-rc.10', '0.2.0'],
    ['0.1.9', '0.2.0-rc.1'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareVersions(older, newer)).toBeLessThan(0);
    expect(compareVersions(newer, older)).toBeGreaterThan(0);
    expect(() => checkVersion(newer, older)).not.toThrow();
    expect(() => checkVersion(older, newer)).toThrow('is not newer');
  });

  it.each(['1', 'v0.2.0', '0.2', '0.2.0-', '0.2.0; rm'])('is rejected in the form %s', (version) => {
    expect(() => checkVersion(version, '0.1.0')).toThrow('is not a version');
  });
});

describe('the changelog of a release', () => {
  const text = '# Changelog\n\n## Unreleased\n\n- A new key.\n\n## 0.1.0\n\n- First.\n';

  it('dates the unreleased entries and begins a new section', () => {
    const released = releaseChangelog(text, '0.2.0', '2026-11-19');
    expect(released).toContain('## Unreleased\n\n## 0.2.0 - 2026-11-19\n\n- A new key.\n');
    expect([
      readNotes(released, '0.2.0'),
      readNotes(released, '0.1.0'),
      readNotes(released, 'Unreleased'),
    ]).toEqual(['- A new key.', '- First.', '']);
  });

  it('is refused without entries, and for a version that it already has', () => {
    expect(() => releaseChangelog(releaseChangelog(text, '0.2.0', 'x'), '0.3.0', 'x')).toThrow('is empty');
    expect(() => releaseChangelog(text, '0.1.0', 'x')).toThrow('already has a section 0.1.0');
  });
});

const WORKFLOW = readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8');
const [, IMAGE = ''] = /images: (\S+)/.exec(WORKFLOW) ?? [];

describe('the release workflow', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const { version, repository } = JSON.parse(read('package.json'));

  it('publishes exactly the image that compose, Kubernetes and the docs use', () => {
    expect(IMAGE).toMatch(/^ghcr\.io\/[a-z]+\/[a-z]+$/);
    expect(WORKFLOW).toContain('type=semver,pattern={{version}}\n');
    expect(WORKFLOW).toContain(`":-${IMAGE}:\${GITHUB_REF_NAME#v}}" docker-compose.yml`);
    expect(read('docker-compose.yml')).toContain(`image: &image \${MERGEXO_IMAGE:-${IMAGE}:${version}}\n`);
    expect(read('packaging/kubernetes/kustomization.yaml')).toContain(
      `name: ${IMAGE}\n    newTag: ${version}`,
    );
    const named = [...read('docs/operations.md').matchAll(/(\S*mergexo):[\d.]+ init/g)];
    expect(named.map(([, name]) => name)).toEqual([IMAGE]);
  });

  it('runs in the repository that the packages name, or their provenance would be rejected', () => {
    const [, owner = ''] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
    expect(WORKFLOW.match(/if: github\.repository == '([^']+)'/g)).toEqual(
      Array.from({ length: 2 }, () => `if: github.repository == '${owner}'`),
    );
    expect(JSON.parse(read('packages/github-twin/package.json')).repository.url).toBe(repository.url);
  });
});

describe('npm run release', () => {
  const directory = createTemporaryDirectory();
  const root = join(directory.path, 'clone');
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const release = (...args: string[]) => {
    const program = join(ROOT, 'packaging/dist/release/release.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--root', root, ...args], {
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  const versionIn = (path: string): string => JSON.parse(readFileSync(join(root, path), 'utf8')).version;

  beforeAll(() => {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, root]);
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@example.com');
    const path = join(root, 'CHANGELOG.md');
    const text = readFileSync(path, 'utf8').replace('## Unreleased\n', '## Unreleased\n\n- Something new.\n');
    writeFileSync(path, text);
    git('commit', '--quiet', '--all', '--message', 'docs: describe a change');
  });
  afterAll(() => directory.remove());

  it('changes nothing if the work tree is dirty, or in a dry run', () => {
    const head = git('rev-parse', 'HEAD');
    appendFileSync(join(root, 'README.md'), 'x\n');
    expect(release('99.0.0')).toMatchObject({ status: 1, output: expect.stringContaining('README.md') });
    git('checkout', '--quiet', 'README.md');
    expect(release('99.0.0', '--dry-run')).toMatchObject({
      status: 0,
      output: expect.stringContaining('can become 99.0.0. Nothing was changed.'),
    });
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([head, '', '']);
  });

  it('sets the version everywhere, commits, and adds the tag', () => {
    const before = versionIn('package.json');
    expect(release('99.0.0', '--skip-checks', '--skip-assets')).toMatchObject({ status: 0 });
    expect(
      ['package.json', 'apps/cli/package.json', 'packages/core/package.json', 'package-lock.json'].map(
        versionIn,
      ),
    ).toEqual(Array.from({ length: 4 }, () => '99.0.0'));
    expect(readFileSync(join(root, 'README.md'), 'utf8')).not.toContain(`mergexo-${before}.tgz`);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '-1', '--format=%s %D')).toContain('release: 99.0.0');
    expect(git('tag', '--points-at', 'HEAD')).toBe('v99.0.0');
    expect(readFileSync(join(root, 'apps/cli/src/main.ts'), 'utf8')).toContain("VERSION = '99.0.0'");
    expect(readFileSync(join(root, 'docker-compose.yml'), 'utf8')).toContain(`:-${IMAGE}:99.0.0}`);
    expect(readFileSync(join(root, 'packaging/kubernetes/kustomization.yaml'), 'utf8')).toContain(
      'newTag: 99.0.0',
    );
    const fixture = join(root, 'packages/state/fixtures/99.0.0.sql');
    expect(existsSync(fixture) && readFileSync(fixture, 'utf8')).toContain('INSERT INTO "issue_runs"');
    expect(release('99.0.0', '--skip-checks').output).toContain('is not newer than the current version');
  });
});
