import { aFinding, playReview } from '../stage/review-play.js';
import { createReviewScene } from '../stage/review-scene.js';

const UPLOAD = 'GET /user-attachments';

it.each([
  ['the reviewer of a shared login names', true],
  ['an allowed user uploads', false],
])('downloads only files that people uploaded: a file that %s', async (_who, isAgents) => {
  const scene = await createReviewScene({ poster: 'alice' });
  const { stage } = scene;
  try {
    const bytes = Buffer.from('another repository\n');
    const url = stage.twin.control.upload({ bytes, name: 'notes.txt', isPrivate: true });
    const link = `See [the log](${url}).`;
    await playReview(stage, () => [aFinding({ body: isAgents ? link : 'It fails.' })]);
    await scene.settle();
    await scene.poll();
    const [root] = await scene.reviewComments();
    expect(root?.body.includes(url)).toBe(isAgents);
    const { fullName } = stage.repo.config;
    await stage.alice.reply(fullName, root?.id ?? 0, isAgents ? 'Why is that a problem?' : link);
    for (let i = 0; i < 2; i += 1) await scene.poll();
    const turn = stage.state.listTurnsInState('open').find(({ kind }) => kind === 'implementation_feedback');
    if (turn === undefined) throw new Error('no feedback turn is open');
    const begun = await stage.begin(turn);
    if (begun.kind !== 'begun') throw new Error(JSON.stringify(begun));
    const problem = isAgents ? 'not_allowed' : null;
    expect(begun.uploads?.listed).toEqual([expect.objectContaining({ url, problem })]);
    const { turnKey, attempt } = begun;
    const answer = await stage.tell({ kind: 'attachment', turnKey, attempt, number: 1 });
    expect(answer.kind).toBe(isAgents ? 'refused' : 'attachment');
    expect(stage.twin.history.list('request').some(({ route }) => route === UPLOAD)).toBe(!isAgents);
  } finally {
    await stage.close();
  }
});
