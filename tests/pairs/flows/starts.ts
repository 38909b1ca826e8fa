import { NOT_IN_STARTS } from '../../fleet/failpoints.js';
import { REPO } from '../../fleet/walk.js';
import type { Flow, Results } from '../flow.js';
import type { Scene } from '../scene.js';

/** A pull request and the comment that links it on the issue. */
export const STARTED: Results = { pulls: 1, pushes: 1, onIssues: 1, onPulls: 0, replies: 0, reviews: 0 };

export const openIssue = ({ walk }: Scene, label: string, script: object = {}): Promise<number> =>
  walk.openIssue(label, script);

const start = (name: string, label: string): Flow => ({
  name,
  skips: NOT_IN_STARTS,
  async play(scene) {
    await openIssue(scene, label);
    await scene.finish(1);
  },
  results: STARTED,
});

const NOTIFIED = { limits: '[notify]\ncommand = ["/bin/cat"]' };

export const START_FLOWS: readonly Flow[] = [
  start('bugfix', 'agent:bugfix'),
  start('design', 'agent:design'),
  {
    name: 'question',
    options: NOTIFIED,
    skips: ['poller:turn-checked', 'poller:turn-deferred'],
    async play(scene) {
      await openIssue(scene, 'agent:small-job', { blocked: 'Which one?' });
      await scene.finish(1, 'awaiting_issue_followup');
      await scene.alice.comment(REPO, 1, 'The second. {"write":{"more.txt":"x\\n"}}');
      await scene.finish(2);
      await scene.alice.comment(REPO, 1, 'And now?');
      await scene.until(async () => expectRedirect(scene));
      await scene.finish(2);
    },
    // A checkpoint, then the rest; a question, a link to the pull request and a redirect.
    results: { ...STARTED, pushes: 2, onIssues: 3 },
  },
  {
    name: 'comment-at-gate',
    skips: NOT_IN_STARTS.filter((point) => point !== 'poller:turn-deferred'),
    async play(scene) {
      await openIssue(scene, 'agent:small-job', { waitFor: scene.gate });
      await scene.until(() => {
        if (scene.walk.agentCalls(1) === 0) throw new Error('the agent has not started');
      });
      await scene.alice.comment(REPO, 1, 'One thing more. {"write":{"more.txt":"x\\n"}}');
      scene.openGate();
      await scene.finish(1);
    },
    results: { ...STARTED, pushes: 2 },
  },
  {
    name: 'implementation',
    skips: NOT_IN_STARTS,
    async prepare(scene) {
      await openIssue(scene, 'agent:design');
      await scene.finish(1);
    },
    async play(scene) {
      await scene.alice.merge(REPO, 2);
      await scene.finish(2);
    },
    results: { ...STARTED, pulls: 2, pushes: 2, onIssues: 2 },
  },
];

async function expectRedirect({ walk }: Scene): Promise<void> {
  const rows = await walk.alice.request('GET', `/repos/${REPO}/issues/1/comments?per_page=100`);
  if (!JSON.stringify(rows).includes('no longer acts on comments here'))
    throw new Error('the comment has no redirect');
}
