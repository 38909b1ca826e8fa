/** The rows of the benchmark, with their descriptions in the help. */
export const ROWS = {
  'once-cold': 'run --once: labelled issue to pull request, without a clone or a database',
  'once-warm': 'run --once: the same for a second issue',
  'once-reply': 'run --once: comment to reply',
  'service-reply': 'running service: comment to the start of the agent, and to the reply',
  'webhook-reply': 'running service with a webhook: comment to the start of the agent, and to the reply',
  'service-start': 'running service: labelled issue to pull request',
  'idle-poll': 'a poll that finds nothing new, with 1, 5 and 20 open pull requests',
  'idle-cpu': 'CPU time of an idle poll, with 10 and with 1,000 open pull requests',
  memory: 'resident memory of poller and worker after a minute without work',
} as const;

export type Row = keyof typeof ROWS;

/** The lines of the table for `run --once`. Each has another line until the command exits. */
export const ONCE_LINES = [
  { row: 'once-cold', from: 'cold', about: '`run --once`, first issue', mark: 'pull request' },
  { row: 'once-warm', from: 'warm', about: '`run --once`, second issue', mark: 'pull request' },
  { row: 'once-reply', from: 'replies', about: '`run --once`, comment', mark: 'reply' },
] as const;

export const nameOnceLine = ({ about, mark }: { about: string; mark: string }): string =>
  `${about} → ${mark}`;
export const nameIdleLine = (pulls: number): string => `idle poll, ${pulls} open`;

/** These rows have no latency and take minutes, so they run only on request. */
const ON_REQUEST: readonly Row[] = ['idle-cpu', 'memory'];

const isRow = (name: string): name is Row => Object.hasOwn(ROWS, name);

/** Parses `--rows`. Throws for an unknown name. */
export function parseRows(text: string | undefined): Row[] {
  const all = Object.keys(ROWS).filter(isRow);
  if (text === undefined) return all.filter((row) => !ON_REQUEST.includes(row));
  if (text === 'all') return all;
  return text.split(',').map((name) => {
    if (!isRow(name)) throw new Error(`--rows has no row "${name}". Choose from ${all.join(', ')}, or all.`);
    return name;
  });
}

/** Parses a comma-separated list of whole numbers, or throws an error that names the option. */
export function parseNumbers(option: string, text: string): number[] {
  return text.split(',').map((part) => {
    if (!/^\d{1,5}$/.test(part)) throw new Error(`${option} must be whole numbers, not "${part}".`);
    return Number(part);
  });
}
