import { createPeople, type People } from './feedback-people.js';
import type { Activity, Op, Schedule } from './feedback-schedule.js';
import { type Crew, createCrew } from './feedback-worker.js';
import { type FeedbackWorld, REPO, WINDOW_MS } from './feedback-world.js';

const MAX_ROUNDS = 40;
const SECOND = 1_000;
const PAUSE_MS = 6 * SECOND;

export type Played = Activity & { problems: string[] };

/** Runs the ops, then ends all faults and waits until nothing changes. */
export async function play(world: FeedbackWorld, { ops }: Schedule): Promise<Played> {
  const people = createPeople(world);
  const crew = createCrew(world);
  for (const op of ops) await perform({ world, people, crew }, op);
  const isQuiet = await restore({ world, people, crew });
  const problems = isQuiet ? crew.problems : [...crew.problems, 'MergeXO never becomes idle'];
  const maySeeStalePulls = ops.some((op) => op.kind === 'fault' && op.fault.kind === 'stale');
  return { posted: people.posted, maySeeStalePulls, problems };
}

type Cast = { world: FeedbackWorld; people: People; crew: Crew };

async function perform(cast: Cast, op: Op): Promise<void> {
  const { world, crew } = cast;
  switch (op.kind) {
    case 'advance':
      return world.advance(op.ms);
    case 'poll':
      return world.poll();
    case 'drain':
      return world.drain();
    case 'restart':
      return world.restart();
    case 'lose-state':
      crew.forget();
      return world.loseState();
    case 'flush':
      return world.flush();
    case 'calm':
      return world.calm();
    case 'arm':
      return world.arm(op.failpoint, op.ordinal);
    case 'fault':
      return void world.twin.control.fault(op.fault);
    case 'lag':
      world.lag.seconds = op.seconds;
      return;
    case 'step':
      return crew.step(op.hand, op.post, op.style);
    case 'give-up':
      return crew.giveUp(op.hand, op.how, op.post);
    case 'worker-crash':
      return crew.crash(op.hand);
    case 'repeat':
      return crew.repeat(op.which);
    case 'round':
      for (let i = 0; i < op.polls; i += 1) {
        world.advance(PAUSE_MS);
        await world.poll();
      }
      for (let i = 0; i < op.steps; i += 1) await crew.step(op.hand, 'arrives', op.style);
      return world.drain();
    default:
      if (!('soon' in op) || op.soon !== true) world.advance(SECOND);
      return act(cast, op);
  }
}

type HumanOp = Extract<
  Op,
  {
    kind:
      | ('comment' | 'line' | 'reply' | 'review' | 'edit' | 'delete' | 'touch-own-comment')
      | ('storm' | 'push' | 'rewrite' | 'close' | 'merge' | 'reopen' | 'take-over' | 'unblock');
  }
>;

async function act({ world, people }: Cast, op: HumanOp): Promise<void> {
  if (op.kind === 'edit') return people.edit(op.which, op.same);
  if (op.kind === 'delete') return people.remove(op.which);
  if (op.kind === 'touch-own-comment') return people.touchOwnComment(op.which, op.how);
  const pull = world.pulls[op.pull % world.pulls.length];
  if (pull === undefined) return;
  if (people.ended.has(pull.prNumber) && op.kind !== 'reopen' && op.kind !== 'comment') return;
  switch (op.kind) {
    case 'comment':
      return people.comment(pull, op.by, op.textKind);
    case 'line':
      return people.line(pull, op.by, op.textKind);
    case 'reply':
      return people.reply(pull, op.which, op.by);
    case 'review':
      return people.review(pull, op.by, op);
    case 'storm':
      return people.storm(pull);
    case 'push':
      return people.push(pull, false);
    case 'rewrite':
      return people.push(pull, true);
    case 'close':
    case 'merge':
      return people.end(pull, op.kind);
    case 'reopen':
      return people.reopen(pull);
    case 'take-over':
      return people.takeOver(pull);
    case 'unblock':
      return people.unblock(pull);
  }
}

/**
 * Ends all faults and takeovers and restarts the workers. Then lets time pass, runs honest workers and lifts reported
 * blocks until nothing changes. Returns false if changes never stop.
 */
async function restore({ world, people, crew }: Cast): Promise<boolean> {
  world.calm();
  await people.handBack();
  for (const index of [0, 1, 2]) crew.crash(index);
  // Several quiet rounds are needed, because MergeXO reads reviews one pull request after another.
  const enough = world.pulls.length + 1;
  let quiet = 0;
  for (let round = 0; round < MAX_ROUNDS && quiet < enough; round += 1) {
    world.advance(WINDOW_MS + SECOND);
    await world.poll();
    for (let i = 0; i < 6 * world.pulls.length; i += 1)
      await crew.step(round % 3, 'arrives', { replies: true, commits: round % 2 === 0 });
    await world.drain();
    const blocked = world.pulls.filter(
      ({ prNumber }) => world.state.readPull(world.repo.id, prNumber)?.status === 'blocked',
    );
    for (const pull of blocked.filter((each) => people.hasOpenNotice(each))) await people.unblock(pull);
    quiet = blocked.length === 0 && world.isAtRest() ? quiet + 1 : 0;
  }
  await world.twin.control.noticeRefs(REPO);
  return quiet >= enough;
}
