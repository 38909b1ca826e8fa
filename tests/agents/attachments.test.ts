import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core/agent';
import { aRequest } from '@mergexo/testkit';
import { A_CHANGE, A_FEEDBACK } from './outputs.js';
import { createWorld, findObstacle, type World } from './world.js';

const obstacle = findObstacle();
if (obstacle !== undefined) throw new Error(obstacle);

/** Images of one pixel. */
const RED = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const BLUE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYPgPAAEDAQAIicLsAAAAAElFTkSuQmCC';
const DAMAGED = Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64');

describe('an uploaded image', () => {
  let world: World;
  afterEach(() => world.close());

  const attach = (name: string, base64: string): AgentRequest['attachments'] => {
    const directory = join(world.dir, 'attachments');
    mkdirSync(directory, { recursive: true });
    const path = join(directory, name);
    writeFileSync(path, Buffer.from(base64, 'base64'));
    return [{ path, media_type: 'image/png', url: 'u', source: 'comment 1 by ada', is_new: true }];
  };
  const context = () => world.turnContext({ handouts: [join(world.dir, 'attachments')] });
  const lastRequest = (): string => world.model.requests.at(-1)?.text ?? '';
  const dataUrl = (base64: string): string => `data:image/png;base64,${base64}`;

  it('is part of the first message to the model of Codex, and of a later message in the same session', async () => {
    world = await createWorld('codex');
    const agent = await world.agent();
    world.model.play({ answer: A_CHANGE });
    const request = { ...aRequest('bugfix_start'), attachments: attach('1.png', RED) };
    const first = await agent.runTurn(request, context());
    expect(first).toMatchObject({ kind: 'answered' });
    expect(lastRequest()).toContain('"input_image"');
    expect(lastRequest()).toContain(dataUrl(RED));

    world.model.play({ answer: A_FEEDBACK });
    const threadId = first.kind === 'answered' ? first.threadId : null;
    const later = aRequest('implementation_feedback', { threadId, adapter: 'codex' });
    const second = await agent.runTurn({ ...later, attachments: attach('2.png', BLUE) }, context());
    expect(second).toMatchObject({ kind: 'answered', threadId });
    expect(lastRequest()).toContain(dataUrl(BLUE));
  });

  it('can be opened by Codex and by Claude Code under its path', async () => {
    for (const name of ['codex', 'claude'] as const) {
      world = await createWorld(name);
      const agent = await world.agent();
      const [attachment] = attach('1.png', RED);
      if (attachment === undefined) throw new Error('no attachment');
      world.model.play({ view: attachment.path }, { answer: A_CHANGE });
      const request = { ...aRequest('bugfix_start'), attachments: [{ ...attachment, is_new: false }] };
      expect(await agent.runTurn(request, context())).toMatchObject({ kind: 'answered' });
      expect(lastRequest()).toContain(RED);
      if (name === 'codex') await world.close();
    }
  });

  it('does not fail the turn of Codex if it is damaged', async () => {
    world = await createWorld('codex');
    const agent = await world.agent();
    world.model.play({ answer: A_CHANGE });
    const request = { ...aRequest('bugfix_start'), attachments: attach('1.png', DAMAGED) };
    expect(await agent.runTurn(request, context())).toMatchObject({ kind: 'answered' });
    expect(lastRequest()).not.toContain('"input_image"');
  });
});
