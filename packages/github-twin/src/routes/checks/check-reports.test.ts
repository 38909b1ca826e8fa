import { startWithApp } from '../../testing/an-app.js';
import { ask } from '../../testing/ask.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, REPO } from '../../testing/test-twin.js';

const annotation = (line: number) => ({
  path: 'README.md',
  start_line: line,
  end_line: line,
  annotation_level: 'warning',
  message: `line ${line}`,
});

async function startRun(body: object = {}) {
  const { twin, app } = await startWithApp();
  const head_sha = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const token = app.token('acme');
  const run = await ask(twin, `POST ${AT}/check-runs`, {
    token,
    body: { name: 'review', head_sha, ...body },
  });
  const patch = (change: object, by = token) =>
    ask(twin, `PATCH ${AT}/check-runs/${at(run.body, 'id')}`, { token: by, body: change });
  return { twin, app, run, patch };
}

describe('a check run of an App', () => {
  it('has a report that collects the annotations of several requests, 50 per request', async () => {
    const lines = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => annotation(from + i));
    const report = { title: 'Review', summary: '3 findings', text: 'details' };
    const { twin, run, patch } = await startRun({ output: { ...report, annotations: lines(1, 50) } });
    expect([at(run.body, 'output', 'title'), at(run.body, 'app', 'slug')]).toEqual(['Review', 'mergexo']);
    const more = await patch({ output: { ...report, summary: '53 findings', annotations: lines(51, 3) } });
    expect([at(more.body, 'output', 'annotations_count'), at(more.body, 'output', 'summary')]).toEqual([
      53,
      '53 findings',
    ]);
    const listed = await ask(twin, `GET ${AT}/check-runs/${at(run.body, 'id')}/annotations?per_page=100`);
    expect(each(listed.body, 'start_line')).toEqual(Array.from({ length: 53 }, (_, i) => i + 1));
    expect((await patch({ output: { ...report, annotations: lines(1, 51) } })).status).toBe(422);
  });

  it('cannot be completed without a conclusion or have a text of more than 65,535 characters', async () => {
    const { patch } = await startRun();
    const refused = await patch({ status: 'completed' });
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      422,
      expect.stringContaining('"conclusion" wasn\'t supplied'),
    ]);
    const long = (length: number) => patch({ output: { title: 'T', summary: 'x'.repeat(length) } });
    expect([(await long(65_535)).status, (await long(65_536)).status]).toEqual([200, 422]);
    expect((await patch({ status: 'completed', conclusion: 'neutral' })).status).toBe(200);
  });

  it('can be changed only by its App', async () => {
    const { twin, patch } = await startRun();
    const other = twin.registerApp({ slug: 'other', owner: 'bob', permissions: { checks: 'write' } });
    other.install('acme');
    const refused = await patch({ conclusion: 'success' }, other.token('acme'));
    expect([refused.status, at(refused.body, 'message')]).toEqual([
      403,
      expect.stringContaining('only be modified by the GitHub App that created it'),
    ]);
  });
});
