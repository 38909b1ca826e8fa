import { type Action, hasLabel } from '@mergexo/core';
import type { Found, Speaker, SpeakerTools, Topic } from '../outbox/speaker.js';

/** Its words are the label. */
export function createLabelSpeaker({ github }: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { fullName } = topic.repo.config;
  const label = action.words ?? '';
  return {
    token: '',
    async find(): Promise<Found> {
      const { labels } = await github.fetchIssue(fullName, action.thread);
      const isThere = hasLabel(labels, label);
      return isThere ? { kind: 'ours', remoteId: action.thread } : { kind: 'absent' };
    },
    async send() {
      await github.addLabels(fullName, action.thread, [label]);
      return { remoteId: action.thread };
    },
  };
}

/** Its words are the login. */
export function createRequestSpeaker({ github }: SpeakerTools, action: Action, topic: Topic): Speaker {
  const { fullName } = topic.repo.config;
  const login = action.words ?? '';
  return {
    token: '',
    async find(): Promise<Found> {
      const asked = await github.fetchRequestedReviewers(fullName, action.thread);
      const isAsked = asked.some((name) => name.toLowerCase() === login.toLowerCase());
      return isAsked ? { kind: 'ours', remoteId: action.thread } : { kind: 'absent' };
    },
    async send() {
      await github.requestReviewers(fullName, action.thread, [login]);
      return { remoteId: action.thread };
    },
  };
}
