import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { createFind } from './fetch-unless-gone.js';
import type { Requests } from './http/requests.js';

const Label = z.object({ name: z.string() });
const LabelNames = z.array(Label.transform(({ name }) => name));
export type NewLabel = { name: string; color: string; description: string };

export function createLabels(requests: Requests) {
  const find = createFind(requests);
  return {
    /** Creates a label. Does not change an existing one, because people may have edited its color and description. */
    async ensureLabel(repo: string, label: NewLabel): Promise<'created' | 'kept'> {
      const exists = async () =>
        (await find({ repo, path: `labels/${encodeURIComponent(label.name)}` }, Label)) !== null;
      if (await exists()) return 'kept';
      try {
        await requests.write(`POST /repos/${repo}/labels`, Label, label);
        return 'created';
      } catch (error) {
        // Another client may have created the label, or GitHub applied our request but its response was lost.
        if (!(error instanceof Failure) || !['conflict', 'unknown-outcome'].includes(error.kind)) throw error;
        if (!(await exists())) throw error;
        return error.kind === 'conflict' ? 'kept' : 'created';
      }
    },

    /** Adds labels and keeps the existing ones. Returns all labels of the issue or pull request. */
    async addLabels(repo: string, number: number, labels: readonly string[]): Promise<string[]> {
      return requests.write(`POST /repos/${repo}/issues/${number}/labels`, LabelNames, { labels });
    },

    /**
     * Removes a label and returns the remaining ones. Fails with 'not-found' if the issue or pull request does not
     * have the label.
     */
    async removeLabel(repo: string, number: number, label: string): Promise<string[]> {
      const path = `/repos/${repo}/issues/${number}/labels/${encodeURIComponent(label)}` as const;
      return requests.write(`DELETE ${path}`, LabelNames, {});
    },
  };
}
