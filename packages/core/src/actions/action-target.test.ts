import { type ActionTarget, buildTarget, parseTarget } from './action-target.js';

describe('action targets', () => {
  // Stored action ids and posts on GitHub contain these texts. If a text changed, MergeXO would post twice.
  it.each<[string, ActionTarget]>([
    ['issue:5', { kind: 'issue', number: 5 }],
    ['pull:7', { kind: 'pull', number: 7 }],
    ['branch:agent/bugfix/5-name', { kind: 'branch', name: 'agent/bugfix/5-name' }],
    ['head:abc', { kind: 'head', sha: 'abc' }],
    ['checks:11:2', { kind: 'checks', runId: 11, attempt: 2 }],
    ['review:3', { kind: 'review', commentId: 3 }],
    ['link:4', { kind: 'link', rootId: 4 }],
    ['finding:1:3', { kind: 'finding', id: 1, commentId: 3 }],
    ['run:9', { kind: 'run', runId: 9, commentId: null }],
    ['run:9:comment:8', { kind: 'run', runId: 9, commentId: 8 }],
    ['instead-of-reply:3', { kind: 'instead-of-reply', commentId: 3 }],
    ['instead-of-review', { kind: 'instead-of-review' }],
  ])('keep the text form %s', (text, target) => {
    expect(buildTarget(target)).toBe(text);
    expect(parseTarget(text)).toEqual(target);
  });

  it('rejects an unknown target', () => {
    expect(() => parseTarget('nonsense:1')).toThrow('unknown action target: nonsense:1');
  });
});
