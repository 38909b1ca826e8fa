import type { Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { NotifyChannel } from '@mergexo/core/notices';
import { type Channel, createChannels } from '@mergexo/notify';
import type { State } from '@mergexo/state';
import type { Health } from './connect/health.js';
import { createDelivery } from './notify/create-delivery.js';
import { repeat } from './repeat.js';

/** How soon an event is sent. */
const PAUSE_MS = 2_000;
const monotonicNow = (): number => performance.now();
const now = (): number => Date.now();

/** Sends notifications in a loop of its own, so that a slow webhook delays neither polling nor posting. */
export function startNotifying(
  settings: () => Settings,
  { state, log, health }: { state: State; log: Log; health: Pick<Health, 'report'> },
  { cleanups, onError }: { cleanups: (() => unknown)[]; onError: (error: unknown) => void },
): void {
  let opened: { settings: Settings; channels: readonly Channel[] } | undefined;
  const channels = (): readonly Channel[] => {
    const latest = settings();
    if (opened?.settings !== latest) opened = { settings: latest, channels: openChannels(latest) };
    return opened.channels;
  };
  const stopping = new AbortController();
  const report = (channel: NotifyChannel, trouble: string | undefined): void =>
    health.report(
      `notify/${channel}`,
      trouble === undefined ? undefined : new Failure('invalid-data', trouble),
    );
  const deliver = createDelivery({
    ...{ state, log, now, monotonicNow, report },
    signal: stopping.signal,
    config: () => settings().config,
    channels,
  });
  const delivering = repeat(deliver, { pauseMs: PAUSE_MS, onError });
  cleanups.push(() => {
    stopping.abort();
    return delivering.stop();
  });
}

function openChannels({ config, webhook, childEnv: env, redact }: Settings): readonly Channel[] {
  const { command, desktop } = config.notify;
  return createChannels({ webhook, command, desktop, env, redact });
}
