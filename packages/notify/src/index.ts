export type { Channel, Sent } from './channel.js';
export { createChannels, type NotifySettings } from './create-channels.js';
