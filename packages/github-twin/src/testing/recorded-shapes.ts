import fs from 'node:fs';
import { z } from 'zod';
import { createComparer, Shape, Shapes } from './compare-shapes.js';

const Recorded = z.object({
  shapes: Shapes,
  answers: z.record(
    z.string(),
    z.record(z.string(), z.object({ newest: z.string(), body: z.union([z.string(), Shape]) })),
  ),
});

const FILE = new URL('../../spec/recorded-shapes.json', import.meta.url);

export type Recordings = ReturnType<typeof readRecordings>;

export function readRecordings() {
  const { shapes, answers } = Recorded.parse(JSON.parse(fs.readFileSync(FILE, 'utf8')));
  const compare = createComparer(shapes);
  return {
    operations: Object.entries(answers).flatMap(([operation, byStatus]) =>
      Object.keys(byStatus).map((status) => `${operation} ${status}`),
    ),
    /** Lists how a body differs from the recorded answers. Undefined if there is no recording. */
    compare(operation: string, status: number, body: unknown): string[] | undefined {
      const recorded = answers[operation]?.[String(status)];
      if (recorded === undefined) return undefined;
      if (recorded.body === 'none') return body === undefined ? [] : [`${operation}: has a body`];
      return compare(operation, recorded, body);
    },
  };
}
