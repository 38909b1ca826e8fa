import { NOT_IN_FEEDBACK } from '../../fleet/failpoints.js';
import { REPO } from '../../fleet/walk.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { openIssue, STARTED } from './starts.js';

const SIGNS = ['poller:sign-sending', 'poller:sign-answered', 'poller:sign-recorded'];
const SKIPS = NOT_IN_FEEDBACK.filter((point) => !SIGNS.includes(point));
const BRANCH = 'agent/small/1-login-broken';

const preparePull =
  (script: object = {}) =>
  async (scene: Scene): Promise<void> => {
    await openIssue(scene, 'agent:small-job', script);
    await scene.finish(1);
  };

const onLine = (line: number, body: string) => ({ path: 'fix.txt', line, body });

export const PULL_FLOWS: readonly Flow[] = [
  {
    name: 'feedback',
    skips: SKIPS,
    prepare: preparePull(),
    async play(scene) {
      await scene.alice.submitReview(REPO, 2, {
        event: 'REQUEST_CHANGES',
        body: 'Some questions.',
        comments: [
          onLine(1, 'Why? {"write":{"more.txt":"x\\n"}}'),
          onLine(2, 'And this?'),
          onLine(3, 'That?'),
        ],
      });
      await scene.finish(2);
    },
    results: { ...STARTED, pushes: 2, onPulls: 1, replies: 3 },
  },
  {
    name: 'failed-check',
    skips: SKIPS,
    prepare: preparePull({
      answers: { 'no README': { write: { 'README.md': '# fixed\n' }, say: 'Added.' } },
    }),
    async play(scene) {
      const { actions } = scene.walk.twin;
      const id = actions.start(REPO, { branch: BRANCH, by: 'robot', jobs: [{ name: 'docs', log: '' }] });
      actions.finish(id, 'failure', { log: 'there is no README\n' });
      await scene.finish(2);
    },
    results: { ...STARTED, pushes: 2, onPulls: 1 },
  },
  {
    name: 'review',
    options: { review: 'enabled = true' },
    skips: ['poller:turn-deferred', 'poller:redirect-planned', 'poller:notify-marked', 'poller:notify-sent'],
    async play(scene) {
      await openIssue(scene, 'agent:small-job', {
        review: [
          [{ path: 'fix.txt', line: 1, severity: 'high', category: 'security', body: 'Trusts the input.' }],
        ],
        fix: [{ write: { 'fix.txt': 'checked\nsecond\nthird\n' } }],
      });
      await scene.finish(4);
    },
    results: { ...STARTED, pushes: 2, replies: 1, reviews: 2 },
  },
  {
    name: 'rewrite',
    skips: SKIPS,
    prepare: preparePull(),
    async play(scene) {
      const head = await scene.alice.forcePush(REPO, BRANCH, { 'fix.txt': 'mine\n' });
      await scene.alice.reviewComment(REPO, 2, onLine(1, 'Why? {"write":{"more.txt":"x\\n"}}'));
      await scene.until(() => expectStatus(scene, 'blocked'));
      await scene.alice.comment(REPO, 2, `/mergexo unblock head_sha=${head}`);
      await scene.until(() => expectStatus(scene, 'awaiting_feedback'));
      await scene.finish(2);
    },
    // A notice about the block, the answer to the command, and a reply.
    results: { ...STARTED, pushes: 2, onPulls: 2, replies: 1 },
  },
];

function expectStatus({ walk, runs }: Scene, status: string): void {
  const [run] = runs();
  const pull = walk.withState((state) => state.readPull(run?.repoId ?? 0, 2));
  if (pull?.status !== status) throw new Error(`the pull request is ${pull?.status}`);
}
