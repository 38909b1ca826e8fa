import { type Action, hasLabel } from '@mergexo/core';
import type { Found, Speaker, SpeakerTools, Topic } from '../outbox/speaker.js';

/** Puts it on or takes it off; its words are the label. */
export function createLabelSpeaker({ github }: SpeakerTools, action: Action, topic: Topic): Speaker {
  const isWanted = action.kind === 'escalation_label';
  const { fullName } = topic.repo.config;
  const label = action.words ?? '';
  return {
    token: '',
    async find(): Promise<Found> {
      const { labels } = await github.fetchIssue(fullName, action.thread);
      return hasLabel(labels, label) === isWanted
        ? { kind: 'ours', remoteId: action.thread }
        : { kind: 'absent' };
    },
    async send() {
      if (isWanted) await github.addLabels(fullName, action.thread, [label]);
      else await github.removeLabel(fullName, action.thread, label);
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
