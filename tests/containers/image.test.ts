import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { CLI, ENTRYPOINT, ROOT, read, readCompose, run } from './read-compose.js';

describe('the container image', () => {
  const { services } = readCompose();
  const { redis: _redis, build, ...programs } = services;
  const dockerfile = read('Dockerfile');
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  const enter = (words: readonly string[], env: Record<string, string> = {}) =>
    run('sh', [ENTRYPOINT, ...words], { HOME: directory.path, NODE_ENV: 'production', ...env });

  it.each(Object.entries(programs))(
    'the %s service runs an existing program through the image’s entrypoint',
    async (name, service) => {
      expect(service.environment['MERGEXO_ROLE']).toBe(name);
      const { code, output } = await enter(service.command, {
        MERGEXO_CONFIG: join(directory.path, 'no.toml'),
      });
      expect(output).toContain(`mergexo ${name}: `);
      expect(output).toContain('the file does not exist');
      expect(code).toBe(1);
    },
  );

  it.each([
    ['poller', ['MERGEXO_REDIS_PASSWORD', 'MERGEXO_SECRET', 'GITHUB_TOKEN']],
    ['worker', ['MERGEXO_REDIS_PASSWORD', 'MERGEXO_WORKER_KEY', 'WORKER_GITHUB_TOKEN']],
    ['dashboard', ['MERGEXO_REDIS_PASSWORD', 'MERGEXO_SECRET', 'MERGEXO_DASHBOARD_PASSWORD']],
  ] as const)('the %s names all empty values of .env at once', async (name, expected) => {
    const env = Object.fromEntries(
      Object.entries(programs[name].environment).map(([key, value]) => [
        key,
        value.startsWith('$') ? '' : value,
      ]),
    );
    const { code, output } = await enter([name], env);
    expect(output).toBe(
      `mergexo ${name}: these variables are empty: ${expected.join(' ')}. Set them in .env and run \`docker compose up\` again.\n`,
    );
    expect(code).toBe(1);
  });

  it('the entrypoint passes other words to the command line, and logs an agent in', async () => {
    const { version } = JSON.parse(read('package.json'));
    expect(await enter(['--version'])).toEqual({ code: 0, output: `${version}\n` });
    expect(await enter(['doctor', '--role', 'queen'])).toMatchObject({ code: 2 });
    mkdirSync(join(directory.path, 'bin'));
    const PATH = `${join(directory.path, 'bin')}:/usr/bin:/bin`;
    expect(await enter(['login'], { PATH })).toMatchObject({
      code: 2,
      output: expect.stringContaining('contains no agent'),
    });
    for (const agent of ['codex', 'claude'])
      writeFileSync(join(directory.path, 'bin', agent), '#!/bin/sh\necho "$0" "$@"\n', { mode: 0o755 });
    expect(await enter(['login'], { PATH })).toMatchObject({
      code: 2,
      output: expect.stringContaining('`login codex` or `login claude`'),
    });
    expect((await enter(['login', 'codex'], { PATH })).output).toMatch(/codex login --device-auth\n$/);
    expect((await enter(['login', 'claude', '--console'], { PATH })).output).toMatch(
      /claude auth login --console\n$/,
    );
  });

  it('install the agents’ versions that the tests use', () => {
    const versions = [...read('tests/agents/install-agents.ts').matchAll(/'(@[\w/-]+)': '([\d.]+)'/g)];
    const agents = versions.map(([, name, version]) => `${name}@${version}`).join(' ');
    expect(agents).toMatch(/^@openai\/codex@\S+ @anthropic-ai\/claude-code@\S+$/);
    expect(dockerfile).toContain(`ARG AGENTS="${agents}"`);
    expect(build.build.args['AGENTS']).toBe(`\${AGENTS:-${agents}}`);
  });

  it('pin every image by digest, and let Dependabot update the digests', () => {
    const images = [
      ...dockerfile.matchAll(/^FROM (\S+:\S+)/gm),
      ...read('docker-compose.yml').matchAll(/^ *image: (redis\S+)/gm),
    ];
    expect(images.map(([, image = '']) => image.replace(/[0-9a-f]{64}$/, '…'))).toEqual([
      'node:22-bookworm@sha256:…',
      'node:22-bookworm@sha256:…',
      'node:22-bookworm-slim@sha256:…',
      'redis:7-alpine@sha256:…',
    ]);
    for (const ecosystem of ['docker', 'docker-compose'])
      expect(read('.github/dependabot.yml')).toContain(`package-ecosystem: ${ecosystem}\n`);
  });

  it('copy and start only files that exist', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build (.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' ').map((path) => path.replace('/app/', '')),
    );
    expect(copied).toContain('docker-compose.yml');
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(dockerfile).toContain(`\nENTRYPOINT ["/app/${ENTRYPOINT}"]\n`);
    expect(copied.some((path) => ENTRYPOINT.startsWith(path))).toBe(true);
    expect(statSync(join(ROOT, ENTRYPOINT)).mode & 0o111).toBe(0o111);
    expect(statSync(join(ROOT, CLI)).mode & 0o111).toBe(0o111);
    expect(dockerfile).toContain(`ln -s /app/${CLI} /usr/local/bin/mergexo`);
  });

  it('install packages in a layer that changes only with a manifest', () => {
    const [, , builds = ''] = dockerfile.split(/^FROM /m);
    const steps = [...builds.matchAll(/^(?:COPY|RUN) .*/gm)].map(([step]) => step);
    expect(steps.slice(0, 3)).toEqual([
      'COPY --from=manifests /app ./',
      'RUN npm ci --ignore-scripts',
      'COPY . .',
    ]);
  });

  it('ends as the user node, and gives new volumes to that user', () => {
    // Only the installation of the agents runs as root.
    for (const target of dockerfile.split(/^FROM /m).slice(3))
      expect([...target.matchAll(/^USER (\w+)$/gm)].at(-1)?.[1]).toBe('node');
    const { poller, worker } = services;
    const mounts = [poller, worker].flatMap((service) =>
      service.volumes.flatMap((mount) => (typeof mount === 'string' ? mount.slice(mount.indexOf('/')) : [])),
    );
    expect(dockerfile).toContain(`install -d -o node -g node -m 700 ${mounts.sort().join(' ')} `);
  });
});
