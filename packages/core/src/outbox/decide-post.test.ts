import {
  decideAfterFind,
  decideOpenConflict,
  decidePostStep,
  decideRefusal,
  type FindFacts,
  type PostFacts,
  type PostStep,
  type RefusalFacts,
} from './decide-post.js';

const PLANNED: PostFacts = {
  isSending: false,
  isTurnLive: true,
  isPaused: false,
  waitsForPerson: false,
  isCatchingUp: false,
  isDeadLink: false,
  isLookTooEarly: false,
  mayBePosted: false,
};

describe('decidePostStep', () => {
  it.each<[PostStep, string, Partial<PostFacts>]>([
    ['send', 'a new action of a live turn', {}],
    ['send', 'a new action of a live turn while the database catches up', { isCatchingUp: true }],
    ['find', 'an action that may have been posted before', { mayBePosted: true }],
    ['find', 'an action that was being sent', { isSending: true }],
    ['find', 'an action that was being sent when its turn ended', { isSending: true, isTurnLive: false }],
    ['find', 'a link that was being sent', { isSending: true, isDeadLink: true }],
    ['find', 'a notice that was being sent', { isSending: true, isTurnLive: undefined, isCatchingUp: true }],
    ['wait', 'a paused thread', { isPaused: true, isTurnLive: false }],
    ['wait', 'a notice that waits for a person', { waitsForPerson: true, isTurnLive: undefined }],
    ['wait', 'a notice while the database catches up', { isTurnLive: undefined, isCatchingUp: true }],
    ['wait', 'an action whose next search is not due', { isSending: true, isLookTooEarly: true }],
    ['drop', 'an action whose turn has ended', { isTurnLive: false }],
    [
      'drop',
      'an action whose turn has ended, before its next search',
      { isTurnLive: false, isLookTooEarly: true },
    ],
    ['refuse', 'a link to a comment that was not posted', { isDeadLink: true }],
  ])('decides %s for %s', (expected, _what, facts) => {
    expect(decidePostStep({ ...PLANNED, ...facts })).toBe(expected);
  });
});

describe('decideAfterFind', () => {
  const ABSENT: FindFacts = {
    found: 'absent',
    isSending: true,
    isTurnLive: true,
    quietMs: 120_000,
    windowMs: 120_000,
  };

  it.each<[ReturnType<typeof decideAfterFind>, string, Partial<FindFacts>]>([
    ['settle', 'a post that exists', { found: 'ours' }],
    ['settle', 'a post that exists although its turn ended', { found: 'ours', isTurnLive: false }],
    ['refuse', "somebody else's pull request", { found: 'foreign' }],
    ['wait', 'an absent post within the window', { quietMs: 119_999 }],
    ['wait', 'an absent post within the window of an ended turn', { quietMs: 0, isTurnLive: false }],
    ['send', 'an absent post after the window', {}],
    ['send', 'an absent post that was never sent', { isSending: false, quietMs: 0 }],
    ['send', 'an absent notice', { isTurnLive: undefined }],
    ['drop', 'an absent post whose turn ended', { isTurnLive: false }],
  ])('decides %s for %s', (expected, _what, facts) => {
    expect(decideAfterFind({ ...ABSENT, ...facts })).toBe(expected);
  });
});

describe('decideRefusal', () => {
  it.each<[ReturnType<typeof decideRefusal>, Partial<RefusalFacts>]>([
    ['pause-repository', { kind: 'rate-limited', status: 403 }],
    ['pause-repository', { kind: 'rate-limited', status: 429, isOptional: true }],
    ['pause-thread', { kind: 'unavailable', status: 502 }],
    ['pause-thread', { kind: 'conflict', status: 422 }],
    ['pause-repository', { kind: 'unauthorized', status: 401 }],
    ['pause-repository', { kind: 'unauthorized', status: 401, isOptional: true }],
    ['pause-repository', { kind: 'unauthorized', status: 403 }],
    ['refuse', { kind: 'unauthorized', status: 403, isOptional: true }],
    ['refuse', { kind: 'not-found', status: 404, isOptional: true }],
    ['refuse-if-readable', { kind: 'unauthorized', status: 403, isLocked: true }],
    ['refuse-if-readable', { kind: 'not-found', status: 404 }],
    ['refuse-if-readable', { kind: 'not-found', status: 410 }],
  ])('decides %s for %j', (expected, facts) => {
    const refused: RefusalFacts = { kind: 'not-found', status: null, isLocked: false, isOptional: false };
    expect(decideRefusal({ ...refused, ...facts })).toBe(expected);
  });
});

describe('decideOpenConflict', () => {
  it.each([
    ['wait', { sends: 1, message: 'A pull request already exists for acme:topic.' }],
    ['wait', { sends: 9, message: 'A pull request Already Exists' }],
    ['retry', { sends: 4, message: 'head is invalid' }],
    ['refuse', { sends: 5, message: 'head is invalid' }],
  ])('decides %s for %j', (expected, facts) => {
    expect(decideOpenConflict(facts)).toBe(expected);
  });
});
