import fc from 'fast-check';
import {
  decideReview,
  type ReviewDecision,
  type ReviewFix,
  type ReviewProgress,
  type ReviewRound,
} from './decide-review.js';

/** An event in the life of a pull request. */
type Happening =
  | { kind: 'look'; times: number }
  | { kind: 'reviewed'; blocking: readonly (readonly [string, string])[] }
  | { kind: 'fixed'; isFailed: boolean }
  | { kind: 'crash' | 'push' | 'comment' | 'resume' }
  | { kind: 'answered'; isPushed: boolean }
  | { kind: 'dismissed'; fingerprint: string };

type World = {
  state: ReviewProgress & { rounds: ReviewRound[]; fixes: ReviewFix[] };
  live: Extract<ReviewDecision, { kind: 'review' | 'fix' }> | null;
  liveHead: string;
  clock: number;
  heads: number;
  /** All three counters restart when a person resumes the loop. `reviews` also restarts when a person pushes. */
  reviews: number;
  fixes: number;
  escalations: number;
  reviewedHeads: string[];
  usedCycles: number[];
};

function aWorld(maxFixCycles: number): World {
  return {
    state: {
      prNumber: 42,
      headSha: 'head-0',
      isEnabled: true,
      isWorkable: true,
      hasLiveTurn: false,
      hasPendingFeedback: false,
      humanReviewRequired: false,
      resumedAt: 0,
      skippedSha: null,
      clearedAt: 0,
      maxFixCycles,
      rounds: [],
      fixes: [],
    },
    live: null,
    liveHead: '',
    clock: 0,
    heads: 0,
    reviews: 0,
    fixes: 0,
    escalations: 0,
    reviewedHeads: [],
    usedCycles: [],
  };
}

function happen(world: World, happening: Happening): void {
  world.clock += 1;
  const { state } = world;
  switch (happening.kind) {
    case 'look':
      for (let time = 0; time < happening.times; time += 1) look(world);
      return;
    case 'reviewed':
      endReview(world, happening.blocking);
      return;
    case 'fixed':
      endFix(world, happening.isFailed);
      return;
    case 'crash':
      endTurn(world);
      return;
    case 'push':
      pushByPerson(world);
      return;
    case 'comment':
      state.hasPendingFeedback = true;
      return;
    case 'answered':
      if (world.live !== null || !state.hasPendingFeedback) return;
      state.hasPendingFeedback = false;
      if (happening.isPushed) pushByPerson(world);
      return;
    case 'dismissed':
      state.rounds = state.rounds.map((round) => ({
        ...round,
        blocking: round.blocking.map((finding) =>
          finding.fingerprint === happening.fingerprint ? { ...finding, status: 'dismissed' } : finding,
        ),
      }));
      return;
    case 'resume':
      if (!state.humanReviewRequired) return;
      Object.assign(state, { humanReviewRequired: false, resumedAt: world.clock });
      Object.assign(world, { reviews: 0, fixes: 0, escalations: 0 });
  }
}

function look(world: World): void {
  const decision = decideReview(world.state);
  switch (decision.kind) {
    case 'none':
      return;
    case 'lift':
      world.state.rounds = world.state.rounds.map((round) =>
        round.id === decision.roundId ? { ...round, verdict: 'approved' } : round,
      );
      return;
    case 'escalate':
      world.state.humanReviewRequired = true;
      world.escalations += 1;
      return;
    default:
      world.live = decision;
      world.liveHead = world.state.headSha;
      world.state.hasLiveTurn = true;
  }
}

function endTurn(world: World): void {
  world.live = null;
  world.state.hasLiveTurn = false;
}

function endReview(world: World, found: readonly (readonly [string, string])[]): void {
  const { live, state, liveHead, clock } = world;
  if (live?.kind !== 'review') return;
  endTurn(world);
  // A review of an outdated head is dropped.
  if (liveHead !== state.headSha) return;
  const blocking = found.map(
    ([fingerprint, category]) => ({ fingerprint, category, status: 'open' }) as const,
  );
  state.rounds.push({
    id: state.rounds.length + 1,
    headSha: live.headSha,
    cycle: live.cycle,
    verdict: blocking.length === 0 ? 'approved' : 'changes_requested',
    blocking,
    hasFailed: false,
    completedAt: clock,
  });
  world.reviews += 1;
  world.reviewedHeads.push(live.headSha);
}

