import type { LedgerAnswer, TurnMessage } from '@mergexo/core/ledger';
import fc from 'fast-check';
import type { Hand, World } from './ledger-world.js';

/** Delivery of a message: it arrives, it is lost until a worker repeats it, or only its response is lost. */
type Post = 'arrives' | 'lost' | 'answer-lost';

export type Op =
  | {
      kind: 'receive' | 'begin' | 'plan' | 'freeze' | 'prove' | 'push' | 'finish' | 'progress';
      hand: number;
      post: Post;
    }
  | { kind: 'fail'; hand: number; cause: 'agent' | 'infrastructure'; post: Post }
  | { kind: 'release'; hand: number; post: Post }
  | { kind: 'walk'; hand: number; steps: number }
  | { kind: 'crash' | 'stall'; hand: number }
  | { kind: 'repeat'; which: number }
  | { kind: 'resend-spool' | 'flush' | 'restart-poller' | 'reconcile' | 'locks-expire' }
  | { kind: 'advance'; ms: number };

const NO_USAGE = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

const hand = fc.nat({ max: 2 });
const post = fc.constantFrom<Post>('arrives', 'arrives', 'arrives', 'lost', 'answer-lost');

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('walk' as const), hand, steps: fc.integer({ min: 1, max: 7 }) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['receive', 'begin', 'plan', 'freeze', 'prove', 'push', 'finish', 'progress'] as const),
      ),
      hand,
      post,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      hand,
      cause: fc.constantFrom('agent' as const, 'infrastructure' as const),
      post,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), hand, post }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('crash' as const, 'stall' as const), hand }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('repeat' as const), which: fc.nat({ max: 40 }) }) },
  { weight: 1, arbitrary: fc.constantFrom<Op>({ kind: 'flush' }, { kind: 'restart-poller' }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Op>({ kind: 'reconcile' }, { kind: 'resend-spool' }, { kind: 'locks-expire' }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.constantFrom(1_000, 7_000, 31_000),
    }),
  },
);

export const schedule: fc.Arbitrary<{ turns: number; ops: Op[] }> = fc.record({
  turns: fc.integer({ min: 1, max: 3 }),
  ops: fc.array(op, { minLength: 10, maxLength: 60, size: 'max' }),
});

/** Runs the ops, then lets honest workers finish the remaining turns. */
export async function play(world: World, ops: readonly Op[]): Promise<void> {
  await world.reconcile();
  const hands: Hand[] = [{ id: 'w0' }, { id: 'w1' }, { id: 'w2' }];
  for (const each of ops) await perform(world, hands, each);
  await restore(world);
}

async function perform(world: World, hands: Hand[], each: Op): Promise<void> {
  switch (each.kind) {
    case 'advance':
      return world.advance(each.ms);
    case 'flush':
      return world.flush();
    case 'locks-expire':
      return world.carrier.stall();
    case 'restart-poller':
      return world.restartPoller();
    case 'reconcile':
      return void (await world.reconcile());
    case 'resend-spool':
      for (const message of world.spool.splice(0)) await world.send(message);
      return;
    case 'repeat': {
      const message = world.sent[each.which % Math.max(1, world.sent.length)];
      return void (message && (await world.deliver(message)));
    }
    case 'crash':
      return crash(hands, each.hand);
    case 'stall': {
      const delivery = hands[each.hand]?.delivery;
      return void (delivery && (await world.carrier.stall(delivery)));
    }
    case 'walk':
      for (let i = 0; i < each.steps; i += 1) await nextStep(world, hands, each.hand);
      return;
    default:
      return step(world, hands, each);
  }
}

/** Replaces a crashed worker. The new worker has another id, because its process has another pid. */
function crash(hands: Hand[], index: number): void {
  hands[index] = { id: `${hands[index]?.id}x`.slice(0, 60) };
}

type StepOp = Extract<Op, { post: Post }>;

/** Takes the next step of an honest worker. */
async function nextStep(world: World, hands: Hand[], index: number): Promise<void> {
  const it = hands[index];
  if (it === undefined) return;
  const kind = !it.delivery
    ? 'receive'
    : !it.begun
      ? 'begin'
      : !it.parcel
        ? 'plan'
        : !it.frozen
          ? 'freeze'
          : !it.lockProved
            ? 'prove'
            : 'push-and-finish';
  if (kind !== 'push-and-finish') return step(world, hands, { kind, hand: index, post: 'arrives' });
  await step(world, hands, { kind: 'push', hand: index, post: 'arrives' });
  await step(world, hands, { kind: 'finish', hand: index, post: 'arrives' });
}

