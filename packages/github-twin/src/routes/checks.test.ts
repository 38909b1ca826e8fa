import { ask, read } from '../testing/ask.js';
import { at, each } from '../testing/pluck.js';
import { AT, REPO, startTestTwin } from '../testing/test-twin.js';

async function startWithPull() {
  const twin = await startTestTwin();
  const head = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
  return { twin, head, number };
}

describe('checks', () => {
  it('are written by apps only, and gather in suites', async () => {
    const { twin, head } = await startWithPull();
    const body = {
      name: 'lint',
      head_sha: head,
      status: 'completed',
      conclusion: 'failure',
      output: {
        title: 'L',
        summary: 'bad',
        annotations: [
          { path: 'a.txt', start_line: 1, end_line: 1, annotation_level: 'failure', message: 'no' },
        ],
      },
    };
    expect((await ask(twin, `POST ${AT}/check-runs`, { as: 'bob', body })).status).toBe(403);
    const run = await ask(twin, `POST ${AT}/check-runs`, { as: 'robot[bot]', body });
    expect(run.status).toBe(201);
    expect(
      each(await read(twin, `GET ${AT}/check-runs/${at(run.body, 'id')}/annotations`), 'message'),
    ).toEqual(['no']);
    const runs = await ask(twin, `GET ${AT}/commits/${head}/check-runs`);
    expect([at(runs.body, 'total_count'), at(runs.body, 'check_runs', 0, 'app', 'slug')]).toEqual([
      1,
      'robot',
    ]);
    const suites = await ask(twin, `GET ${AT}/commits/topic/check-suites`);
    const suite = at(suites.body, 'check_suites', 0);
    expect([
      at(suite, 'conclusion'),
      at(suite, 'head_branch'),
      each(at(suite, 'pull_requests'), 'number'),
    ]).toEqual(['failure', 'topic', [1]]);
    expect(await read(twin, `GET ${AT}/check-suites/${at(suite, 'id')}/check-runs`, 'total_count')).toBe(1);
    await ask(twin, `PATCH ${AT}/check-runs/${at(run.body, 'id')}`, {
      as: 'robot[bot]',
      body: { status: 'completed', conclusion: 'success' },
    });
    expect(await read(twin, `GET ${AT}/check-suites/${at(suite, 'id')}`, 'conclusion')).toBe('success');
  });

  it('make a pull request unstable until they pass', async () => {
    const { twin, head, number } = await startWithPull();
    const state = () => read(twin, `GET ${AT}/pulls/${number}`, 'mergeable_state');
    const report = (word: string) =>
      ask(twin, `POST ${AT}/statuses/${head}`, { body: { state: word, context: 'ci' } });
    expect(await state()).toBe('clean');
    await report('failure');
    expect([await state(), await read(twin, `GET ${AT}/commits/topic/status`, 'state')]).toEqual([
      'unstable',
      'failure',
    ]);
    await report('success');
    expect(await state()).toBe('clean');
    expect(each(await read(twin, `GET ${AT}/commits/${head}/statuses`), 'state')).toEqual([
      'success',
      'failure',
    ]);
  });
});

