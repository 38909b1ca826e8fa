import { ask, read } from '../../testing/ask.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, REPO, startWithPull } from '../../testing/test-twin.js';

describe('checks', () => {
  it('can be written only by apps', async () => {
    const { twin, head } = await startWithPull();
    const body = {
      name: 'lint',
      head_sha: head,
      status: 'completed',
      conclusion: 'failure',
    };
    expect((await ask(twin, `POST ${AT}/check-runs`, { as: 'bob', body })).status).toBe(403);
    const run = await ask(twin, `POST ${AT}/check-runs`, { as: 'robot[bot]', body });
    expect(run.status).toBe(201);
    const runs = await ask(twin, `GET ${AT}/commits/${head}/check-runs`);
    expect([at(runs.body, 'total_count'), at(runs.body, 'check_runs', 0, 'app', 'slug')]).toEqual([
      1,
      'robot',
    ]);
    await ask(twin, `PATCH ${AT}/check-runs/${at(run.body, 'id')}`, {
      as: 'robot[bot]',
      body: { status: 'completed', conclusion: 'success' },
    });
    expect(await read(twin, `GET ${AT}/commits/topic/check-runs`, 'check_runs', 0, 'conclusion')).toBe(
      'success',
    );
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
  });
});

describe('workflow runs', () => {
  it('can start, fail, return logs, and be rerun', async () => {
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

  it('have separate suites, so that jobs with the same name in two workflows are two checks', async () => {
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

  it('no longer count as failed after a rerun passes', async () => {
    const { twin, number } = await startWithPull();
    const jobs = ['test', 'lint'].map((name) => ({ name, log: '' }));
    const id = twin.actions.start(REPO, { branch: 'topic', by: 'bob', jobs });
    twin.actions.finish(id, 'failure', { job: 'test' });
    twin.actions.finish(id, 'success', { job: 'lint' });
    const state = () => read(twin, `GET ${AT}/pulls/${number}`, 'mergeable_state');
    expect(await state()).toBe('unstable');
    await ask(twin, `POST ${AT}/actions/runs/${id}/rerun-failed-jobs`, { as: 'bob', body: {} });
    twin.actions.finish(id, 'success');
    expect(await state()).toBe('clean');
    const shown = await read(twin, `GET ${AT}/commits/topic/check-runs`, 'check_runs');
    expect(each(shown, 'conclusion')).toEqual(['success', 'success']);
  });

  it('are listed newest first', async () => {
    const { twin } = await startWithPull();
    const first = twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
    const second = twin.actions.start(REPO, { branch: 'main', by: 'alice', name: 'Nightly' });
    const listed = await read(twin, `GET ${AT}/actions/runs`, 'workflow_runs');
    expect(each(listed, 'id')).toEqual([second, first]);
    expect((await ask(twin, `GET ${AT}/actions/runs?branch=topic`)).status).toBe(501);
  });
});