async function step(world: World, hands: Hand[], each: StepOp): Promise<void> {
  const it = hands[each.hand];
  if (it === undefined) return;
  const leave = async (): Promise<void> => {
    if (it.delivery) await world.carrier.complete(it.delivery);
    hands[each.hand] = { id: it.id };
  };
  if (each.kind === 'receive') {
    if (it.delivery === undefined) {
      const delivery = await world.carrier.receive();
      if (delivery) it.delivery = delivery;
    }
    return;
  }
  if (each.kind === 'begin') return begin(world, hands, each);
  const held = it.begun;
  if (held === undefined) return;
  if (each.kind === 'plan') {
    it.parcel ??= world.makePlan(held.turnKey);
    return;
  }
  if (each.kind === 'prove') {
    if (it.frozen && it.delivery) it.lockProved = await world.carrier.provesLock(it.delivery);
    if (it.frozen && !it.lockProved) {
      await post_(world, 'arrives', { kind: 'release', ...held, reason: 'lock lost' });
      await leave();
    }
    return;
  }
  if (each.kind === 'push') {
    const sha = it.parcel?.plan.commit?.sha;
    if (it.lockProved && sha !== undefined) {
      world.push(held.turnKey, held.attempt, sha);
      it.pushed = true;
    }
    return;
  }
  const message = buildMessage(it, each);
  if (message === undefined) return;
  if (message.kind === 'freeze' && !world.spool.includes(message)) world.spool.push(message);
  const answer = await post_(world, each.post, message);
  if (answer === undefined) return;
  if (message.kind === 'freeze') {
    world.spool.splice(0, world.spool.length, ...world.spool.filter((kept) => kept !== message));
    it.frozen = answer.kind === 'ok';
  }
  const ends = message.kind === 'finish' || message.kind === 'fail' || message.kind === 'release';
  if (ends || answer.kind === 'refused' || answer.kind === 'stop') await leave();
}

async function begin(world: World, hands: Hand[], each: StepOp): Promise<void> {
  const it = hands[each.hand];
  if (it?.delivery === undefined || it.begun !== undefined) return;
  const { turnKey, epoch, deliveryId } = it.delivery;
  const answer = await post_(world, each.post, {
    kind: 'begin',
    requestId: `${it.id}@${deliveryId}`,
    turnKey,
    epoch,
    workerId: it.id,
  });
  if (answer === undefined) return;
  if (answer.kind === 'begun') {
    it.begun = { turnKey, attempt: answer.attempt };
    if (answer.frozen) {
      it.parcel = answer.frozen;
      it.frozen = true;
    }
    return;
  }
  if (answer.kind === 'retry-later') await world.carrier.postpone(it.delivery);
  else await world.carrier.complete(it.delivery);
  hands[each.hand] = { id: it.id };
}

function buildMessage(it: Hand, each: StepOp): TurnMessage | undefined {
  const held = it.begun;
  if (held === undefined) return undefined;
  switch (each.kind) {
    case 'freeze':
      return it.parcel && { kind: 'freeze', ...held, parcel: it.parcel, finished: false };
    case 'finish':
      return it.pushed ? { kind: 'finish', ...held, outcome: 'pushed', reason: null } : undefined;
    case 'fail':
      return {
        kind: 'fail',
        ...held,
        cause: each.cause,
        reason: 'scheduled',
        retryAfterMs: null,
        usage: NO_USAGE,
      };
    case 'release':
      return { kind: 'release', ...held, reason: 'scheduled' };
    case 'progress':
      return { kind: 'progress', ...held, sequence: 1, step: 'x' };
    default:
      return undefined;
  }
}

async function post_(world: World, how: Post, message: TurnMessage): Promise<LedgerAnswer | undefined> {
  if (how === 'lost') {
    world.sent.push(message);
    return undefined;
  }
  const answer = await world.send(message);
  return how === 'arrives' ? answer : undefined;
}

const isOpen = (world: World): boolean =>
  world.turnKeys.some((turnKey) =>
    ['queued', 'running', 'frozen'].includes(world.readTurn(turnKey)?.state ?? ''),
  );

/** Lets time pass, reconciles, and lets one honest worker finish the remaining turns. */
async function restore(world: World): Promise<void> {
  for (let round = 0; round < 40 && isOpen(world); round += 1) {
    world.advance(301_000);
    await world.carrier.stall();
    await world.reconcile();
    const hands: Hand[] = [{ id: `healer-${round}` }];
    for (let i = 0; i < 8; i += 1) await nextStep(world, hands, 0);
  }
}
