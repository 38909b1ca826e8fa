import { ask } from '../testing/ask.js';
import { type Browser, findForm, openBrowser } from '../testing/browse.js';
import { at, each } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin } from '../testing/test-twin.js';

async function start(login = 'alice') {
  const twin = await startTestTwin({ pages: true });
  const bob = twin.as('bob');
  await bob.pushFiles(REPO, 'topic', { 'src/list.txt': 'one\n2\nthree\nfour\n5\n' });
  const number = await bob.openPull(REPO, { title: 'A change', head: 'topic', body: 'Please' });
  const issue = await bob.openIssue(REPO, { title: 'Broken', body: 'It is' });
  const browser = openBrowser(twin);
  await browser.become(login);
  const pull = `/${REPO}/pull/${number}`;
  const read = async (path: string) => (await ask(twin, `GET ${AT}/${path}`)).body;
  return { twin, bob, number, issue, browser, pull, page: `/${REPO}/issues/${issue}`, read };
}

describe('a visitor', () => {
  it('comments as the chosen user, and returns to the comment', async () => {
    const { browser, page, read, issue } = await start();
    const seen = await browser.send(page, '/comment', { body: 'Me too\r\nand me', do: 'comment' });
    const [comment] = [await read(`issues/${issue}/comments`)].flat();
    expect([at(comment, 'user', 'login'), at(comment, 'body')]).toEqual(['alice', 'Me too\r\nand me']);
    expect(seen.headers.get('location')).toBe(`${page}#issuecomment-${at(comment, 'id')}`);
    expect((await browser.open(page)).text).toContain('Me too<br>\nand me');
  });

  it('opens an issue with labels, closes it with a comment and reopens it without a comment', async () => {
    const { browser, read } = await start();
    const made = await browser.send(`/${REPO}/issues/new`, '/issues', {
      title: 'New',
      body: 'b',
      label: 'bug',
    });
    const page = made.headers.get('location') ?? '';
    const path = page.slice(REPO.length + 2);
    expect(each(at(await read(path), 'labels'), 'name')).toEqual(['bug']);
    await browser.send(page, '/comment', { body: 'Done', do: 'close' });
    expect([at(await read(path), 'state'), at(await read(path), 'comments')]).toEqual(['closed', 1]);
    await browser.send(page, '/comment', { body: '', do: 'reopen' });
    expect([at(await read(path), 'state'), at(await read(path), 'comments')]).toEqual(['open', 1]);
  });

  it('adds and removes labels with any name', async () => {
    const { twin, browser, page, read, issue } = await start();
    for (const name of ['bug', 'a/b "c" <d>?#%']) {
      await twin.as('alice').label(REPO, issue, name);
      await browser.send(page, '/unlabel', {});
      expect(at(await read(`issues/${issue}`), 'labels')).toEqual([]);
      await browser.send(page, '/label', { label: name });
      expect(each(at(await read(`issues/${issue}`), 'labels'), 'name')).toEqual([name]);
      await twin.as('alice').unlabel(REPO, issue, name);
    }
    await twin.as('alice').label(REPO, issue, '..');
    expect((await browser.send(page, '/unlabel', {})).status).toBe(422);
  });

  it.each(['merge', 'squash'])(
    'merges by %s only the head that the page showed, not commits that were pushed later',
    async (method) => {
      const { bob, browser, pull, read, number } = await start();
      const seen = await browser.open(pull);
      await bob.pushFiles(REPO, 'topic', { 'more.txt': 'more\n' });
      const form = findForm(seen.text, '/merge');
      const late = await browser.post(form.action, [...form.fields, ['method', method]]);
      expect([late.status, late.text]).toEqual([409, expect.stringContaining('Head branch was modified')]);
      expect((await browser.send(pull, '/merge', { method })).status).toBe(303);
      expect(at(await read(`pulls/${number}`), 'merged')).toBe(true);
      expect((await browser.open(pull)).text).toContain('successfully merged');
    },
  );

  it('comments on lines on either side of the diff, and replies to comments', async () => {
    const { browser, pull, read, number } = await start();
    const line = (side: string, at: number) =>
      `${pull}/files?${new URLSearchParams({ path: 'src/list.txt', side, line: String(at) })}`;
    expect((await browser.open(`${pull}/files`)).text).toContain(line('LEFT', 2).replaceAll('&', '&amp;'));
    await browser.send(line('RIGHT', 5), '/line-comment', { body: 'Five!', do: 'single' });
    await browser.send(line('LEFT', 2), '/line-comment', { body: 'Two?', do: 'single' });
    const comments = await read(`pulls/${number}/comments`);
    expect([each(comments, 'side'), each(comments, 'line')]).toEqual([
      ['RIGHT', 'LEFT'],
      [5, 2],
    ]);
    await browser.send(`${pull}/files`, '/reply', { body: 'A reply' });
    const last = at(await read(`pulls/${number}/comments`), 2);
    expect([at(last, 'body'), at(last, 'in_reply_to_id')]).toEqual(['A reply', at(comments, 1, 'id')]);
  });

  it('adds line comments to a review one by one, and submits the review', async () => {
    const { twin, browser, pull, read, number } = await start();
    const files = (line: number) => `${pull}/files?path=src%2Flist.txt&side=RIGHT&line=${line}`;
    await browser.send(files(2), '/line-comment', { body: 'Two?', do: 'review' });
    await browser.send(files(5), '/line-comment', { body: 'Five?', do: 'review' });
    const visibleTo = async (as: string) =>
      each((await ask(twin, `GET ${AT}/pulls/${number}/comments`, { as })).body, 'body');
    expect([await visibleTo('alice'), await visibleTo('bob')]).toEqual([['Two?', 'Five?'], []]);
    const seen = await browser.send(`${pull}/files`, '/review', {
      event: 'REQUEST_CHANGES',
      body: 'See inline',
    });
    const reviews = await read(`pulls/${number}/reviews`);
    expect([each(reviews, 'state'), each(reviews, 'body')]).toEqual([['CHANGES_REQUESTED'], ['See inline']]);
    expect(seen.headers.get('location')).toBe(`${pull}#pullrequestreview-${at(reviews, 0, 'id')}`);
    await browser.send(`${pull}/files`, '/review', { event: 'APPROVE', body: '' });
    expect((await browser.open(pull)).text).toMatch(/requested changes[\s\S]*approved these changes/);
  });

  it('resolves and unresolves a conversation', async () => {
    const { twin, bob, browser, pull, number } = await start();
    const id = await bob.reviewComment(REPO, number, { path: 'src/list.txt', line: 2, body: 'Hm' });
    for (const by of [twin.userId('alice'), null]) {
      expect((await browser.send(pull, '/resolve', {})).status).toBe(303);
      expect(twin.world.store.reviewComments.get(id)?.resolvedById).toBe(by);
    }
    await browser.become('carol');
    expect((await browser.open(pull)).text).not.toContain('/resolve"');
  });

  it('must obey the rules of the API', async () => {
    const { browser, page, pull } = await start('carol');
    for (const [path, form] of [
      [page, 'label'],
      [pull, 'merge'],
    ] as const) {
      expect((await browser.open(path)).text).not.toContain(`/${form}"`);
      const forced = await browser.post(`${path}/${form}`, [
        ['label', 'bug'],
        ['method', 'merge'],
      ]);
      expect([forced.status, forced.text]).toEqual([403, expect.stringContaining('access to Repository')]);
    }
    const blank = await browser.send(page, '/comment', { body: ' ', do: 'comment' });
    expect([blank.status, blank.text]).toEqual([422, expect.stringContaining('blank')]);
  });

  it('cannot change anything before choosing a user', async () => {
    const { twin, page } = await start();
    const browser = openBrowser(twin);
    const { text } = await browser.open(page);
    expect(text).toContain('Choose who you are');
    const { fields } = findForm(text, '/_pages/visitor');
    expect((await browser.post(`${page}/comment`, [...fields, ['body', 'Hi']])).status).toBe(403);
    for (const login of ['acme', 'robot[bot]'])
      expect(
        (await browser.post('/_pages/visitor', [...fields, ['user', String(twin.userId(login))]])).status,
      ).toBe(422);
  });
});

