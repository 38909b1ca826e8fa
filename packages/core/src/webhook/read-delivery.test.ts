import { readDelivery } from './read-delivery.js';

const body = (fields: object) => JSON.stringify({ action: 'created', ...fields });

describe('a delivery of a webhook', () => {
  it.each([
    [
      'a change in a repository, with its sender',
      'issue_comment',
      body({ repository: { id: 7, full_name: 'ada/engine' }, sender: { id: 11, login: 'ada' } }),
      { kind: 'repo', repoId: 7, senderId: 11 },
    ],
    [
      'a push without a sender',
      'push',
      body({ repository: { id: 7 } }),
      { kind: 'repo', repoId: 7, senderId: null },
    ],
    [
      'the result of a check, whose sender pushed the commit',
      'check_run',
      body({ repository: { id: 7 }, sender: { id: 11 } }),
      { kind: 'repo', repoId: 7, senderId: null },
    ],
    ["GitHub's test", 'ping', body({ zen: 'Keep it logically awesome.' }), { kind: 'ping' }],
    ['an event that MergeXO does not read', 'star', body({ repository: { id: 7 } }), { kind: 'ignored' }],
    ['a delivery without an event', undefined, body({ repository: { id: 7 } }), { kind: 'ignored' }],
    ['a payload that was too large to keep', 'push', undefined, { kind: 'unknown' }],
    ['a payload without a repository', 'issues', body({}), { kind: 'invalid' }],
    ['a repository id in words', 'issues', body({ repository: { id: '7' } }), { kind: 'invalid' }],
    ['a fraction as an id', 'issues', body({ repository: { id: 7.5 } }), { kind: 'invalid' }],
    ['text that is not JSON', 'issues', 'payload=%7B%7D', { kind: 'invalid' }],
    ['an empty payload', 'issues', '', { kind: 'invalid' }],
  ])('reads %s', (_name, event, text, expected) => {
    expect(readDelivery(event, text)).toEqual(expected);
  });
});
