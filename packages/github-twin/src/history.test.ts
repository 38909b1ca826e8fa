import fs from 'node:fs';
import path from 'node:path';
import { actingAs, openHistory } from './history.js';
import { ask } from './testing/ask.js';
import { AT, makeTempDir, REPO, startTestTwin } from './testing/test-twin.js';

describe('the history', () => {
  it('says who wrote what, and what was served to whom', async () => {
    const twin = await startTestTwin();
    const number = await twin.as('bob').openIssue(REPO, { title: 'T' });
    await ask(twin, `POST ${AT}/issues/${number}/comments`, { as: 'alice', body: { body: 'hello' } });
    const [write] = twin.history.list('write').filter((entry) => entry.table === 'comments');
    expect(write).toMatchObject({ by: 'alice', op: 'create', row: { body: 'hello', number } });
    const [request] = twin.history.list('request');
    expect(request).toMatchObject({
      user: 'alice',
      method: 'POST',
      status: 201,
      counted: true,
      outcome: 'answered',
      via: 'rest',
    });
    expect(request?.bytes).toBeGreaterThan(500);
    expect(request?.requestBytes).toBe('{"body":"hello"}'.length);
  });

  it('keeps no token and grows only at its end', async () => {
    const twin = await startTestTwin();
    const before = twin.history.list().length;
    await ask(twin, `GET ${AT}`);
    const entries = twin.history.list();
    expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index + 1));
    expect(entries.length).toBe(before + 1);
    expect(fs.readFileSync(twin.history.file, 'utf8')).not.toContain(twin.tokens['alice']);
  });

  it('drops a line that a crash left half written and goes on counting', () => {
    const file = path.join(makeTempDir(), 'history.jsonl');
    const first = openHistory(file, () => 0);
    first.record({ kind: 'violation', route: 'a', errors: [] });
    first.close();
    fs.appendFileSync(file, '{"seq":2,"ki');
    const second = openHistory(file, () => 0);
    actingAs('alice', () => second.record({ kind: 'violation', route: 'b', errors: [] }));
    expect(second.list().map((entry) => entry.seq)).toEqual([1, 2]);
    second.close();
  });
});
