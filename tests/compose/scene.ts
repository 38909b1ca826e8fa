import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@mergexo/testkit';
import { z } from 'zod';
import { REPO, type ServedGitHub } from './github/serve-github.js';
import type { Container, Project } from './project.js';

const Pull = z.object({ number: z.number(), user: z.object({ login: z.string() }) });
const Comment = z.object({
  id: z.number(),
  in_reply_to_id: z.number().optional(),
  user: z.object({ login: z.string() }),
});
const REPLY_LIMIT_MS = 240_000;

export type Scene = ReturnType<typeof createScene>;

/** What a person does on GitHub, and what this person sees there. */
export function createScene(project: Project, github: ServedGitHub) {
  const alice = github.twin.as('alice');
  const asked: number[] = [];
  let pull: number | undefined;
  let line = 0;

  const listPulls = async (): Promise<number[]> => {
    const rows = z.array(Pull).parse(await alice.request('GET', `/repos/${REPO}/pulls?state=all`));
    return rows.filter(({ user }) => user.login === 'robot').map(({ number }) => number);
  };
  const requirePull = (): number => {
    if (pull === undefined) throw new Error('there is no pull request yet');
    return pull;
  };
  /** Counts the replies to each comment. */
  const countReplies = async (): Promise<Map<number, number>> => {
    const path = `/repos/${REPO}/pulls/${requirePull()}/comments?per_page=100`;
    const rows = z.array(Comment).parse(await alice.request('GET', path));
    const replies = rows.filter(({ user }) => user.login === 'robot');
    return new Map(
      asked.map((id) => [id, replies.filter((reply) => reply.in_reply_to_id === id).length] as const),
    );
  };

  return {
    project,
    /** Opens an issue and waits for the pull request. */
    async openPull(): Promise<void> {
      await alice.openIssue(REPO, { title: 'Login broken', labels: ['agent:small-job'] });
      pull = await eventually(async () => {
        const [number] = await listPulls();
        if (number === undefined) throw new Error('there is no pull request');
        return number;
      }, REPLY_LIMIT_MS);
    },
    /** Comments on a line. The agent works for this long on its answer, and changes a file. */
    async comment(workMs = 0): Promise<number> {
      line = (line % 3) + 1;
      const instruction = { sleepMs: workMs, write: { [`answer-${asked.length}.txt`]: 'done\n' } };
      const body = `Why? ${JSON.stringify(instruction)}`;
      const id = await alice.reviewComment(REPO, requirePull(), { path: 'fix.txt', line, body });
      asked.push(id);
      return id;
    },
    async countRepliesTo(id: number): Promise<number> {
      return (await countReplies()).get(id) ?? 0;
    },
    untilAnswered: (id: number) =>
      eventually(async () => {
        if ((await countReplies()).get(id) === 0) throw new Error(`comment ${id} has no reply`);
      }, REPLY_LIMIT_MS),
    /** Waits until an agent works on the pull request, and returns its container. */
    untilWorking: (): Promise<Container> =>
      eventually(async () => {
        const { work } = await project.readStatus();
        const turn = work.find(({ pr }) => pr === requirePull())?.turn;
        const host = /@([0-9a-f]{12})-/.exec(turn?.state === 'running' ? (turn.worker ?? '') : '')?.[1];
        if (host === undefined) throw new Error(`the turn is ${turn?.state ?? 'not open'}`);
        // The turn begins shortly before its agent starts.
        await sleep(1_500);
        const workers = (await project.listContainers()).filter(({ service }) => service === 'worker');
        const busy = workers.find(({ id }) => id.startsWith(host));
        if (busy === undefined) throw new Error(`no container ${host}`);
        return busy;
      }, 120_000),
    /** Lists what is wrong now: a comment without exactly one reply, a second pull request, a request unknown to GitHub. */
    async findFaults(): Promise<string[]> {
      const counts = [...(await countReplies())].filter(([, count]) => count !== 1);
      const pulls = await listPulls();
      const violations = github.twin.control.violations();
      return [
        ...counts.map(([id, count]) => `comment ${id} has ${count} replies`),
        ...(pulls.length === 1 ? [] : [`there are ${pulls.length} pull requests`]),
        ...violations.map((violation) => JSON.stringify(violation)),
      ];
    },
    countAsked: () => asked.length,
  };
}
