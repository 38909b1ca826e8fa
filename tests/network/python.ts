import { nameIdleLine, nameOnceLine, ONCE_LINES, type Row } from './rows.js';

export const PYTHON_LATENCY_MS = 150;

type Figures = { seconds: number | null; requests: number | null };

const ONCE: Partial<Record<Row, Figures>> = {
  'once-cold': { seconds: 4.9, requests: 9 },
  'once-warm': { seconds: 4.5, requests: null },
  'once-reply': { seconds: 6.4, requests: 23 },
};
/** Requests of an idle poll, by the number of open pull requests. */
const IDLE: Readonly<Record<number, number>> = { 1: 11, 5: 43, 20: 163 };

/**
 * What Python MergeXO needs, by the name of our own line. Measured before, on the same kind of machine and with the same
 * offline GitHub. Null was not measured.
 */
export const PYTHON: readonly (Figures & { what: string })[] = [
  ...ONCE_LINES.flatMap((line) => {
    const figures = ONCE[line.row];
    return figures === undefined ? [] : [{ what: nameOnceLine(line), ...figures }];
  }),
  ...Object.entries(IDLE).map(([pulls, requests]) => ({
    what: nameIdleLine(Number(pulls)),
    seconds: null,
    requests,
  })),
];
