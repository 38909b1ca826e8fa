import { read, readCompose } from './read-compose.js';

describe('docker-compose.yml', () => {
  const { services, volumes } = readCompose();
  const { redis, poller, worker, dashboard, build } = services;
  const longLived = { redis, poller, worker, dashboard };

  it('stop workers before the poller, which takes over their turns, and Redis last', () => {
    expect(worker.depends_on).toEqual(['redis', 'poller']);
    for (const { depends_on } of [poller, dashboard]) expect(depends_on).toEqual(['redis']);
  });

  it('start as many workers as WORKERS says, also after a plain `up`', () => {
    expect(worker.deploy).toEqual({ replicas: `\${WORKERS:-1}` });
  });

  it('use one image for all services, and build it only with the profile', () => {
    const images = [poller, worker, dashboard, build].map(({ image }) => image);
    const { version } = JSON.parse(read('package.json'));
    expect(new Set(images)).toEqual(new Set([`\${MERGEXO_IMAGE:-ghcr.io/mergexo/mergexo:${version}}`]));
    expect(Object.keys(build.build.args)).toEqual(['AGENTS', 'PACKAGES']);
  });

  it('refuse a missing config instead of creating a directory in its place', () => {
    for (const { volumes: mounts } of [poller, worker, dashboard]) {
      const binds = mounts.filter((mount) => typeof mount !== 'string');
      expect(binds).toMatchObject([{ source: './mergexo.toml', target: '/app/mergexo.toml' }]);
    }
  });

  it('limit the size of the logs, and check every service often', () => {
    for (const { logging, healthcheck } of Object.values(longLived)) {
      expect(logging.options).toEqual({ 'max-size': '10m', 'max-file': '5' });
      expect(Number.parseInt(healthcheck.interval, 10)).toBeLessThanOrEqual(15);
    }
    expect(poller.healthcheck.interval).toBe('10s');
  });

  it('run no service as root, drop all capabilities, and give each service time to drain', () => {
    expect(redis.user).toBe('redis');
    for (const service of Object.values(longLived)) {
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toContain('no-new-privileges:true');
      expect(service.restart).toBe('unless-stopped');
    }
    for (const service of [redis, poller, dashboard])
      expect(service.security_opt).toEqual(['no-new-privileges:true']);
    const [, grace] = /drain_grace_seconds` \| `(\d+)`/.exec(read('docs/configuration.md')) ?? [];
    expect(Number.parseInt(worker.stop_grace_period, 10)).toBeGreaterThan(Number(grace) + 20);
  });

  it('limit workers to slightly more than one turn may use', () => {
    const defaultOf = (key: string): number =>
      Number(new RegExp(`\`${key}\` \\| \`(\\d+)\``).exec(read('docs/configuration.md'))?.[1]);
    const memoryMb = Number.parseInt(worker.mem_limit ?? '', 10) * 1024;
    expect(memoryMb).toBeGreaterThan(defaultOf('max_memory_mb'));
    expect(memoryMb).toBeLessThan(2 * defaultOf('max_memory_mb'));
    expect(worker.memswap_limit).toBe(worker.mem_limit);
    expect(worker.pids_limit).toBeGreaterThan(defaultOf('max_processes'));
    expect(worker.ulimits?.nofile).toBe(defaultOf('max_open_files'));
  });

  it('give workers their own token only', () => {
    expect(poller.environment['GITHUB_TOKEN']).toBe(`\${GITHUB_TOKEN:-}`);
    expect(worker.environment['GITHUB_TOKEN']).toBe(`\${WORKER_GITHUB_TOKEN:-}`);
    const ofPoller =
      /\$\{(?:GITHUB_TOKEN|MERGEXO_REVIEWER_TOKEN|MERGEXO_SECRET|MERGEXO_DASHBOARD_PASSWORD)\b/;
    expect(Object.values(worker.environment).filter((value) => ofPoller.test(value))).toEqual([]);
    const tokens = Object.keys(dashboard.environment).filter((name) => name.includes('TOKEN'));
    expect(tokens).toEqual([]);
  });

  it('give workers neither the secret nor the poller’s data, and no volume that outlives the container by accident', () => {
    expect(Object.keys(worker.environment)).not.toContain('MERGEXO_SECRET');
    expect(Object.keys(worker.environment)).toContain('MERGEXO_WORKER_KEY');
    const named = (service: typeof worker) => service.volumes.filter((mount) => typeof mount === 'string');
    expect(named(worker)).toEqual(['spool:/data/spool', 'codex:/data/.codex', 'claude:/data/.claude']);
    for (const service of [poller, dashboard]) expect(named(service)).toEqual(['state:/data']);
    const names = [redis, poller, worker].flatMap(named).map((mount) => mount.split(':')[0]);
    expect(names.sort()).toEqual(Object.keys(volumes).sort());
    expect(worker.environment['MERGEXO_SPOOL_DIR']).toBe('/data/spool');
  });

  it('make the dashboard reachable from outside its container, whatever the config says', () => {
    expect(dashboard.environment['MERGEXO_DASHBOARD_HOST']).toBe('0.0.0.0');
    expect(dashboard.ports).toEqual(['127.0.0.1:7420:7420']);
  });

  it('pass no password as an argument', () => {
    // A running Redis hides its arguments, so the test reads the file instead.
    expect(redis.command.join(' ')).not.toMatch(/--requirepass|redis-server.*\$\$/);
  });

  it('read exactly the variables that .env.example lists', () => {
    const asked = [...read('docker-compose.yml').matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name);
    const documented = [...read('.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual([...new Set(asked)].sort());
  });
});
