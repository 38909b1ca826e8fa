import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTwin, type Twin } from './start/start-twin.js';

const [COMMENTS, PULLS, FILES, ROUNDS, REQUESTS] = [1_000, 300, 5_000, 40, 10_000];
const REPO = 'acme/big';
const say = (text: string) => void process.stdout.write(`${text}\n`);

const PAGES = [
  '/pulls?state=open&sort=updated&direction=desc&per_page=100',
  '/pulls?state=open&per_page=100&page=3',
  '/issues?state=all&sort=updated&direction=desc&per_page=100',
  '/issues/comments?sort=updated&direction=desc&per_page=100',
  '/issues/1/comments?per_page=100&page=5',
  '/pulls/comments?sort=updated&direction=desc&per_page=100',
  '/branches?per_page=100',
  '/contents/src/dir-7',
];

async function main(): Promise<void> {
  const started = performance.now();
  const twin = await fill();
  say(
    `filled in ${((performance.now() - started) / 1000).toFixed(1)} s: ${COMMENTS} comments, ${PULLS} open pull requests, ${FILES} files`,
  );
  const bare = await startBare();
  try {
    const base = await measure(() => get(bare.url, ''));
    say(`\nbare Node HTTP answer: ${base.toFixed(2)} ms at the median\n`);
    say('| page | median ms | ratio to bare | unchanged (304) ms |\n|---|---|---|---|');
    for (const page of PAGES) await measurePage(twin, page, base);
    await measureMemory(twin);
  } finally {
    bare.stop();
    await twin.stop();
  }
}

async function fill(): Promise<Twin> {
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, index) => [
      `src/dir-${index % 50}/file-${index}.txt`,
      `line\n${index}\n`,
    ]),
  );
  const limits = { primaryPerHour: 1e9, pointsPerMinute: 1e9, contentPerMinute: 1e9, contentPerHour: 1e9 };
  const twin = await startTwin({
    seed: {
      users: [{ login: 'acme' }, { login: 'bob' }],
      repos: [{ name: REPO, permissions: { bob: 'write' }, files }],
    },
    limits,
  });
  const bob = twin.as('bob');
  await bob.openIssue(REPO, { title: 'A long thread' });
  for (let index = 0; index < COMMENTS; index += 1) await bob.comment(REPO, 1, `comment ${index}`);
  for (let index = 0; index < PULLS; index += 1) {
    await bob.pushFiles(REPO, `agent/topic-${index}`, { [`new-${index}.txt`]: 'one\ntwo\n' });
    const number = await bob.openPull(REPO, { title: `Topic ${index}`, head: `agent/topic-${index}` });
    await bob.reviewComment(REPO, number, { path: `new-${index}.txt`, line: 1, body: 'why?' });
  }
  return twin;
}

async function measurePage(twin: Twin, page: string, base: number): Promise<void> {
  const url = `${twin.url}/repos/${REPO}${page}`;
  const token = twin.tokens['bob'] ?? '';
  const etag = (await get(url, token)).etag;
  const median = await measure(() => get(url, token));
  const unchanged = await measure(() => get(url, token, etag));
  say(`| ${page} | ${median.toFixed(1)} | ${(median / base).toFixed(0)} | ${unchanged.toFixed(1)} |`);
}

async function measureMemory(twin: Twin): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const heap = () => {
    if (typeof collect === 'function') collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const poll = async (count: number) => {
    for (let index = 0; index < count; index += 1)
      await get(
        `${twin.url}/repos/${REPO}/issues/1/comments?per_page=10&page=${index % 100}`,
        twin.tokens['bob'] ?? '',
      );
  };
  await poll(1_000);
  const before = heap();
  await poll(REQUESTS);
  const after = heap();
  const verdict = after - before < 5 ? 'flat' : 'GROWS';
  say(
    `\nheap over ${REQUESTS} requests: ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after: ${verdict}`,
  );
}

async function get(url: string, token: string, etag = ''): Promise<{ etag: string }> {
  const response = await fetch(url, { headers: { authorization: `token ${token}`, 'if-none-match': etag } });
  await response.arrayBuffer();
  if (response.status !== 200 && response.status !== 304)
    throw new Error(`${url} was answered ${response.status}`);
  return { etag: response.headers.get('etag') ?? '' };
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
}

async function startBare(): Promise<{ url: string; stop(): void }> {
  const server = createServer((_request, response) => response.end('{"ok":true}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/`, stop };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
});
