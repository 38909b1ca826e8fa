import type { RepoConfig } from '@mergexo/config';
import type { Checking } from '@mergexo/core/prompts';
import type { PlanTools } from '../task.js';

/** Describes how an agent can check its work in this repository, for its prompt. */
export function describeChecking(
  { agents, answerLimits }: Pick<PlanTools, 'agents' | 'answerLimits'>,
  { setup, requiredTests, testFileRegex }: RepoConfig,
  adapter: string,
): Checking {
  const found = agents.find(adapter);
  return {
    setup: setup ?? null,
    requiredTests: requiredTests ?? null,
    testFileRegex: testFileRegex ?? null,
    // An agent that cannot start gets no prompt.
    commands: found.kind === 'ready' ? found.agent.commands : { run: 'unknown', hosts: 'all' },
    ...answerLimits,
  };
}
