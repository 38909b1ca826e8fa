import type { Config } from '@mergexo/config';
import { NOTIFY_CHANNELS } from '@mergexo/core/notices';
import type { Channel } from '@mergexo/notify';
import { attempt } from '../attempt.js';
import { collectNotices } from './collect-notices.js';
import { type ChannelMemory, type DeliveryTools, deliverNotices } from './deliver-notices.js';

type Tools = Omit<DeliveryTools, 'collect'> & { config: () => Config; channels: () => readonly Channel[] };

/** Returns a function that runs one round of sending. Channels do not wait for each other. */
export function createDelivery(tools: Tools): () => Promise<void> {
  const { state, config } = tools;
  const memories = new Map<string, ChannelMemory>();
  let known = tools.channels();
  // Opens the channels first, so that the first event of the first start is sent too.
  keepOnly(tools, known);
  const round = async (): Promise<void> => {
    const channels = tools.channels();
    // If a removed channel is added again, it receives only later events.
    if (channels !== known) {
      keepOnly(tools, channels);
      memories.clear();
      known = channels;
    }
    const collect = (after: number) => collectNotices({ state, config: config() }, after);
    await Promise.all(
      channels.map((channel) => {
        const memory = memories.get(channel.name) ?? { lookedUpTo: 0, sentAt: [] };
        memories.set(channel.name, memory);
        return deliverNotices({ ...tools, collect }, channel, memory);
      }),
    );
  };
  return async () => {
    await attempt(tools.log, { step: 'send notifications' }, round);
  };
}

/** Opens the configured channels. Deletes the saved positions of all others and clears their reported problems. */
function keepOnly({ state, report }: Tools, channels: readonly Channel[]): void {
  const names = channels.map(({ name }) => name);
  state.keepNotifyChannels(names);
  const reported = new Set(state.listHealth().map(({ subject }) => subject));
  for (const name of names) state.openNotifyChannel(name);
  for (const name of NOTIFY_CHANNELS)
    if (!names.includes(name) && reported.has(`notify/${name}`)) report(name, undefined);
}