function endFix(world: World, isFailed: boolean): void {
  const { live, state, liveHead, clock } = world;
  if (live?.kind !== 'fix') return;
  endTurn(world);
  const outcome = liveHead !== state.headSha ? 'superseded' : isFailed ? 'failed' : 'pushed';
  state.fixes.push({ roundId: live.roundId, outcome, endedAt: clock });
  if (outcome === 'pushed') moveHead(world);
  if (outcome === 'superseded') return;
  world.fixes += 1;
  world.usedCycles.push(live.cycle);
}

function pushByPerson(world: World): void {
  moveHead(world);
  world.reviews = 0;
}

function moveHead(world: World): void {
  world.heads += 1;
  world.state.headSha = `head-${world.heads}`;
}

const blocking = fc.uniqueArray(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.constantFrom('tests', 'security', 'quality')),
  { maxLength: 4, selector: ([fingerprint]) => fingerprint },
);
const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('look'), times: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('reviewed'), blocking }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('fixed'), isFailed: fc.constantFrom(false, false, true) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('crash', 'push', 'comment', 'resume') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('answered'), isPushed: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('dismissed'), fingerprint: fc.constantFrom('a', 'b', 'c') }),
  },
);

/** Describes every bound that was exceeded. */
function findExcess(world: World): string[] {
  const { maxFixCycles } = world.state;
  const isUnique = (list: readonly unknown[]): boolean => new Set(list).size === list.length;
  const checks: [boolean, string][] = [
    [world.reviews <= maxFixCycles + 1, `${world.reviews} reviews since the last push by a person`],
    [world.fixes <= maxFixCycles, `${world.fixes} fixes`],
    [world.escalations <= 1, `${world.escalations} escalations`],
    [isUnique(world.reviewedHeads), 'a head was reviewed twice'],
    [isUnique(world.usedCycles), 'a cycle was used twice'],
  ];
  return checks.filter(([holds]) => !holds).map(([, words]) => words);
}

/** Runs the loop without people: the reviewer always finds something new, and the fixer always pushes. */
function runOut(world: World): number {
  let steps = 0;
  happen(world, { kind: 'answered', isPushed: false });
  for (; steps < 100; steps += 1) {
    happen(world, { kind: 'look', times: 20 });
    if (world.live === null) return steps;
    const categories = ['tests', 'security', 'quality', 'architecture'];
    const category = categories[steps % categories.length] ?? 'tests';
    happen(world, { kind: 'reviewed', blocking: [[`new-${world.clock}`, category]] });
    happen(world, { kind: 'fixed', isFailed: false });
  }
  return steps;
}

describe('the review loop', () => {
  it.each([0, 1, 2, 5])(
    'with at most %d fixes, ends with one escalation if no fix satisfies the reviewer',
    (max) => {
      const world = aWorld(max);
      expect(runOut(world)).toBeLessThan(100);
      expect([world.reviews, world.fixes, world.escalations]).toEqual([max + 1, max, 1]);
      happen(world, { kind: 'look', times: 20 });
      expect([world.reviews, world.fixes, world.escalations]).toEqual([max + 1, max, 1]);
    },
  );

  it('ends early if the reviewer repeats its findings', () => {
    const world = aWorld(5);
    for (let step = 0; step < 20; step += 1) {
      happen(world, { kind: 'look', times: 20 });
      happen(world, { kind: 'reviewed', blocking: [['same', 'tests']] });
      happen(world, { kind: 'fixed', isFailed: false });
    }
    expect([world.reviews, world.fixes, world.escalations]).toEqual([2, 1, 1]);
  });

  it('ends within its bounds, whatever reviewers, fixers, people and crashes do', () => {
    let [approved, escalated] = [0, 0];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 }), fc.array(happenings, { maxLength: 80 }), (max, story) => {
        const world = aWorld(max);
        for (const happening of story) {
          happen(world, happening);
          const excess = findExcess(world);
          if (excess.length > 0) throw new Error(`${JSON.stringify(happening)}: ${excess.join('; ')}`);
        }
        expect(runOut(world)).toBeLessThanOrEqual(2 * (max + 1) + 2);
        expect(findExcess(world)).toEqual([]);
        if (world.state.rounds.some(({ verdict }) => verdict === 'approved')) approved += 1;
        if (world.escalations > 0) escalated += 1;
      }),
      { numRuns: 2_000 },
    );
    // Checks that enough random sequences of events end in an approval or an escalation.
    expect(approved).toBeGreaterThan(50);
    expect(escalated).toBeGreaterThan(50);
  });
});
