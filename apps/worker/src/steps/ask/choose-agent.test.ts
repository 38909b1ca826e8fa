import { aRepo } from '../testing/a-repo.js';
import { chooseAgent } from './choose-agent.js';

const codex = { adapter: 'codex', model: 'c' } as const;
const claude = { adapter: 'claude', model: 's' } as const;
const repo = aRepo({
  agent: { ...codex, fallback: [claude] },
  reviewAgent: { ...claude, fallback: [codex] },
});

describe('chooseAgent', () => {
  it.each([
    ['the author’s agent', 'bugfix_start', undefined, codex],
    ['the author’s fallback with its own model', 'bugfix_start', 'claude', claude],
    ['the reviewer’s agent', 'review', undefined, claude],
    ['the reviewer’s fallback', 'review', 'codex', codex],
    ['no agent if the requested adapter is not a configured fallback', 'bugfix_start', 'command', undefined],
    ['no agent if the requested adapter is a path', 'bugfix_start', '../codex', undefined],
  ] as const)('chooses %s', (_who, turnKind, adapter, expected) => {
    const begun = { turnKind, ...(adapter !== undefined && { adapter }) };
    expect(chooseAgent(repo, begun)).toEqual(expected);
  });
});
