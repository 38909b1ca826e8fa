import fs from 'node:fs';
import { z } from 'zod';
import { createComparer, Shape, Shapes } from './compare-shapes.js';

const Derived = z.object({
  shapes: Shapes,
  deliveries: z.record(z.string(), z.object({ newest: z.string(), body: Shape })),
});

const FILE = new URL('../../spec/webhook-shapes.json', import.meta.url);

/** Reads the shapes of GitHub's example payloads. A delivery has the name of its event and action: `issues opened`. */
export function readWebhookShapes() {
  const { shapes, deliveries } = Derived.parse(JSON.parse(fs.readFileSync(FILE, 'utf8')));
  const compare = createComparer(shapes);
  return {
    names: Object.keys(deliveries),
    /** Lists how a payload differs from GitHub's examples. Undefined if there is no example. */
    compare(name: string, payload: unknown): string[] | undefined {
      const derived = deliveries[name];
      return derived && compare(name, derived, payload);
    },
  };
}
