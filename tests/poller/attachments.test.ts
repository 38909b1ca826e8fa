import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { UploadContent, UploadList } from '@mergexo/core/attachments';
import type { BegunTurn } from '@mergexo/core/ledger';
import type { PlanResult } from '@mergexo/core/turns';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a4649460001', 'hex');
const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

describe('files that people upload', () => {
  let stage: Stage;
  let other: Server;
  let otherUrl: string;
  let reached: IncomingMessage[];
  beforeEach(async () => {
    stage = await createStage();
    reached = [];
    other = createServer((request, response) => {
      reached.push(request);
      response.end(PNG);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    otherUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x.png`;
  });
  afterEach(async () => {
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
    await stage.close();
  });

  const upload = (input: Parameters<Stage['twin']['control']['upload']>[0]): string =>
    stage.twin.control.upload(input);
  const openIssue = (body: string) =>
    stage.alice.openIssue(NAME, { title: 'Broken', body, labels: ['agent:bugfix'] });
  const begin = async (): Promise<BegunTurn> => {
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    const [turn] = stage.state.listTurnsInState('open');
    if (turn === undefined) throw new Error('no turn is open');
    const begun = await stage.begin(turn);
    if (begun.kind !== 'begun') throw new Error(JSON.stringify(begun));
    return begun;
  };
  const ask = ({ turnKey, attempt }: BegunTurn, number: number) =>
    stage.tell({ kind: 'attachment', turnKey, attempt, number });
  const fetchAll = async (begun: BegunTurn): Promise<(UploadContent | string)[]> => {
    const { listed }: UploadList = begun.uploads ?? { listed: [], omitted: 0 };
    const contents: (UploadContent | string)[] = [];
    for (const [index, { problem }] of listed.entries()) {
      const answer = problem === null ? await ask(begun, index + 1) : undefined;
      contents.push(answer?.kind === 'attachment' ? answer.content : (problem ?? String(answer?.kind)));
    }
    return contents;
  };
  const uploadRequests = () =>
    stage.twin.history.list('request').filter(({ route }) => route === 'GET /user-attachments');
  const file = (type: string, bytes: Buffer) => ({ kind: 'file', type, data: bytes.toString('base64') });

  it('reach the worker, with the type of their content', async () => {
    const image = upload({ bytes: PNG });
    const photo = upload({ bytes: JPEG, name: 'photo.png' });
    const notes = upload({ bytes: Buffer.from('line 1\n'), name: 'server.log' });
    await openIssue(`![shot](${image}) ![photo](${photo}) [log](${notes})`);
    const begun = await begin();
    expect(begun.uploads?.listed[0]).toEqual({
      url: image,
      source: 'issue #1 by alice',
      isNew: false,
      problem: null,
    });
    expect(await fetchAll(begun)).toEqual([
      file('png', PNG),
      file('jpg', JPEG),
      file('log', Buffer.from('line 1\n')),
    ]);
    expect(uploadRequests().filter(({ user }) => user !== null)).toEqual([]);
  });

  it('reach the worker from a private repository: images by their signed URL, other files with the token', async () => {
    const first = upload({ bytes: PNG, isPrivate: true });
    const second = upload({ bytes: JPEG, isPrivate: true });
    const notes = upload({ bytes: Buffer.from('a,b\n'), name: 'a.csv', isPrivate: true });
    await openIssue(`${first} ${second} ${notes}`);
    const begun = await begin();
    const before = stage.twin.history.list('request').length;
    expect(await fetchAll(begun)).toEqual([
      file('png', PNG),
      file('jpg', JPEG),
      file('csv', Buffer.from('a,b\n')),
    ]);
    const withToken = uploadRequests().filter(({ user }) => user !== null);
    expect(withToken.map(({ path }) => path)).toEqual([new URL(notes).pathname]);
    // One request for both images.
    const after = stage.twin.history.list('request').slice(before);
    expect(after.filter(({ counted }) => counted).map(({ path }) => path)).toEqual([
      `/repos/${NAME}/issues/1`,
    ]);
  });

  it('are named with the reason if MergeXO cannot pass them on, and no other server is asked', async () => {
    const urls = [
      upload({ bytes: PNG, isPrivate: true, isExpired: true }),
      upload({ bytes: Buffer.concat([PNG, Buffer.alloc(11_000_000)]) }),
      upload({ bytes: Buffer.from('<svg/>') }),
      upload({ bytes: Buffer.from('<html></html>'), name: 'x.png' }),
      upload({ bytes: PNG, redirect: otherUrl }),
      upload({ bytes: PNG, isPrivate: true, redirect: otherUrl, name: 'a.txt' }),
      `${stage.twin.url}/user-attachments/files/999/gone.txt`,
    ];
    await openIssue(`${urls.join('\n')}\n![x](${otherUrl})`);
    const problems = (await fetchAll(await begin())).map((content) =>
      typeof content === 'string' || content.kind === 'file' ? content : content.problem,
    );
    expect(problems).toEqual([
      'expired',
      'too_large',
      'wrong_type',
      'wrong_type',
      'foreign_redirect',
      'foreign_redirect',
      'not_readable',
      'foreign_host',
    ]);
    expect(reached).toEqual([]);
  });

  it('are downloaded from every text of a feedback turn, with their signed URLs', async () => {
    const image = () => upload({ bytes: PNG, isPrivate: true });
    await openIssue(image());
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    const { runId } = await stage.work(fix);
    await stage.drain();
    await stage.drain();
    const pr = stage.state.readRun(runId)?.prNumber ?? 0;
    await stage.alice.comment(NAME, pr, image());
    await stage.alice.submitReview(NAME, pr, {
      event: 'COMMENT',
      body: image(),
      comments: [{ path: 'fix.txt', line: 1, body: image() }],
    });
    await stage.poll();
    const begun = await begin();
    expect(
      begun.uploads?.listed.map(({ source, isNew }) => `${source.replace(/\d+/, 'N')} ${isNew}`).sort(),
    ).toEqual([
      'comment N by alice true',
      'issue #N by alice false',
      'line comment N by alice true',
      'review N by alice true',
    ]);
    expect(await fetchAll(begun)).toEqual(Array.from({ length: 4 }, () => file('png', PNG)));
  });

  it('of other people are not downloaded', async () => {
    const issue = await openIssue('x');
    await stage.twin.as('mallory').comment(NAME, issue, upload({ bytes: PNG }));
    expect((await begin()).uploads).toBeUndefined();
    expect(uploadRequests()).toEqual([]);
  });

  it('cost no request if the texts have none, and none before a worker asks', async () => {
    await openIssue(`Look: ${upload({ bytes: PNG })}`);
    const begun = await begin();
    expect(begun.uploads?.listed).toHaveLength(1);
    expect(uploadRequests()).toEqual([]);
  });

  it('are only for the worker that holds the turn', async () => {
    await openIssue(`${upload({ bytes: PNG })} ![x](${otherUrl})`);
    const begun = await begin();
    expect(await ask(begun, 2)).toMatchObject({ kind: 'refused' });
    expect(await ask(begun, 3)).toMatchObject({ kind: 'refused' });
    expect(await ask({ ...begun, attempt: 2 }, 1)).toMatchObject({ kind: 'refused' });
    await stage.tell({ kind: 'release', turnKey: begun.turnKey, attempt: begun.attempt, reason: 'x' });
    expect(await ask(begun, 1)).toMatchObject({ kind: 'refused' });
    expect(uploadRequests()).toEqual([]);
  });

  it('are downloaded again if the answer was lost or the poller restarted', async () => {
    await openIssue(upload({ bytes: PNG }));
    const begun = await begin();
    const first = await ask(begun, 1);
    stage.restart();
    expect(await ask(begun, 1)).toEqual(first);
  });
});
