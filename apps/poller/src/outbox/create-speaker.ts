import type { Action } from '@mergexo/core';
import { createLabelSpeaker, createRequestSpeaker } from '../review/escalation-speakers.js';
import { createResolveSpeaker } from '../review/fix-speakers.js';
import { createReviewSpeaker, createStatusSpeaker } from '../review/review-speakers.js';
import { createCommentSpeaker, createReplySpeaker } from './comment-speakers.js';
import { createBodySpeaker, createPullSpeaker, createRerunSpeaker } from './pull-speakers.js';
import type { Speaker, SpeakerTools, Topic } from './speaker.js';

export function createSpeaker(tools: SpeakerTools, action: Action, topic: Topic): Speaker {
  switch (action.kind) {
    case 'open_pull':
      return createPullSpeaker(tools, action, topic);
    case 'review_reply':
    case 'finding_reply':
    case 'thread_link':
      return createReplySpeaker(tools, action, topic);
    case 'update_body':
      return createBodySpeaker(tools, action, topic);
    case 'rerun_checks':
      return createRerunSpeaker(tools, action, topic);
    case 'post_review':
      return createReviewSpeaker(tools, action, topic);
    case 'review_status':
      return createStatusSpeaker(tools, action, topic);
    case 'resolve_thread':
      return createResolveSpeaker(tools, action, topic);
    case 'escalation_label':
    case 'escalation_unlabel':
      return createLabelSpeaker(tools, action, topic);
    case 'review_request':
      return createRequestSpeaker(tools, action, topic);
    default:
      return createCommentSpeaker(tools, action, topic);
  }
}
