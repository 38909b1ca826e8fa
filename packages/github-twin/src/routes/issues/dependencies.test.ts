import { startWithApp } from '../../testing/an-app.js';
import { ask, read } from '../../testing/ask.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, REPO, startTestTwin, type Twin } from '../../testing/test-twin.js';

const summaryOf = (twin: Twin, number: number) =>
  read(twin, `GET ${AT}/issues/${number}`, 'issue_dependencies_summary');

describe('issue dependencies', () => {
  let twin: Twin;
  beforeEach(async () => {
    twin = await startTestTwin();
    for (const title of ['Blocked', 'Blocker']) await twin.as('bob').openIssue(REPO, { title });
  });
  const bob = () => twin.as('bob');
  const related = async (number: number, list: string) =>
    each((await ask(twin, `GET ${AT}/issues/${number}/dependencies/${list}`)).body, 'number');

  it('are listed from both issues, and the summaries count the open ones', async () => {
    await bob().addBlocker(REPO, 1, { number: 2 });
    expect([await related(1, 'blocked_by'), await related(1, 'blocking')]).toEqual([[2], []]);
    expect([await related(2, 'blocked_by'), await related(2, 'blocking')]).toEqual([[], [1]]);
    const counts = { blocked_by: 1, total_blocked_by: 1, blocking: 0, total_blocking: 0 };
    expect(await summaryOf(twin, 1)).toEqual(counts);
    const listed = await ask(twin, `GET ${AT}/issues?direction=asc`);
    expect(at(listed.body, 0, 'issue_dependencies_summary')).toEqual(counts);
    await bob().close(REPO, 2);
    expect(await summaryOf(twin, 1)).toEqual({ ...counts, blocked_by: 0 });
    expect(await related(1, 'blocked_by')).toEqual([2]);
    await bob().removeBlocker(REPO, 1, { number: 2 });
    expect(await summaryOf(twin, 1)).toEqual({ ...counts, blocked_by: 0, total_blocked_by: 0 });
    expect(twin.control.violations()).toEqual([]);
  });

  it.each([
    [false, 1],
    [true, 4],
  ])('change the `updated_at` of the blocked issue only with the quirk: %s', async (moves, versions) => {
    twin.control.set({ dependenciesMoveIssue: moves });
    const stamps: unknown[] = [];
    const stamp = async () => {
      stamps.push(await read(twin, `GET ${AT}/issues/1`, 'updated_at'));
      twin.control.advance(2_000);
    };
    await stamp();
    await bob().addBlocker(REPO, 1, { number: 2 });
    await stamp();
    await bob().close(REPO, 2);
    await stamp();
    await bob().removeBlocker(REPO, 1, { number: 2 });
    await stamp();
    expect(new Set(stamps).size).toBe(versions);
  });

  it('are refused for the issue itself, twice, with an unknown id, and from readers', async () => {
    const id = await read(twin, `GET ${AT}/issues/2`, 'id');
    const own = await read(twin, `GET ${AT}/issues/1`, 'id');
    const add = async (issue_id: unknown, as = 'bob') =>
      (await ask(twin, `POST ${AT}/issues/1/dependencies/blocked_by`, { as, body: { issue_id } })).status;
    expect([
      await add(own),
      await add(2),
      await add(id, 'carol'),
      await add(id),
      await add(id),
      await add('2'),
    ]).toEqual([422, 404, 403, 201, 422, 422]);
    const remove = `DELETE ${AT}/issues/1/dependencies/blocked_by/${id}`;
    expect((await ask(twin, remove)).status).toBe(200);
    expect((await ask(twin, remove)).status).toBe(404);
  });

  it('are listed for an App', async () => {
    const { twin: withApp, app } = await startWithApp();
    for (const title of ['Blocked', 'Blocker']) await withApp.as('bob').openIssue(REPO, { title });
    await withApp.as('bob').addBlocker(REPO, 1, { number: 2 });
    const path = `${AT}/issues/1/dependencies/blocked_by`;
    const listed = await ask(withApp, `GET ${path}`, { token: app.token('acme') });
    expect(each(listed.body, 'number')).toEqual([2]);
    const other = at(await read(withApp, `GET ${AT}/issues/1`), 'id');
    const added = await ask(withApp, `POST ${AT}/issues/2/dependencies/blocked_by`, {
      token: app.token('acme'),
      body: { issue_id: other },
    });
    expect(added.status).toBe(201);
  });

  it('exist for issues only, and rows of pull requests carry only the `type`', async () => {
    await bob().pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await bob().openPull(REPO, { title: 'P', head: 'topic' });
    expect((await ask(twin, `GET ${AT}/issues/${number}/dependencies/blocked_by`)).status).toBe(404);
    const rows = await ask(twin, `GET ${AT}/issues?direction=asc`);
    const fields = [
      'type',
      'sub_issues_summary',
      'issue_dependencies_summary',
      'issue_field_values',
      'closed_by',
    ];
    const carried = (index: number) => fields.filter((field) => at(rows.body, index, field) !== undefined);
    expect([carried(0), carried(2)]).toEqual([fields.slice(0, 3), ['type']]);
    const single = await ask(twin, `GET ${AT}/issues/1`);
    expect([
      at(single.body, 'type'),
      at(single.body, 'issue_field_values'),
      at(single.body, 'pinned_comment'),
    ]).toEqual([null, [], null]);
  });
});