describe('a forged request', () => {
  const cases: [string, Record<string, string>][] = [
    ['from another site', { origin: 'https://evil.test' }],
    ['from another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['without a known origin', { origin: 'null' }],
    ['from another site, according to Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling subdomain, according to Sec-Fetch-Site', { 'sec-fetch-site': 'same-site' }],
    ['as JSON', { 'content-type': 'application/json' }],
    ['as text', { 'content-type': 'text/plain' }],
  ];
  const attempt = async (browser: Browser, page: string, headers: Record<string, string>) => {
    const form = findForm((await browser.open(page)).text, '/comment');
    return browser.post(form.action, [...form.fields, ['body', 'Forged'], ['do', 'comment']], headers);
  };

  it.each(cases)('is refused: %s', async (_, headers) => {
    const { browser, page, read, issue } = await start();
    expect([403, 415]).toContain((await attempt(browser, page, headers)).status);
    expect(await read(`issues/${issue}/comments`)).toEqual([]);
    expect((await attempt(browser, page, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  it('cannot act as a user if its cookie does not name a person', async () => {
    const { twin, page } = await start();
    const name = `twin_visitor_${new URL(twin.url).port}`;
    for (const value of [twin.userId('acme'), twin.userId('robot[bot]'), 0, 'x'])
      expect(
        (await openBrowser(twin).visit(page, { headers: { cookie: `${name}=${value}` } })).text,
      ).toContain('Choose who you are');
  });

  it.each([
    '//evil.test',
    '/\\evil.test',
    'https://evil.test/',
    'javascript:alert(1)',
    '\t//evil.test',
    '/\t/evil.test',
  ])('cannot redirect the visitor to another server: %j', async (back) => {
    const { twin, browser } = await start();
    const form = findForm((await browser.open('/')).text, '/_pages/visitor');
    const fields = form.fields.filter(([name]) => name !== 'back');
    const seen = await browser.post(form.action, [
      ...fields,
      ['back', back],
      ['user', String(twin.userId('bob'))],
    ]);
    expect([seen.status, new URL(seen.headers.get('location') ?? '', twin.url).origin]).toEqual([
      303,
      twin.url,
    ]);
  });
});
