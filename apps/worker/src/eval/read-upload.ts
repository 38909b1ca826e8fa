import type { UploadContent } from '@mergexo/core/attachments';
import type { EvalCase, Replay } from '@mergexo/core/eval';

/** Reads the uploaded files from the case, because a replay does not contact GitHub's API. */
export function createReadUpload({ evalCase, replay }: { evalCase: EvalCase; replay: Replay }) {
  const { listed } = evalCase.uploads[replay];
  return async (number: number): Promise<UploadContent> => {
    const url = listed[number - 1]?.url ?? '';
    return evalCase.files[url] ?? { kind: 'missing', problem: 'unavailable' };
  };
}
