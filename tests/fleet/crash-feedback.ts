import { FAILPOINTS } from '@mergexo/core/basics';
import { killPrograms, type Program } from '@mergexo/testkit';
import { NOT_IN_FEEDBACK } from './failpoints.js';
import { createScene, type Scene } from './feedback-scene.js';
import { REPO } from './walk.js';

/** A turn that posts four times passes these failpoints four times. Each pass is a separate case. */
const PER_ACTION = ['poller:action-sending', 'poller:action-answered', 'poller:action-settled'];

/** Every failpoint of a feedback turn, in the order in which the turn passes them. */
export const FEEDBACK_POINTS: readonly string[] = FAILPOINTS.filter(
  (point) => !NOT_IN_FEEDBACK.includes(point),
).flatMap((point) => (PER_ACTION.includes(point) ? [1, 2, 3, 4].map((nth) => `${point}#${nth}`) : [point]));

const FREEZE = FEEDBACK_POINTS.indexOf('poller:freeze-written');

export type Victim = {
  scene: Scene;
  crash(points: readonly string[], around?: Around): Promise<string[]>;
  close(): Promise<void>;
};
/** What a test does after the last kill, before and after the killed program starts again. */
export type Around = { killed(): Promise<void>; restarted(): Promise<void> };
const NOTHING: Around = { killed: async () => {}, restarted: async () => {} };

/** Creates a pull request for crash tests. Each `crash` posts new comments and returns the problems it finds. */
export async function createVictim(): Promise<Victim> {
  const scene = await createScene();
  await killPrograms([scene.poller, scene.worker]);
  const pair = createPair(scene);
  return {
    scene,
    async crash(points, around = NOTHING) {
      try {
        await pair.stop();
        const before = await takeStock(scene);
        const inline = await comment(scene, before.commits.length);
        let reached = 0;
        for (const point of points) if (await diesOrEnds(scene, before, await pair.arm(point))) reached += 1;
        await around.killed();
        pair.restore();
        await around.restarted();
        await scene.until(() => {
          if (!isDone(scene, before)) throw new Error(`the turns are ${describeTurns(scene)}`);
        });
        return [
          ...(reached === 0 ? [`${points[0]} was not reached`] : []),
          ...(await findFaults(scene, before, inline, points)),
        ];
      } catch (error) {
        return [`${error}`.slice(0, 3_000)];
      }
    },
    close: () => scene.close(),
  };
}

export async function crashFeedback(points: readonly string[]): Promise<string[]> {
  const victim = await createVictim();
  try {
    return await victim.crash(points);
  } finally {
    await victim.close();
  }
}

/** Counts before a round. The checks compare them with the counts afterwards. */
type Stock = {
  replies: number;
  comments: number;
  commits: string[];
  pushes: number;
  calls: number;
  turns: number;
};

async function takeStock(scene: Scene): Promise<Stock> {
  const { walk, issue } = scene;
  return {
    replies: (await scene.replies()).length,
    comments: (await scene.comments()).length,
    commits: await scene.commits(),
    pushes: listPushes(scene).length,
    calls: walk.agentCalls(issue),
    turns: scene.turns().length,
  };
}

const listPushes = ({ walk, branch }: Scene) =>
  walk.twin.history.list('ref').filter(({ ref }) => ref.endsWith(branch));

const describeTurns = ({ turns }: Scene): string =>
  turns()
    .map(({ state }) => state)
    .join(', ');

function isDone({ turns }: Scene, before: Stock): boolean {
  return turns().length > before.turns && turns().at(-1)?.state === 'done';
}

