import { readFileSync, statSync } from 'node:fs';
import { createRedact } from '@mergexo/core/text';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createLog } from './create-log.js';

describe('createLog', () => {
  const pathTo = useTemporaryDirectory();
  const open = (options: Partial<Parameters<typeof createLog>[0]> = {}) => {
    const lines: string[] = [];
    const stdout = { write: (line: string) => lines.push(line) };
    return { lines, ...createLog({ app: 'poller', level: 'info', stdout, ...options }) };
  };

  it('writes the same JSON line to standard output and to a private file', async () => {
    const { lines, log, close } = open({ dir: pathTo('logs') });
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
    const path = pathTo('logs', 'poller.jsonl');
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(pathTo('logs')).mode & 0o777).toBe(0o700);
  });

  it('escapes characters that could control a terminal', async () => {
    const { lines, log, close } = open({});
    log.info({ title: 'a\u009b2J\u202eb\u001b[2J' }, 'seen');
    await close();
    expect(lines[0]).not.toMatch(/[\u009b\u202e]/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ title: 'a\u009b2J\u202eb\u001b[2J' });
  });

  it('omits the command that a Redis client attaches to its errors', async () => {
    const { lines, log, close } = open();
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
    const { lines, log, close } = open();
    const cause = new Error('ECONNREFUSED', { cause: new Error('fetch failed') });
    log.warn({ err: new Error('no answer: ECONNREFUSED.', { cause }) }, 'failed');
    log.warn({ err: new Error('no answer', { cause }) }, 'failed');
    await close();
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual([
      'no answer: ECONNREFUSED.',
      'no answer: ECONNREFUSED',
    ]);
  });

  it('redacts secrets by value and by shape, even in causes of errors and in nested fields', async () => {
    const { lines, log, close } = open({ redact: createRedact(['canary-0123456789']) });
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
