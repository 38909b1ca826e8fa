import { request as httpRequest } from 'node:http';
import { ask } from '../testing/ask.js';
import { openBrowser } from '../testing/browse.js';
import { at } from '../testing/json-fields.js';
import { REPO, SEED, startTestTwin } from '../testing/test-twin.js';

const HOSTILE = `<script>alert('x')</script><img src=x onerror=alert(1)> & "quoted"`;

/** Lists the tags of a page that contain unescaped hostile text. */
function findStrangers(page: string): string[] {
  const tags = page.replace(/="[^"]*"/g, '').matchAll(/<[^>]*>/g);
  return [...tags].map(([tag]) => tag).filter((tag) => /alert|onerror|=|<script>|<.*</.test(tag));
}

async function startWithPull() {
  const twin = await startTestTwin({ pages: true });
  const [alice, bob] = [twin.as('alice'), twin.as('bob')];
  await bob.push(REPO, {
    branch: 'topic',
    files: { 'src/list.txt': 'one\n2\nthree\nfour\nfive\n' },
    message: 'Change two',
  });
  const number = await bob.openPull(REPO, { title: 'A change', head: 'topic', body: 'Closes nothing' });
  return { twin, alice, bob, number, browser: openBrowser(twin) };
}

describe('the pages', () => {
  it('are off by default', async () => {
    const twin = await startTestTwin();
    expect((await openBrowser(twin).open(`/${REPO}/issues`)).status).toBe(401);
  });

  it('do not change API responses', async () => {
    const { twin, number } = await startWithPull();
    const accept = { accept: 'text/html' };
    for (const path of ['/user', `/repos/${REPO}/issues`, `/repos/${REPO}/pulls/${number}`])
      expect((await ask(twin, `GET ${path}`, { headers: accept })).headers.get('content-type')).toContain(
        'json',
      );
    expect(at((await ask(twin, 'GET /')).body, 'current_user_url')).toBeDefined();
    expect((await fetch(`${twin.url}/`)).status).toBe(401);
    expect((await fetch(`${twin.url}/repos/${REPO}/issues`, { headers: accept })).status).toBe(401);
  });

  it('are served at the URLs in html_url', async () => {
    const { twin, alice, number, browser } = await startWithPull();
    await alice.openIssue(REPO, { title: 'Broken' });
    const id = await alice.comment(REPO, number, 'A word');
    const path = `/repos/${REPO}`;
    const run = twin.actions.start(REPO, { branch: 'topic', by: 'bob', name: 'docs' });
    twin.actions.finish(run, 'failure', { log: HOSTILE });
    const urls = await Promise.all(
      [
        `${path}/pulls/${number}`,
        `${path}/issues/2`,
        `${path}/issues/comments/${id}`,
        `${path}/actions/runs/${run}`,
        path,
      ].map(async (one) => String(at((await ask(twin, `GET ${one}`)).body, 'html_url'))),
    );
    for (const url of urls) {
      const seen = await browser.open(url);
      expect([url, seen.status]).toEqual([url, 200]);
      const anchor = new URL(url).hash.slice(1);
      if (anchor) expect(seen.text).toContain(`id="${anchor}"`);
    }
    expect((await browser.visit(`/${REPO}/issues/${number}`)).headers.get('location')).toBe(
      `/${REPO}/pull/${number}`,
    );
  });

  it('show lists with labels and states', async () => {
    const { alice, browser } = await startWithPull();
    const number = await alice.openIssue(REPO, { title: 'Broken', labels: ['bug'] });
    const open = (await browser.open(`/${REPO}/issues`)).text;
    expect(open).toMatch(/aria-label="Open"[\s\S]*Broken[\s\S]*class="label[\s\S]*bug/);
    expect(open).not.toContain('A change');
    expect((await browser.open(`/${REPO}/pulls`)).text).toContain('A change');
    await alice.close(REPO, number);
    expect((await browser.open(`/${REPO}/issues`)).text).not.toContain('Broken');
    expect((await browser.open(`/${REPO}/issues?state=closed`)).text).toContain('Broken');
    expect((await browser.open('/')).text).toContain(`href="/${REPO}/issues"`);
  });

  it('show a pull request: description, commits, comments, reviews and threads in order, and its state', async () => {
    const { twin, alice, bob, number, browser } = await startWithPull();
    await alice.comment(REPO, number, 'First words');
    const root = await alice.reviewComment(REPO, number, { path: 'src/list.txt', line: 2, body: 'Why two?' });
    await bob.reply(REPO, root, 'Because.');
    await alice.reply(REPO, root, 'I see.');
    await alice.submitReview(REPO, number, { event: 'APPROVE', body: 'Well done' });
    const conversation = async () => (await browser.open(`/${REPO}/pull/${number}`)).text;
    expect(await conversation()).toMatch(
      /Closes nothing[\s\S]*Change two[\s\S]*First words[\s\S]*src\/list\.txt[\s\S]*Why two\?[\s\S]*Because\.[\s\S]*I see\.[\s\S]*approved these changes[\s\S]*Well done[\s\S]*no conflicts/,
    );
    const row = twin.world.store.reviewComments.get(root);
    if (row) twin.world.store.reviewComments.put({ ...row, resolvedById: twin.userId('bob') });
    await bob.push(REPO, {
      branch: 'topic',
      files: { 'src/list.txt': 'one\n22\nthree\nfour\nfive\n' },
      message: 'Again',
    });
    expect(await conversation()).toMatch(
      /Outdated[\s\S]*Resolved[\s\S]*marked this conversation as resolved/,
    );
    expect((await browser.open(`/${REPO}/pull/${number}/files`)).text).toMatch(
      /class="removed"><td class="num">2<\/td>[\s\S]*class="added"><td class="num"><\/td><td class="num">2<\/td>/,
    );
  });

  it('show comments of a pending review to its author only', async () => {
    const { alice, number, browser } = await startWithPull();
    await alice.request('POST', `/repos/${REPO}/pulls/${number}/reviews`, {
      comments: [{ path: 'src/list.txt', line: 2, body: 'A secret' }],
    });
    const shows = async () => {
      const pages = [`/${REPO}/pull/${number}`, `/${REPO}/pull/${number}/files`];
      return Promise.all(pages.map(async (page) => (await browser.open(page)).text.includes('A secret')));
    };
    expect(await shows()).toEqual([false, false]);
    await browser.become('bob');
    expect(await shows()).toEqual([false, false]);
    await browser.become('alice');
    expect(await shows()).toEqual([true, true]);
  });

  it('show a private repository only to users with access', async () => {
    const { twin, number, browser } = await startWithPull();
    twin.control.setPermission(REPO, 'carol', null);
    await browser.become('carol');
    for (const page of ['issues', 'pulls', `pull/${number}`, `pull/${number}/files`, 'issues/new'])
      expect((await browser.open(`/${REPO}/${page}`)).status).toBe(404);
    expect((await browser.open('/')).text).not.toContain(REPO);
  });

  it('show an error page for a missing page, and record no violation', async () => {
    const { twin, browser, number } = await startWithPull();
    twin.control.deleteIssue(REPO, number);
    for (const [path, status] of [
      ['/nowhere', 404],
      [`/${REPO}/wiki`, 404],
      [`/${REPO}/issues/99`, 404],
      [`/${REPO}/pull/${number}`, 410],
      ['/_pages/..%2f..%2fpackage.json', 404],
      ['/_pages/constructor', 404],
    ] as const)
      expect([path, (await browser.open(path)).status]).toEqual([path, status]);
  });
});

describe('hostile text', () => {
  it('is escaped in titles, bodies, file names, branches, labels, commits and code', async () => {
    const seed = structuredClone(SEED);
    const twin = await startTestTwin({
      pages: true,
      seed: { ...seed, repos: [{ ...seed.repos?.[0], name: REPO, description: HOSTILE }] },
    });
    const alice = twin.as('alice');
    const file = `src/<script>alert('x')<script> onerror=&"'.txt`;
    const branch = `x/<img-src=x-onerror=alert(1)>&"'`;
    await alice.push(REPO, {
      branch,
      files: { [file]: `${HOSTILE}\n` },
      message: `${HOSTILE}\n\n${HOSTILE}`,
    });
    const number = await alice.openPull(REPO, { title: HOSTILE, head: branch, body: HOSTILE });
    await alice.label(REPO, number, `<script>alert(1)</script>`);
    const id = await alice.reviewComment(REPO, number, { path: file, line: 1, body: HOSTILE });
    await alice.reply(REPO, id, HOSTILE);
    await alice.comment(REPO, number, HOSTILE);
    const issue = await alice.openIssue(REPO, { title: HOSTILE, body: HOSTILE });
    const browser = openBrowser(twin);
    await browser.become('alice');
    const at1 = new URLSearchParams({ path: file, side: 'RIGHT', line: '1' });
    for (const page of [
      '',
      'issues',
      'pulls',
      `issues/${issue}`,
      `issues/new`,
      `pull/${number}`,
      `pull/${number}/files`,
      `pull/${number}/files?${at1}`,
      'pulls?state=<script>alert(1)</script>',
    ]) {
      const seen = await browser.open(page === '' ? '/' : `/${REPO}/${page}`);
      expect([page, seen.status, findStrangers(seen.text)]).toEqual([page, 200, []]);
    }
    expect((await browser.open(`/${REPO}/pull/${number}/files`)).text).toContain(
      '&lt;script&gt;alert(&#39;x&#39;)',
    );
  });

  it('could not run even if it were not escaped: no page allows inline scripts or styles', async () => {
    const { browser, number } = await startWithPull();
    const seen = await browser.open(`/${REPO}/pull/${number}`);
    const policy = seen.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(seen.text).not.toMatch(
      /<script(?! type="module" src="\/_pages\/pages\.js">)|<style|\sstyle=|\son\w+="/,
    );
    expect(seen.headers.get('x-frame-options')).toBe('DENY');
  });

  it('cannot inject CSS as the color of a label', async () => {
    const seed = structuredClone(SEED);
    const labels = [
      { name: 'bad', color: '}body{display:none' },
      { name: 'good', color: 'D73A4A' },
    ];
    const twin = await startTestTwin({
      pages: true,
      seed: { ...seed, repos: [{ ...seed.repos?.[0], name: REPO, labels }] },
    });
    const css = await (await fetch(`${twin.url}/_pages/labels.css`)).text();
    expect(css).toBe('.label-d73a4a{background:#d73a4a;color:#fff}\n');
  });
});

describe('a request with the host name', () => {
  const askAs = (url: string, host: string, path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(url);
      httpRequest({ port, path, headers: { host, accept: 'text/html' } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  it.each([
    ['evil.test', 403],
    ['127.0.0.1.evil.test', 403],
    ['localhost.evil.test:80', 403],
    ['localhost@evil.test', 403],
    ['10.0.0.1', 403],
    ['localhost:1234', 200],
    ['127.0.0.1', 200],
    ['[::1]:80', 200],
  ])('%s gets status %i', async (host, status) => {
    const twin = await startTestTwin({ pages: true });
    for (const path of ['/', `/${REPO}/issues`, '/_pages/pages.js', '/avatars/u/1'])
      expect([path, await askAs(twin.url, host, path)]).toEqual([path, status]);
  });
});
