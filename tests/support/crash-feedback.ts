import { FAILPOINTS } from '@mergexo/core';
import type { Program } from '@mergexo/testkit';
import { createScene, type Scene } from './feedback-scene.js';
import { REPO } from './walk.js';

/** Passed by starts only: an issue becomes a run, its tests are judged as in any turn. */
const OF_STARTS: readonly string[] = [];
/** Passed several times by a turn that says four things; each time is a point of its own. */
const PER_ACTION = ['poller:action-sending', 'poller:action-answered', 'poller:action-settled'];

/** Every place where a feedback turn can be killed, in the order in which it passes them. */
export const FEEDBACK_POINTS: readonly string[] = FAILPOINTS.filter(
  (point) => !OF_STARTS.includes(point),
).flatMap((point) => (PER_ACTION.includes(point) ? [1, 2, 3, 4].map((nth) => `${point}#${nth}`) : [point]));

const FREEZE = FEEDBACK_POINTS.indexOf('poller:freeze-written');

/** Kills at each point in turn, each time followed by a restart; answers with what is wrong then. */
export async function crashFeedback(points: readonly string[]): Promise<string[]> {
  const scene = await createScene();
  try {
    await stop([scene.poller, scene.worker]);
    const commented = await comment(scene);
    let reached = 0;
    for (const point of points) {
      const inPoller = point.startsWith('poller:');
      const poller = scene.walk.startPoller(inPoller ? point : undefined);
      const worker = scene.walk.startWorker(inPoller ? undefined : point);
      const victim = inPoller ? poller : worker;
      if (await diesOrEnds(scene, victim)) reached += 1;
      await stop([poller, worker]);
    }
    scene.walk.startPoller();
    scene.walk.startWorker();
    await scene.until(() => {
      const states = scene.turns().map(({ state }) => state);
      if (states.at(-1) !== 'done') throw new Error(`the turns are ${states.join(', ')}`);
    });
    const [first = ''] = points;
    return [
      ...(reached === 0 ? [`${first} was not reached`] : []),
      ...(await findFaults(scene, commented, points)),
    ];
  } catch (error) {
    return [`${error}`.slice(0, 3_000)];
  } finally {
    await scene.close();
  }
}

type Commented = { inline: number[] };

/** Three comments on lines and one below, and one of them asks for a change. */
async function comment({ walk, pr, replies: _replies }: Scene): Promise<Commented> {
  await walk.alice.submitReview(REPO, pr, {
    event: 'REQUEST_CHANGES',
    body: 'Some questions.',
    comments: [
      { path: 'fix.txt', line: 1, body: 'Why? {"write":{"more.txt":"more\\n"}}' },
      { path: 'fix.txt', line: 2, body: 'And this?' },
      { path: 'fix.txt', line: 3, body: 'And that?' },
    ],
  });
  const rows = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pr}/comments`);
  return { inline: Array.isArray(rows) ? rows.map(({ id }) => id) : [] };
}

/** A second point may lie behind: then everything ends without it. */
async function diesOrEnds({ until, turns, aWhile }: Scene, victim: Program): Promise<boolean> {
  await until(() => {
    if (victim.child.signalCode === 'SIGKILL') return;
    if (turns().at(-1)?.state !== 'done') throw new Error('neither killed nor done');
  });
  // The last points lie right behind the end of the turn.
  await Promise.race([victim.exited, aWhile(1_000)]);
  return victim.child.signalCode === 'SIGKILL';
}

async function stop(programs: readonly Program[]): Promise<void> {
  for (const program of programs) program.kill('SIGKILL');
  await Promise.all(programs.map(({ exited }) => exited));
}

/** Read from the twin and git alone: our own database is not asked. */
async function findFaults(scene: Scene, { inline }: Commented, points: readonly string[]): Promise<string[]> {
  const { walk, replies, comments, commits, headSha, branch, issue } = scene;
  const answered = (await replies()).map(({ in_reply_to_id }) => in_reply_to_id ?? 0).sort((a, b) => a - b);
  const said = (await comments()).length;
  const history = await commits();
  const refs = walk.twin.history.list('ref').filter(({ ref }) => ref.endsWith(branch));
  const calls = walk.agentRequests(issue).filter(({ kind }) => kind.endsWith('_feedback')).length;
  const early = points.filter((point) => FEEDBACK_POINTS.indexOf(point) < FREEZE).length;
  // Both processes are stopped between two points, which costs an asking before the plan is frozen.
  const allowed = 1 + early;
  return [
    ...(JSON.stringify(answered) === JSON.stringify(inline)
      ? []
      : [`replies to ${answered}, not to ${inline}`]),
    ...(said === 1 ? [] : [`${said} general comments`]),
    ...(history.length === 2 && history[0] === headSha ? [] : [`the commits are ${history}`]),
    ...(refs.filter(({ forced }) => forced).length === 0 ? [] : ['history was rewritten']),
    ...(refs.length === 2 ? [] : [`${refs.length} pushes`]),
    ...(calls <= allowed ? [] : [`the agent was asked ${calls} times, ${allowed} are allowed`]),
    ...walk.twin.control.violations().map((violation) => JSON.stringify(violation)),
  ];
}
