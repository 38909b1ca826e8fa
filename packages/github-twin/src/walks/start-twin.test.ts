import fs from 'node:fs';
import path from 'node:path';
import { createManualClock } from '../basics/clock.js';
import { restRoutes } from '../routes/index.js';
import { createValidators } from '../spec/validators.js';
import { startTwin, type TwinOptions } from '../start/start-twin.js';
import { ask } from '../testing/ask.js';
import { AT, makeTempDir, REPO, SEED, startTestTwin } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

describe('a twin', () => {
  it('has exactly the operations of the vendored description, and two that gh asks for besides', () => {
    const { slice } = createValidators();
    const described = Object.entries(slice.paths).flatMap(([template, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${template}`),
    );
    const routes = restRoutes.map((route) => `${route.method} ${route.template}`);
    expect(described.filter((name) => !routes.includes(name))).toEqual([]);
    expect(routes.filter((name) => !described.includes(name))).toEqual([
      'GET /',
      'GET /repos/{owner}/{repo}/actions/workflows',
    ]);
  });

  it('leaves nothing behind when it stops, even with a request hanging in it', async () => {
    const twin = await startTwin({ seed: SEED });
    twin.control.fault({ kind: 'hang', when: 'after' });
    const hanging = ask(twin, 'GET /user').catch((error: unknown) => error);
    while (twin.world.faults.list()[0]?.waiting !== 1) await new Promise((resolve) => setImmediate(resolve));
    await twin.stop();
    expect(await hanging).toBeDefined();
    expect(fs.existsSync(twin.world.root)).toBe(false);
  });

  it('applies nothing that is held when it stops', async () => {
    const twin = await startTwin({ seed: SEED });
    const hold = twin.control.fault({ kind: 'hold', times: null });
    const posted = ask(twin, `POST ${AT}/issues`, { body: { title: 'Never' } }).catch(() => 'gone');
    await waitFor(() => hold.waiting() === 1);
    await twin.stop();
    expect([await posted, twin.world.store.issues.all()]).toEqual(['gone', []]);
  });

  it('refuses a seed that names people it does not know', async () => {
    await expect(startTwin({ seed: { users: [], repos: [{ name: 'nobody/app' }] } })).rejects.toThrow(
      'no user nobody',
    );
  });
});

describe('a kept directory', () => {
  const start = (dir: string, more: TwinOptions = {}) => startTestTwin({ dir, ...more });

  it('belongs to one twin at a time, and to nobody after a machine that went down', async () => {
    const dir = makeTempDir();
    const first = await start(dir);
    await expect(start(dir)).rejects.toThrow('is in use by the twin');
    await first.stop();
    // Somebody else has the process id now.
    fs.writeFileSync(path.join(dir, 'twin.pid'), `${process.pid} 1`);
    await (await start(dir)).stop();
    expect(fs.existsSync(path.join(dir, 'twin.pid'))).toBe(false);
  });

  it('is seeded wholly or not at all', async () => {
    const dir = makeTempDir();
    const repos = [{ name: 'alice/app' }, { name: 'nobody/app' }];
    await expect(start(dir, { seed: { users: [{ login: 'alice' }], repos } })).rejects.toThrow(
      'no user nobody',
    );
    const twin = await start(dir);
    expect(twin.world.store.repos.all().map(({ owner }) => owner)).toEqual(['acme']);
    expect(fs.readdirSync(path.join(dir, 'repos'))).toHaveLength(1);
  });

  it('that is damaged in the middle is refused, and left as it is and free', async () => {
    const dir = makeTempDir();
    await (await start(dir)).stop();
    const file = path.join(dir, 'state.jsonl');
    const [first = '', ...rest] = fs.readFileSync(file, 'utf8').split('\n');
    const damaged = [first, 'oops', ...rest].join('\n');
    fs.writeFileSync(file, damaged);
    await expect(start(dir)).rejects.toThrow('state.jsonl is damaged in line 2');
    expect([fs.readFileSync(file, 'utf8'), fs.existsSync(path.join(dir, 'twin.pid'))]).toEqual([
      damaged,
      false,
    ]);
  });

  it('never sees an earlier time than before', async () => {
    const dir = makeTempDir();
    const first = await start(dir, { clock: createManualClock('2025-01-01T00:00:00Z') });
    first.control.advance(3_600_000);
    await first.stop();
    const second = await start(dir, { clock: createManualClock('2025-01-01T00:00:00Z') });
    await second.as('alice').openIssue(REPO, { title: 'T' });
    expect(second.world.store.issues.all()[0]?.createdAt).toBe('2025-01-01T01:00:00Z');
  });
});
