import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createWalk, REPO } from './walk.js';

const TESTS = '#!/bin/sh\nfor test in test/*.sh; do sh "$test" || exit 1; done\n';
const ANSWER = {
  pr_title: 'Fix uploads',
  pr_summary: 'Retries an upload.',
  commit_message: 'fix: retry uploads',
  state_summary: 'all done',
};

/** Prints an answer as Claude Code does, and records its prompt. */
const PROGRAM = `#!${process.execPath}
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const prompt = readFileSync(0, 'utf8');
appendFileSync(process.env.HOME + '/calls.jsonl', JSON.stringify({
  kind: 'bugfix_start', startedAtMs: performance.timeOrigin, prompt,
}) + '\\n');
writeFileSync('fix.txt', 'fixed\\n');
writeFileSync('test/fix.sh', 'test -e fix.txt\\n');
console.log(JSON.stringify({
  type: 'result', subtype: 'success', is_error: false, session_id: '01a1e2f4-9dfc-7b52-8aba-afccf2ecca05',
  total_cost_usd: 0, usage: { input_tokens: 1, output_tokens: 1 }, structured_output: ${JSON.stringify(ANSWER)},
}));
`;

/** Plays a bug fix with Claude Code on a machine where it cannot run commands, and returns its prompt. */
export async function collectCommandless(): Promise<{ prompt: string; base: string; url: string }> {
  const directory = createTemporaryDirectory();
  const binary = join(directory.path, 'claude.cjs');
  writeFileSync(binary, PROGRAM, { mode: 0o755 });
  const walk = await createWalk({
    files: { 'scripts/test.sh': TESTS, 'test/base.sh': 'true\n' },
    repoKeys: [
      'required_tests = "scripts/test.sh"',
      'test_file_regex = "^test/"',
      'agent_adapter = "claude"',
      `[claude]\nbinary = ${JSON.stringify(binary)}`,
    ].join('\n'),
  });
  try {
    walk.startPoller();
    walk.startWorker();
    const issue = await walk.alice.openIssue(REPO, { title: 'Uploads fail', labels: ['agent:bugfix'] });
    await walk.until(() => {
      if (typeof walk.runOf(issue)?.prNumber !== 'number') throw new Error('the issue has no pull request');
    });
    const [call] = walk.agentRequests(issue);
    return { prompt: call?.prompt ?? '', base: walk.base, url: walk.twin.url };
  } finally {
    await walk.closeAndCheck();
    directory.remove();
  }
}
