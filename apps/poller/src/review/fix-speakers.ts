import { type Action, findingTargetOf } from '@mergexo/core';
import type { Found, Speaker, SpeakerTools, Topic } from '../outbox/speaker.js';

/** Says nothing. A thread that is closed is closed: doing it twice is harmless, and where it cannot be done nobody minds. */
export function createResolveSpeaker({ github }: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { fullName } = topic.repo.config;
  const finding = findingTargetOf(action);
  if (finding === undefined) throw new Error(`${action.target} is no finding`);
  const { commentId } = finding;
  return {
    token: '',
    find: async (): Promise<Found> => ({ kind: 'absent' }),
    async send() {
      await github.resolveReviewThread(fullName, action.thread, commentId);
      return { remoteId: commentId };
    },
  };
}
