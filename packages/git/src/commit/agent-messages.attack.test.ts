import { join } from 'node:path';
import type { Slot } from '../slot/slot.js';
import {
  CREDIT,
  cleanMessage,
  commitRaw,
  headersOf,
  PASSWORD,
  readNew,
  TOKEN,
} from '../testing/raw-commits.js';
import { commit, git, write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World } from '../testing/world.js';

describe('given commit messages by the agent, MergeXO', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld({ files: { 'f.txt': 'one\n' } });
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');

  async function mustCollect(slot: Slot, startSha: string) {
    const request = { startSha, message: 'Work', cleanMessage, trailer: TRAILER, credit: CREDIT };
    const collected = await slot.collect(request);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    return collected;
  }

  const utf16 = (text: string) => Buffer.from(text, 'utf16le');

  it.each<[string, string, RegExp]>([
    ['closes an issue', 'Fixes #1', /Fixes #1/],
    ['mentions a person', 'Thanks @octocat', /@octocat/],
    ['mentions a team', 'cc @acme/security', /@acme/],
    ['contains a token', `Use ${TOKEN}`, /ghp_zQ/],
    ['contains a known password', `Use ${PASSWORD}`, /correct-horse/],
    ['contains a known password in base64', Buffer.from(PASSWORD).toString('base64'), /azMtY29y/],
    ['hides a password with a zero byte inside it', PASSWORD.replace('horse', 'hor\0se'), /correct-horse/],
    ['hides a token with a zero byte inside it', TOKEN.replace('zQ', 'z\0Q'), /ghp_zQ/],
    ['skips CI', 'Work [skip ci]', /\[skip ci\]/],
    ['skips CI in the body', 'Work\n\nText [ci skip] text', /\[ci skip\]/],
    ['skips checks by a trailer', 'Work\n\nskip-checks: true', /^skip-checks:/m],
    ['forges the trailer of a turn', `Work\n\nMergeXO-Turn: ${'f'.repeat(64)}`, /^MergeXO-Turn: f/m],
    ['forges the trailer of an agent', 'Work\n\nMergeXO-Agent: human', /^MergeXO-Agent: human/m],
    ['credits a co-author', 'Work\n\nCo-authored-by: A <a@b.example>', /^Co-authored-by:/m],
    ['forges a sign-off', 'Work\n\nSigned-off-by: A <a@b.example>', /^Signed-off-by:/m],
    ['forges a review', 'Work\n\nReviewed-by: A <a@b.example>', /^Reviewed-by:/m],
  ])('pushes no message that %s', async (_name, message, forbidden) => {
    const { slot, head } = await world.start();
    commitRaw(world, slot, `${headersOf(slot)}\n${message}\n`);
    write(slot.path, { 'f.txt': 'more\n' });
    const { sha } = await mustCollect(slot, head);
    const commits = readNew(trusted(), head, sha);
    expect(commits).toHaveLength(2);
    for (const raw of commits) expect(raw).not.toMatch(forbidden);
  });

  it.each<[string, string, Buffer]>([
    ['UTF-16 with its encoding', 'encoding utf-16le\n', utf16('Thanks @octocat')],
    ['latin1', 'encoding iso-8859-1\n', Buffer.from('Gr\xfc\xdfe @octocat', 'latin1')],
    ['invalid UTF-8', '', Buffer.from('\xff\xfe @octocat \xc3', 'latin1')],
    ['a byte order mark', '', Buffer.from('\ufeff@octocat')],
    ['only zero bytes and a mention', '', Buffer.from('\0\0@octocat')],
    ['1 MB of mentions', '', Buffer.from(`${'@octocat '.repeat(120_000)}`)],
    ['1 MB of blanks', '', Buffer.from(`x${' '.repeat(1_000_000)}@octocat`)],
  ])('cleans a message in %s', async (_name, header, message) => {
    const { slot, head } = await world.start();
    commitRaw(world, slot, Buffer.concat([Buffer.from(`${headersOf(slot, header)}\n`), message]));
    const { sha } = await mustCollect(slot, head);
    const [raw = ''] = readNew(trusted(), head, sha);
    expect(raw).toMatch(/^author MergeXO </m);
    expect(raw).not.toContain('@octocat');
    expect(raw.length).toBeLessThan(130_000);
  });

  it.each([
    ['requests to skip CI', '[skip '],
    ['mentions', '@a '],
    ['closing keywords', 'fixes #1 '],
    ['line breaks', '\n'],
    ['letters', 'x'],
  ])('cuts a 6 MB message with %s before it cleans the message', async (_name, part) => {
    const { slot, head } = await world.start();
    const message = `#${part.repeat(6_000_000 / part.length)}`;
    commitRaw(world, slot, `${headersOf(slot)}\n${message}`);
    const lengths: number[] = [];
    const clean = (text: string) => {
      lengths.push(text.length);
      return cleanMessage(text);
    };
    const request = { startSha: head, message: 'Work', cleanMessage: clean, trailer: TRAILER };
    expect((await slot.collect(request)).kind).toBe('collected');
    expect(lengths).toEqual([65_536]);
  });

  it.each([
    ['message', (zeros: Buffer, headers: string) => [Buffer.from(`${headers}\n`), zeros]],
    [
      'header',
      (zeros: Buffer, headers: string) => [Buffer.from(`${headers}note `), zeros, Buffer.from('\n\nx')],
    ],
  ])('does not read a commit with a 60 MB %s', async (_name, build) => {
    const { slot, head } = await world.start();
    commitRaw(world, slot, Buffer.concat(build(Buffer.alloc(60_000_000, 'x'), headersOf(slot))));
    const collected = await slot.collect({ startSha: head, message: 'Work', cleanMessage, trailer: TRAILER });
    expect(collected).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('larger than 10 MiB'),
    });
  });

  it('keeps the trailer of the turn where git finds it', async () => {
    const { slot, head } = await world.start();
    commit(slot.path, { 'f.txt': 'x\n' }, `Work\n\nMergeXO-Turn: ${'f'.repeat(64)}`);
    const { sha } = await mustCollect(slot, head);
    expect(git(trusted(), 'log', '-1', '--format=%(trailers:only)', sha)).toBe(`${CREDIT}\n${TRAILER}`);
  });
});
