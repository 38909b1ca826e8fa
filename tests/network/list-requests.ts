import { phaseOf, type Round } from './round.js';

/** Renders the requests of one round as text, one per line, with the marks between them. */
export function listRequests({ marks, requests }: Round): string {
  const since = (ms: number): number => Math.round(ms - marks.begin);
  const lines = requests.map((request) => {
    const { startMs, endMs, method, path, status } = request;
    const times = `${since(startMs)}`.padStart(7) + `${since(endMs)}`.padStart(7);
    return {
      ms: startMs,
      line: `${times}  ${phaseOf(request, marks).padEnd(5)}  ${status}  ${method} ${path}`,
    };
  });
  const named = Object.entries(marks).map(([name, ms]) => ({
    ms,
    line: `${`${since(ms)}`.padStart(7)}         ---- ${name}`,
  }));
  const sorted = [...named, ...lines].sort((a, b) => a.ms - b.ms).map(({ line }) => line);
  return ['  start    end  phase  status  request (milliseconds since the start)', ...sorted, ''].join('\n');
}
