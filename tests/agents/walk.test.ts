import { execFileSync } from 'node:child_process';
import { eventually } from '@mergexo/testkit';
import { createWalk, REPO } from '../fleet/walk.js';
import { configureWalk } from './configure-walk.js';
import { serveMessages } from './fake-messages.js';
import { serveResponses } from './fake-responses.js';
import { A_DESIGN } from './outputs.js';
import type { AdapterName } from './world.js';

const answer = (general: string, commit: string | null) => ({
  answer: {
    review_replies: [],
    general_comment: general,
    commit_message: commit,
    state_summary: `Said: ${general}`,
    blocked_reason: null,
    flaky: null,
  },
});

describe.each<AdapterName>(['codex', 'claude'])('MergeXO with the real %s', (name) => {
  it('turns an issue into a design, and handles two rounds of feedback', async () => {
    const model = name === 'codex' ? await serveResponses() : await serveMessages();
    const walk = await createWalk({ sandbox: 'auto' });
    try {
      configureWalk(walk, [name], { [name]: model });
      walk.startPoller();
      walk.startWorker();
      model.play({ answer: A_DESIGN });
      const { pr, branch, headSha } = await walk.openPull('agent:design');
      const fetchComments = async (): Promise<string> =>
        JSON.stringify(await walk.alice.request('GET', `/repos/${REPO}/issues/${pr}/comments`));
      const until = (check: () => Promise<void>): Promise<void> =>
        eventually(async () => {
          try {
            await check();
          } catch (error) {
            throw new Error(`${error}\n${walk.outputs().slice(-4_000)}`);
          }
        }, 60_000);

      model.play(answer('It greets once.', null));
      await walk.alice.comment(REPO, pr, 'How often does it greet?');
      await until(async () => expect(await fetchComments()).toContain('It greets once.'));

      const edit = 'for file in docs/design/*.md; do echo "It greets twice." >> "$file"; done';
      model.play({ run: edit }, answer('Now it greets twice.', 'docs: greet twice'));
      await walk.alice.comment(REPO, pr, 'Let it greet twice.');
      await until(async () => expect(await fetchComments()).toContain('Now it greets twice.'));

      const commits = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pr}/commits`);
      expect(Object(commits)).toHaveLength(2);
      expect(Object(commits)[0].sha).toBe(headSha);
      const files = await walk.alice.request(
        'GET',
        `/repos/${REPO}/contents/docs/design?ref=${encodeURIComponent(branch)}`,
      );
      expect(files).toHaveLength(1);
      // The last request continues the conversation of the first request.
      const last = model.requests.at(-1)?.text ?? '';
      expect(last).toContain('How to greet.');
      expect(last).toContain('How often does it greet?');
      expect(last).toContain('Let it greet twice.');
      expect(walk.twin.control.violations()).toEqual([]);
    } finally {
      await walk.close();
      await model.close();
    }
    const rows = execFileSync('ps', ['-axww', '-o', 'stat=', '-o', 'command='], { encoding: 'utf8' });
    expect(rows.split('\n').filter((row) => row.includes(walk.dir) && !row.startsWith('Z'))).toEqual([]);
  });
});
