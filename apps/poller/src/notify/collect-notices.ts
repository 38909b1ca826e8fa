import type { Config } from '@mergexo/config';
import { describeHost } from '@mergexo/core/basics';
import { NOTICE_EVENTS, type Notice, toNotice } from '@mergexo/core/notices';
import type { State } from '@mergexo/state';

/** Events per message. Later events follow in the next message. */
const BATCH = 200;

type Tools = { state: State; config: Config };

/** The notifications after an event, oldest first, and the last event that they cover. */
export type Collected = { notices: readonly { eventId: number; notice: Notice }[]; upTo: number };

export function collectNotices(tools: Tools, after: number): Collected {
  const { state, config } = tools;
  // Read first: an event that is recorded in between belongs to the next round.
  const last = state.readLastEventId();
  const events = state.listEventsOfTypes(NOTICE_EVENTS, after, BATCH);
  const notices = events.flatMap((event) => {
    const notice = describe(tools, event);
    const isWanted = notice !== undefined && config.notify.events.some((kind) => kind === notice.kind);
    return isWanted ? [{ eventId: event.id, notice }] : [];
  });
  const isComplete = events.length < BATCH;
  return { notices, upTo: isComplete ? last : (events.at(-1)?.id ?? last) };
}

type StoredEvent = ReturnType<State['listEventsOfTypes']>[number];

function describe({ state, config }: Tools, event: StoredEvent): Notice | undefined {
  const repository = event.repoId === null ? undefined : state.readRepository(event.repoId);
  const repo = repository === undefined ? null : `${repository.owner}/${repository.name}`;
  // Events of repositories that are no longer configured need no notification.
  const configured = config.repos.find(({ fullName }) => fullName.toLowerCase() === repo?.toLowerCase());
  if (repo !== null && configured === undefined) return undefined;
  const run = event.runId === null ? undefined : state.readRun(event.runId);
  return toNotice(
    {
      ...event,
      repo,
      title: run === undefined || run.issueTitle === '' ? null : run.issueTitle,
      isReviewedByAi: configured?.reviewEnabled === true && run !== undefined && run.flow !== 'design_doc',
    },
    describeHost(config.github.apiUrl).webUrl,
  );
}