describe('workflow runs', () => {
  it('start, fail, tell why, and are run again', async () => {
    const { twin } = await startWithPull();
    const jobs = [
      { name: 'test', log: 'starting' },
      { name: 'lint', log: 'fine' },
    ];
    const id = twin.actions.start(REPO, { branch: 'topic', by: 'bob', jobs });
    const run = (...keys: string[]) => read(twin, `GET ${AT}/actions/runs/${id}`, ...keys);
    expect([await run('status'), await run('pull_requests', '0', 'number')]).toEqual(['queued', 1]);
    twin.actions.finish(id, 'success', { job: 'lint' });
    twin.actions.finish(id, 'failure', { job: 'test', log: 'boom' });
    expect([await run('status'), await run('conclusion')]).toEqual(['completed', 'failure']);
    const listed = await read(twin, `GET ${AT}/actions/runs/${id}/jobs`, 'jobs');
    expect(each(listed, 'conclusion')).toEqual(['failure', 'success']);
    const redirect = await ask(twin, `GET ${AT}/actions/jobs/${at(listed, 0, 'id')}/logs`);
    expect(redirect.status).toBe(302);
    expect(await (await fetch(redirect.headers.get('location') ?? '')).text()).toBe('boom');
    expect((await fetch(`${twin.url}/_logs/jobs/${at(listed, 0, 'id')}`)).status).toBe(403);
    expect(
      (await ask(twin, `POST ${AT}/actions/runs/${id}/rerun-failed-jobs`, { as: 'bob', body: {} })).status,
    ).toBe(201);
    expect([await run('status'), await run('run_attempt')]).toEqual(['queued', 2]);
    expect(each(await read(twin, `GET ${AT}/actions/runs/${id}/jobs`, 'jobs'), 'status')).toEqual([
      'queued',
      'completed',
    ]);
    twin.actions.finish(id, 'success');
    expect([
      await run('conclusion'),
      await read(twin, `GET ${AT}/actions/runs/${id}/attempts/1/jobs`, 'total_count'),
    ]).toEqual(['success', 2]);
  });

  it('have a suite each, so that equal names in two workflows are two checks', async () => {
    const { twin, head } = await startWithPull();
    const runs = ['CI', 'Nightly'].map((name) =>
      twin.actions.start(REPO, { branch: 'topic', by: 'bob', name }),
    );
    const suites = await Promise.all(
      runs.map((id) => read(twin, `GET ${AT}/actions/runs/${id}`, 'check_suite_id')),
    );
    const shown = await read(twin, `GET ${AT}/commits/${head}/check-runs`, 'check_runs');
    expect(each(shown, 'name')).toEqual(['test', 'test']);
    expect(each(shown, 'check_suite', 'id').sort()).toEqual(suites.sort());
  });

  it('that failed are forgiven when they are run again and pass', async () => {
    const { twin, number } = await startWithPull();
    const jobs = ['test', 'lint'].map((name) => ({ name, log: '' }));
    const id = twin.actions.start(REPO, { branch: 'topic', by: 'bob', jobs });
    twin.actions.finish(id, 'failure', { job: 'test' });
    twin.actions.finish(id, 'success', { job: 'lint' });
    const suite = await read(twin, `GET ${AT}/actions/runs/${id}`, 'check_suite_id');
    const states = async () => [
      await read(twin, `GET ${AT}/pulls/${number}`, 'mergeable_state'),
      await read(twin, `GET ${AT}/check-suites/${suite}`, 'conclusion'),
    ];
    expect(await states()).toEqual(['unstable', 'failure']);
    await ask(twin, `POST ${AT}/actions/runs/${id}/rerun-failed-jobs`, { as: 'bob', body: {} });
    twin.actions.finish(id, 'success');
    expect(await states()).toEqual(['clean', 'success']);
    for (const check of each(await read(twin, `GET ${AT}/actions/runs/${id}/jobs`, 'jobs'), 'id'))
      expect(await read(twin, `GET ${AT}/check-runs/${check}`, 'conclusion')).toBe('success');
  });

  it('that are cancelled keep what was done, and their checks say the same', async () => {
    const { twin, head } = await startWithPull();
    const jobs = ['lint', 'test'].map((name) => ({ name, log: '' }));
    const id = twin.actions.start(REPO, { branch: 'topic', by: 'bob', jobs });
    twin.actions.finish(id, 'success', { job: 'lint' });
    await ask(twin, `POST ${AT}/actions/runs/${id}/cancel`);
    const done = ['success', 'cancelled'];
    expect(each(await read(twin, `GET ${AT}/actions/runs/${id}/jobs`, 'jobs'), 'conclusion')).toEqual(done);
    const checks = each(await read(twin, `GET ${AT}/commits/${head}/check-runs`, 'check_runs'), 'conclusion');
    expect(checks.reverse()).toEqual(done);
    expect(await read(twin, `GET ${AT}/actions/runs/${id}`, 'conclusion')).toBe('cancelled');
  });

  it('are filtered by branch, head and status, newest first, and can be cancelled', async () => {
    const { twin, head } = await startWithPull();
    const first = twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
    const second = twin.actions.start(REPO, { branch: 'main', by: 'alice', name: 'Nightly' });
    const ids = async (query: string) =>
      each(await read(twin, `GET ${AT}/actions/runs?${query}`, 'workflow_runs'), 'id');
    expect([
      await ids(''),
      await ids('branch=topic'),
      await ids(`head_sha=${head}`),
      await ids('status=completed'),
    ]).toEqual([[second, first], [first], [first], []]);
    expect((await ask(twin, `POST ${AT}/actions/runs/${first}/cancel`)).status).toBe(202);
    expect(await ids('status=cancelled')).toEqual([first]);
  });

  it('hand out all logs of a run as a zip archive that others can read', async () => {
    const { twin } = await startWithPull();
    const id = twin.actions.start(REPO, {
      branch: 'topic',
      by: 'bob',
      jobs: [{ name: 'test', log: 'hello log' }],
    });
    twin.actions.finish(id, 'success');
    const redirect = await ask(twin, `GET ${AT}/actions/runs/${id}/logs`);
    const zip = Buffer.from(await (await fetch(redirect.headers.get('location') ?? '')).arrayBuffer());
    expect([
      zip.subarray(0, 4).toString('latin1'),
      zip.includes('0_test.txt'),
      zip.includes('hello log'),
    ]).toEqual(['PK\x03\x04', true, true]);
  });
});
