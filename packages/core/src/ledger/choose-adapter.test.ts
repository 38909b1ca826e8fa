import { chooseAdapter } from './choose-adapter.js';

const limit = (adapter: string, ms: number) => ({ adapter, ms, until: 1_000 + ms, reason: 'usage-limit' });

describe('chooseAdapter', () => {
  it.each([
    ['the agent', ['codex', 'claude'], {}, { kind: 'run', adapter: 'codex' }],
    [
      'the agent while only a fallback is limited',
      ['codex', 'claude'],
      { claude: 5 },
      { kind: 'run', adapter: 'codex' },
    ],
    ['the first fallback', ['codex', 'claude', 'command'], { codex: 5 }, { kind: 'run', adapter: 'claude' }],
    [
      'the next fallback if the first is limited too',
      ['codex', 'claude', 'command'],
      { codex: 5, claude: 9 },
      { kind: 'run', adapter: 'command' },
    ],
    ['no adapter without a fallback', ['codex'], { codex: 5 }, { kind: 'wait', limit: limit('codex', 5) }],
    [
      'no adapter if all are limited, and waits for the first reset',
      ['codex', 'claude', 'command'],
      { codex: 9, claude: 3, command: 7 },
      { kind: 'wait', limit: limit('claude', 3) },
    ],
    [
      'the agent if only other agents are limited',
      ['codex'],
      { claude: 5 },
      { kind: 'run', adapter: 'codex' },
    ],
  ])('chooses %s', (_who, chain, limited, expected) => {
    const left = new Map(Object.entries(limited));
    const limitOf = (adapter: string) => {
      const ms = left.get(adapter);
      return ms === undefined ? undefined : limit(adapter, ms);
    };
    expect(chooseAdapter(chain, limitOf)).toEqual(expected);
  });
});