/** Runs one poller and one worker, and replaces crashed programs. A failpoint in one does not affect the other. */
function createPair({ walk }: Scene) {
  const start = { poller: walk.startPoller, worker: walk.startWorker };
  const running: { poller?: Program; worker?: Program } = {};
  const restore = (): void => {
    for (const app of ['poller', 'worker'] as const) {
      const program = running[app];
      if (program === undefined || program.child.signalCode !== null) running[app] = start[app]();
    }
  };
  return {
    restore,
    stop: () => killPrograms([running.poller, running.worker].filter((program) => program !== undefined)),
    async arm(point: string): Promise<Program> {
      const app = point.startsWith('poller:') ? 'poller' : 'worker';
      await killPrograms(running[app] === undefined ? [] : [running[app]]);
      const victim = start[app](point);
      running[app] = victim;
      restore();
      return victim;
    },
  };
}

/** Posts three line comments and one general comment. One of them requests a change. */
async function comment({ walk, pr }: Scene, round: number): Promise<number[]> {
  const listIds = async (): Promise<number[]> => {
    const rows = await walk.alice.request(
      'GET',
      `/repos/${REPO}/pulls/${pr}/comments?sort=created&direction=desc`,
    );
    return Array.isArray(rows) ? rows.map(({ id }) => id) : [];
  };
  const [newest = 0] = await listIds();
  await walk.alice.submitReview(REPO, pr, {
    event: 'REQUEST_CHANGES',
    body: 'Some questions.',
    comments: [
      { path: 'fix.txt', line: 1, body: `Why? {"write":{"more.txt":"${round}\\n"}}` },
      { path: 'fix.txt', line: 2, body: 'And this?' },
      { path: 'fix.txt', line: 3, body: 'And that?' },
    ],
  });
  return (await listIds()).filter((id) => id > newest).sort((a, b) => a - b);
}

/** Returns false if the turn ended without a second crash, because it had already passed the second failpoint. */
async function diesOrEnds(scene: Scene, before: Stock, victim: Program): Promise<boolean> {
  await scene.until(() => {
    if (victim.child.signalCode !== 'SIGKILL' && !isDone(scene, before))
      throw new Error(`timed out before a kill or the end of the turn: ${describeTurns(scene)}`);
  });
  // A turn is done before it passes the last failpoints, so a program may be killed shortly afterwards.
  await Promise.race([victim.exited, scene.aWhile(1_000)]);
  return victim.child.signalCode === 'SIGKILL';
}

/** Compares the twin and git with the counts before the round. Never reads MergeXO's database. */
async function findFaults(
  scene: Scene,
  before: Stock,
  inline: readonly number[],
  points: readonly string[],
): Promise<string[]> {
  const { walk } = scene;
  const after = await takeStock(scene);
  const replies = (await scene.replies()).slice(before.replies);
  const answered = replies.map(({ in_reply_to_id }) => in_reply_to_id ?? 0).sort((a, b) => a - b);
  const posted = after.comments - before.comments;
  const calls = after.calls - before.calls;
  const pushes = after.pushes - before.pushes;
  const grown = after.commits.length - before.commits.length;
  const kept =
    JSON.stringify(after.commits.slice(0, before.commits.length)) === JSON.stringify(before.commits);
  const early = points.filter((point) => FEEDBACK_POINTS.indexOf(point) < FREEZE).length;
  // Arming the second failpoint also kills its process, which allows one more agent call.
  const allowed = points.length === 1 ? 1 + early : 2 + early;
  return [
    ...(JSON.stringify(answered) === JSON.stringify(inline)
      ? []
      : [`replies to ${answered}, not to ${inline}`]),
    ...(posted === 1 ? [] : [`${posted} general comments`]),
    ...(grown === 1 && kept ? [] : [`the commits were ${before.commits} and are ${after.commits}`]),
    ...(listPushes(scene).some(({ forced }) => forced) ? ['history was rewritten'] : []),
    ...(pushes === 1 ? [] : [`${pushes} pushes`]),
    ...(calls <= allowed ? [] : [`the agent ran ${calls} times, at most ${allowed} are allowed`]),
    ...walk.twin.control.violations().map((violation) => JSON.stringify(violation)),
  ];
}
