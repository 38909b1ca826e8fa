import type { AgentRequest } from '@mergexo/core/agent';
import { type Attached, MEDIA_TYPES } from '@mergexo/core/attachments';

/** Describes the uploaded files to the agent. A new session knows none of them. */
export function toAttachments(files: Attached['files'], isResumed: boolean): AgentRequest['attachments'] {
  return files.map(({ path, type, url, source, isNew }) => ({
    path,
    media_type: MEDIA_TYPES[type],
    url,
    source,
    is_new: isNew || !isResumed,
  }));
}
