import { buildStep } from '@mergexo/core/agent';
import { createRedact } from '@mergexo/core/text';
import type { PlanResult } from '@mergexo/core/turns';
import type { CollectRequest } from '@mergexo/git';
import { CANARIES, CANARY_ROWS, findLeak } from '@mergexo/testkit';
import { createMeter } from './ask/meter.js';
import { buildParcel } from './build-parcel.js';
import { collectWork } from './collect-work.js';
import type { Task } from './task.js';
import { aRepo } from './testing/a-repo.js';
import { aBegunTurn } from './testing/stage.js';

const redact = createRedact(Object.values(CANARIES));
const startSha = 'a'.repeat(40);
const task = {
  agent: aRepo().agent,
  branch: 'agent/bugfix/1-x',
  startSha,
  meter: createMeter({ adapter: 'command', model: undefined }),
};

const freeze = (result: PlanResult): string =>
  JSON.stringify(
    buildParcel(redact, task, { session: { threadId: 't', stateSummary: JSON.stringify(result) }, result })
      .plan,
  );

/** Returns the commit messages that git receives: MergeXO's own, and that of an agent's commit. */
async function commit(message: string): Promise<string> {
  const requests: CollectRequest[] = [];
  // The other functions of a slot are never called.
  const slot: Task['slot'] = Object.create({
    collect: async (request: CollectRequest) => {
      requests.push(request);
      return { kind: 'empty' };
    },
  });
  const begun = aBegunTurn('bugfix_start', {});
  await collectWork(
    { slot, startSha, begun, agent: aRepo().agent },
    { text: message, redact, findSecrets: () => [] },
  );
  return requests.map((request) => [request.message, request.cleanMessage?.(message)].join('\n')).join('\n');
}

describe('plans, commits and steps of a worker', () => {
  it.each(CANARY_ROWS)('contain no trace of $name $encoding', async ({ secret, text }) => {
    const words = `I found ${text} there.`;
    const place = { path: text, startLine: null, line: 1 };
    const said = { severity: 'high', category: 'security', body: words, suggestion: words } as const;
    const finding = { ...place, ...said };
    const outlets = {
      'a step of the agent': buildStep('say', words, redact)?.text ?? '',
      'the message of a commit': await commit(`fix: remove ${text}\n\n${words}`),
      'an answer': freeze({
        kind: 'answer',
        replies: [{ commentId: 1, rootId: 1, body: words }],
        general: words,
      }),
      'a pull request': freeze({ kind: 'pull', title: words, summary: words, design: null }),
      'a block': freeze({ kind: 'block', blockKind: 'tests_failed', reason: words, observedSha: null }),
      'a review': freeze({
        kind: 'review',
        headSha: startSha,
        summary: words,
        raised: [],
        dropped: [
          {
            finding,
            reason: 'the reviewer reported it twice in this round',
          },
        ],
        notes: [{ finding, reason: 'the change did not introduce it' }],
        refuted: [{ finding, reason: words }],
        answers: [{ id: 1, status: 'fixed', evidence: words }],
        gone: [],
        placement: { inline: [], demoted: [], standing: [], nits: [], hidden: [] },
      }),
      'a fix': freeze({
        kind: 'fix',
        answers: [{ id: 1, resolution: 'wontfix', note: words, touchesFile: false }],
        summary: words,
        failure: { cause: 'other', reason: words },
      }),
    };
    const leaks = Object.entries(outlets).map(([name, sent]) => [name, findLeak(sent, { secret, text })]);
    expect(leaks.filter(([, leak]) => leak !== undefined)).toEqual([]);
    expect(Object.values(outlets).every((sent) => sent.includes('[redacted]'))).toBe(true);
  });
});
