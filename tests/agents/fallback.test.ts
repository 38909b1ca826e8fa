import { createWalk, REPO } from '../fleet/walk.js';
import { configureWalk } from './configure-walk.js';
import { serveMessages } from './fake-messages.js';
import { serveResponses } from './fake-responses.js';
import type { ModelStep } from './model-step.js';
import { A_CHANGE, A_FEEDBACK } from './outputs.js';
import type { AdapterName } from './world.js';

/** The providers' responses when the quota is used up or the customer must pay. */
const LIMITS: Record<AdapterName, ModelStep> = {
  codex: {
    status: 429,
    body: { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Quota exceeded.' } },
  },
  claude: {
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
    },
  },
};

const GREETING = 'The program greets once per start, in src/greet.ts.';

describe.each<[AdapterName, AdapterName]>([
  ['codex', 'claude'],
  ['claude', 'codex'],
])('the real %s at its usage limit', (agent, fallback) => {
  it(`hands its turn to the real ${fallback}, which also starts the next turn`, async () => {
    const models = { codex: await serveResponses(), claude: await serveMessages() };
    const walk = await createWalk({ sandbox: 'auto' });
    try {
      configureWalk(walk, [agent, fallback], models);
      walk.startPoller();
      walk.startWorker();
      models[agent].play(LIMITS[agent]);
      models[fallback].play({ run: 'echo hello > greeting.txt' }, { answer: A_CHANGE });
      const { issue, pr, headSha } = await walk.openPull('agent:bugfix');

      const { commit } = Object(await walk.alice.request('GET', `/repos/${REPO}/commits/${headSha}`));
      expect(commit.message).toContain(`MergeXO-Agent: ${fallback}`);
      const session = () => walk.withState((state) => state.readSession(walk.runOf(issue)?.id ?? 0));
      expect(session()).toMatchObject({ adapter: fallback });
      const begun = walk.withState((state) =>
        state.listEventsAfter(0, 1_000).filter(({ type }) => type === 'turn_begun'),
      );
      expect(begun.map(({ payload }) => Object(payload)['fallback_agent'])).toEqual([undefined, fallback]);

      // The limit is known, so the next turn does not ask the limited agent first.
      const asked = models[agent].requests.length;
      models[fallback].play({ answer: { ...A_FEEDBACK, review_replies: [], general_comment: GREETING } });
      await walk.alice.comment(REPO, pr, 'How often does it greet?');
      await walk.until(async () => {
        const comments = await walk.alice.request('GET', `/repos/${REPO}/issues/${pr}/comments`);
        expect(JSON.stringify(comments)).toContain(GREETING);
      }, 60_000);
      expect(models[agent].requests).toHaveLength(asked);
      // The fallback continues its own conversation.
      expect(models[fallback].requests.at(-1)?.text).toContain(A_CHANGE.pr_summary);
      expect(walk.twin.control.violations()).toEqual([]);
    } finally {
      await walk.close();
      for (const model of Object.values(models)) await model.close();
    }
  });
});
