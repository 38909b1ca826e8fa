import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from './create-log.js';

describe('createLog', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mergexo-log-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('writes the same JSON line to standard output and to a private file', async () => {
    const lines: string[] = [];
    const { log, close } = createLog({
      app: 'poller',
      level: 'info',
      secrets: [],
      dir: join(dir, 'logs'),
      stdout: { write: (line) => lines.push(line) },
    });
    log.info({ repo_full_name: 'o/n', issue_number: 7, turn_key: 'k' }, 'turn begun');
    log.debug({}, 'below the level');
    await close();

    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      app: 'poller',
      level: 'info',
      message: 'turn begun',
      repo_full_name: 'o/n',
      issue_number: 7,
      turn_key: 'k',
    });
    const path = join(dir, 'logs', 'poller.jsonl');
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'logs')).mode & 0o777).toBe(0o700);
  });

  it('leaves out the command that a Redis client hangs on its errors', async () => {
    const lines: string[] = [];
    const { log, close } = createLog({
      app: 'worker',
      level: 'info',
      secrets: [],
      stdout: { write: (line) => lines.push(line) },
    });
    const refused = Object.assign(new Error('WRONGPASS'), {
      command: { name: 'auth', args: ['hunter2hunter2'] },
    });
    log.error({ err: new Error('outer', { cause: refused }) }, 'failed');
    log.error({ err: refused }, 'failed');
    await close();
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('')).toContain('WRONGPASS');
  });

  it('adds the cause of an error to its message, unless the message has it already', async () => {
    const lines: string[] = [];
    const { log, close } = createLog({
      app: 'poller',
      level: 'info',
      secrets: [],
      stdout: { write: (line) => lines.push(line) },
    });
    const cause = new Error('ECONNREFUSED', { cause: new Error('fetch failed') });
    log.warn({ err: new Error('no answer: ECONNREFUSED.', { cause }) }, 'failed');
    log.warn({ err: new Error('no answer', { cause }) }, 'failed');
    await close();
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual([
      'no answer: ECONNREFUSED.',
      'no answer: ECONNREFUSED',
    ]);
  });

  it('redacts secrets by value and by shape, also in the causes of errors and in nested fields', async () => {
    const lines: string[] = [];
    const { log, close } = createLog({
      app: 'worker',
      level: 'info',
      secrets: ['canary-0123456789'],
      stdout: { write: (line) => lines.push(line) },
    });
    const token = `ghp_${'x7'.repeat(18)}`;
    const deepest = new Error(`push https://x-access-token:${token}@github.com/o/n failed`);
    const middle = new Error('remote said canary-0123456789', { cause: deepest });
    log.error({ err: new Error('outer', { cause: middle }), nested: { list: [`a ${token}`] } }, 'failed');
    await close();

    const text = lines.join('');
    expect(text).not.toContain('canary-0123456789');
    expect(text).not.toContain(token);
    expect(text).toContain('push https://x-access-token:[redacted]@github.com/o/n failed');
    expect(() => JSON.parse(text)).not.toThrow();
  });
});
