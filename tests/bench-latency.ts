/** `npm run bench:latency`: how long after a comment its agent starts, on the real stack, with many pull requests open. */
import { parseArgs } from 'node:util';
import { eventually } from '@mergexo/testkit';
import { createWalk, REPO } from './fleet/walk.js';

const { values } = parseArgs({ options: { pulls: { type: 'string', default: '100' } } });
const count = Number(values.pulls);
const ROUNDS = 5;
/** As in the walk's configuration, and the two seconds that everything else may take. */
const LIMIT_SECONDS = 0.5 + 0.3 + 2;

const walk = await createWalk({ limits: '[limits]\nmax_open_runs = 1000\nmax_open_prs = 1000\n' });
try {
  const numbers = await openPulls();
  walk.startPoller();
  await walk.ready(walk.startWorker(), 'worker is ready');
  await eventually(() => {
    const [repo] = walk.withState((state) => state.listRepositories());
    const left = walk
      .withState((state) => state.listWatchedPulls(repo?.id ?? 0))
      .filter((pull) => pull.listedAt === null);
    if (left.length > 0) throw new Error(`${left.length} pull requests are not read yet`);
  }, 300_000);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { issue, pr } = numbers[Math.floor(((round + 0.5) * count) / ROUNDS)] ?? { issue: 0, pr: 0 };
    const begun = performance.now();
    await walk.alice.comment(REPO, pr, 'Why?');
    await eventually(() => {
      if (walk.agentCalls(issue) === 0)
        throw new Error(`no agent was asked:\n${walk.outputs().slice(-2_000)}`);
    }, 60_000);
    times.push((performance.now() - begun) / 1_000);
  }
  const shown = times.map((time) => time.toFixed(1)).join(', ');
  process.stdout.write(`${count} open pull requests, a comment on one: its agent started after ${shown} s `);
  process.stdout.write(`(poll interval, debounce and 2 s are ${LIMIT_SECONDS} s)\n`);
} finally {
  await walk.close();
}

/** As if each had been opened by a turn of ours. */
async function openPulls(): Promise<{ issue: number; pr: number }[]> {
  const robot = walk.twin.as('robot');
  const repoId = Number(Object(await walk.alice.request('GET', `/repos/${REPO}`)).id);
  walk.withState((state) =>
    state.saveRepository({ id: repoId, owner: 'alice', name: 'app', defaultBranch: 'main' }),
  );
  const opened: { issue: number; pr: number }[] = [];
  for (let index = 0; index < count; index += 1) {
    const issue = await walk.alice.openIssue(REPO, { title: `Issue ${index}`, body: '{}' });
    const branch = `agent/small/${issue}-issue`;
    const headSha = await robot.pushFiles(REPO, branch, { [`file-${index}.txt`]: 'x\n' });
    const pr = await robot.openPull(REPO, { title: `Change ${index}`, head: branch, base: 'main' });
    walk.withState((state) => {
      const facts = {
        repoId,
        issueNumber: issue,
        flow: 'small_job',
        ordinal: 1,
        issueTitle: 'Issue',
      } as const;
      const run = state.recordRun({ ...facts, branch, designDocPath: null }, Date.now());
      if (run === undefined) return;
      state.saveRun({ ...run, status: 'awaiting_feedback', prNumber: pr }, Date.now());
      state.recordPull(
        { repoId, prNumber: pr, runId: run.id, issueNumber: issue, branch, headSha, url: null },
        Date.now(),
      );
      state.saveSession({ runId: run.id, adapter: 'command', threadId: null, stateSummary: '' }, Date.now());
    });
    opened.push({ issue, pr });
  }
  return opened;
}
