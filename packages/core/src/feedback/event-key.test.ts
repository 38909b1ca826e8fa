import {
  addTextDigest,
  buildEventKey,
  isAnsweredBy,
  nameAttempt,
  parseAnsweredKeys,
  readGitHubTime,
  renderAnsweredKeys,
} from './event-key.js';

const TIME = '2026-01-02T03:04:05Z';
const key = buildEventKey({ thread: 7, kind: 'issue', commentId: 3, updatedAt: TIME });

describe('event keys', () => {
  // Existing databases and signed lines on GitHub contain these texts.
  it('never change their form', () => {
    expect(key).toBe(`7:issue:3:${TIME}`);
    expect(nameAttempt({ headSha: 'ab'.repeat(20), attempt: 2 })).toBe('abababababab.attempt-2');
    expect(addTextDigest(TIME, 'two')).toBe(`${TIME}+3fc4ccfe`);
  });

  it("contain GitHub's time even for an edit within the same second", () => {
    expect(readGitHubTime({ updatedAt: addTextDigest(TIME, 'two') })).toBe(TIME);
  });

  it('can be read back from the signed line of a post', () => {
    const other = buildEventKey({ thread: 7, kind: 'ci', commentId: 4, updatedAt: 'ab.attempt-1' });
    const line = renderAnsweredKeys([key, other]);
    expect(line).toBe(`issue:3:${TIME},ci:4:ab.attempt-1`);
    expect(parseAnsweredKeys(7, line)).toEqual([key, other]);
    expect(parseAnsweredKeys(7, undefined)).toEqual([]);
  });

  it('show whether MergeXO has answered this version of the text', () => {
    const edited = addTextDigest(key, 'two');
    expect(isAnsweredBy([key], { eventKey: key, body: 'one' })).toBe(true);
    expect(isAnsweredBy([], { eventKey: key, body: 'one' })).toBe(false);
    expect(isAnsweredBy([key, edited], { eventKey: key, body: 'two' })).toBe(true);
    expect(isAnsweredBy([key, edited], { eventKey: key, body: 'three' })).toBe(false);
  });
});
