import { FLOW_TRAITS, FLOWS } from '../flows/flow.js';
import { TURN_KIND_NAMES } from '../turns/turn-kind.js';
import { EVENT_NAMES } from './runtime-event.js';
import { toReadable } from './to-readable.js';

const TITLES: ReadonlyMap<string, string> = new Map(Object.entries(EVENT_NAMES));
const NAMES: ReadonlyMap<unknown, string> = new Map([
  ...Object.entries(TURN_KIND_NAMES),
  ...FLOWS.map((flow) => [flow, FLOW_TRAITS[flow].name] as const),
]);
/** Payload keys whose values are codes. */
const NAMED: ReadonlySet<string> = new Set(['kind', 'flow', 'cause']);
const MAX_VALUE = 400;
const MAX_LISTED = 10;

/** Payload keys whose values are times in milliseconds since 1970. */
const TIMES: ReadonlySet<string> = new Set(['not_before']);

export type EventDetail = { key: string; value: string };

/** Describes an event: a name and the facts of its payload. An event type from a later version keeps its own name. */
export function describeEvent(type: string, payload: unknown): { name: string; details: EventDetail[] } {
  const facts = typeof payload === 'object' && payload !== null ? Object.entries(payload) : [];
  const details = facts.flatMap(([key, value]): EventDetail[] => {
    const text = isNoise(type, key, value) ? '' : toText(toShown(key, value));
    return text === ''
      ? []
      : [{ key: key === 'flow' ? 'type' : key.replaceAll('_', ' '), value: shorten(text) }];
  });
  return { name: nameEvent(type, facts), details };
}

function nameEvent(type: string, facts: readonly [string, unknown][]): string {
  const isHandedBack =
    type === 'takeover' && facts.some(([key, value]) => key === 'taken_over' && value === false);
  if (isHandedBack) return 'A person handed the work back';
  return TITLES.get(type) ?? type.replaceAll('_', ' ');
}

function toShown(key: string, value: unknown): unknown {
  if (TIMES.has(key)) return toTime(value);
  if (!NAMED.has(key) || typeof value !== 'string') return value;
  return NAMES.get(value) ?? value.replaceAll('_', ' ');
}

function toTime(value: unknown): unknown {
  const isTime = typeof value === 'number' && Math.abs(value) <= 8.64e15;
  return isTime ? new Date(value).toISOString() : value;
}

/** True for facts that every event of a turn repeats, that the name already states, or that are row ids. */
function isNoise(type: string, key: string, value: unknown): boolean {
  if (key === 'round_id' || (type === 'takeover' && key === 'taken_over')) return true;
  if (!type.startsWith('turn_')) return false;
  if (key === 'kind') return type !== 'turn_opened';
  return key === 'epoch' || (key === 'attempt' && Number(value) <= 1) || (key === 'crashes' && value === 0);
}

/** Renders a value as text. Omits nested records, which `explain --json` prints. A list of records becomes a count. */
function toText(value: unknown): string {
  if (typeof value === 'string') return toReadable(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!Array.isArray(value) || value.length === 0) return '';
  const texts = value.slice(0, MAX_LISTED).map(toText);
  if (texts.some((text) => text === '')) return String(value.length);
  const more = value.length - texts.length;
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function shorten(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)} …` : text;
}
