import { armFailpoint, type Failpoint } from '@mergexo/core/basics';
import { aFinding, playFix, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';
import { Crash, NAME, WINDOW_MS } from '../stage/stage.js';

/** Every failpoint that the poller passes during a review loop. */
const FAILPOINTS: Failpoint[] = [
  'poller:feed-read',
  'poller:cursor-moved',
  'poller:remarks-read',
  'poller:turn-opened',
  'poller:begin-written',
  'poller:freeze-read',
  'poller:freeze-written',
  'poller:finish-written',
  'poller:action-settled',
  'poller:turn-checked',
  'poller:turn-settled',
];
/**
 * The GitHub writes of one complete review loop: three reviews with their statuses, two replies with resolved threads,
 * then a comment, a label and a review request.
 */
const WRITES = Array.from({ length: 13 }, (_, i) => i + 1);
const CRASH_POINTS = [
  ...FAILPOINTS.map((failpoint) => `${failpoint}#1`),
  ...WRITES.map((ordinal) => `poller:action-answered#${ordinal}`),
  ...[1, 3, 4, 11].map((ordinal) => `poller:action-sending#${ordinal}`),
];

const FINDINGS = [
  aFinding({ line: 1, category: 'security', body: 'The input is not validated.' }),
  aFinding({ line: 2, category: 'quality', body: 'Empty names count as names.' }),
  aFinding({ line: 3, category: 'architecture', body: 'The parser talks to the disk.' }),
];

describe('a poller that crashes during a review', () => {
  let scene: ReviewScene;
  let crashes = 0;
  afterEach(async () => {
    armFailpoint('poller:feed-read#1000000', () => {});
    await scene.stage.close();
  });

  const restartOnCrash = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      scene.stage.restart();
    }
  };

  /** Simulates the worker, the agents and the passing of time until nothing has changed for a few cycles. */
  const runUntilIdle = async (): Promise<void> => {
    let reviews = 0;
    for (let quiet = 0, steps = 0; quiet < 4 && steps < 80; steps += 1) {
      await restartOnCrash(scene.poll);
      const [kind] = scene.open();
      if (kind === 'review') {
        const finding = FINDINGS[reviews % FINDINGS.length] ?? aFinding();
        reviews += 1;
        await restartOnCrash(() => playReview(scene.stage, () => [finding]));
      }
      if (kind === 'review_fix')
        await restartOnCrash(() =>
          playFix(scene.stage, {
            files: { 'fix.txt': `version ${steps}\nversion ${steps}\nversion ${steps}\n` },
          }),
        );
      await restartOnCrash(scene.settle);
      if (scene.stage.state.listUnsettledActions().length > 0) scene.stage.advance(WINDOW_MS);
      const isQuiet = kind === undefined && scene.stage.state.readLiveTurnOfRun(scene.runId) === undefined;
      quiet = isQuiet ? quiet + 1 : 0;
    }
  };

  it.each(CRASH_POINTS)(
    'at %s: MergeXO pushes 2 fixes, posts 3 reviews, escalates once, adds 1 label, then stops',
    async (spec) => {
      scene = await createReviewScene();
      crashes = 0;
      armFailpoint(spec, () => {
        crashes += 1;
        throw new Crash(spec);
      });
      await runUntilIdle();
      expect(crashes).toBe(1);
      const pushes = scene.stage.twin.history
        .list('ref')
        .filter((entry) => entry.kind === 'ref' && entry.ref === `refs/heads/${scene.branch}`);
      // Includes the push that created the branch.
      expect(pushes).toHaveLength(3);
      expect(await scene.reviews()).toHaveLength(3);
      expect(await scene.reviewComments()).toHaveLength(3 + 2);
      const notes = await scene.comments();
      expect(notes).toHaveLength(1);
      expect(notes[0]).toContain('exceeded max fix cycles (2)');
      expect(await scene.labels()).toEqual(['agent:human-review']);
      expect(await scene.stage.github.fetchRequestedReviewers(NAME, scene.pr)).toEqual(['alice']);
      expect(scene.events('max_fix_cycles_exceeded')).toHaveLength(1);
      expect(scene.events('review_fix_completed')).toHaveLength(2);
      expect(scene.open()).toEqual([]);
    },
  );
});
