import { z } from 'zod';
import type { Requests } from './http/requests.js';
import { keyOf, type Memory } from './memory/create-memory.js';
import { IssueComment } from './models/issue-models.js';

/** An issue or pull request by its number, or a comment by its id. */
export type ReactionSubject = { kind: 'issue' | 'comment' | 'review'; id: number };

const Reaction = z.object({ id: z.int() });
/** Requires only the id, because a comment was posted even if the response lacks other fields. */
const Posted = z.looseObject({ id: z.int() });
/** The response to a DELETE has no body. */
const Removed = z.unknown();

const PATHS = { issue: 'issues', comment: 'issues/comments', review: 'pulls/comments' } as const;

/** Writes that only show progress. They neither wake the poller nor delay other writes. */
export function createSigns(requests: Requests, memory: Memory) {
  const pathOf = (repo: string, { kind, id }: ReactionSubject) =>
    `/repos/${repo}/${PATHS[kind]}/${id}/reactions` as const;
  return {
    /** Adds a reaction. `isNew` is false if our login had added the same reaction before. */
    async addReaction(
      repo: string,
      subject: ReactionSubject,
      content: string,
    ): Promise<{ id: number; isNew: boolean }> {
      const route = `POST ${pathOf(repo, subject)}` as const;
      const { status, data } = await requests.writeQuietly(route, Reaction, { content });
      return { id: data.id, isNew: status === 201 };
    },

    /** Removes one of our own reactions. Fails with 'not-found' if somebody has removed the reaction. */
    async removeReaction(repo: string, subject: ReactionSubject, id: number): Promise<void> {
      await requests.writeQuietly(`DELETE ${pathOf(repo, subject)}/${id}`, Removed, {});
    },

    /** Posts a comment like `postIssueComment`, but no other write waits for it. */
    async postStatusComment(repo: string, number: number, body: string): Promise<{ id: number }> {
      const route = `POST /repos/${repo}/issues/${number}/comments` as const;
      const { data } = await requests.writeQuietly(route, Posted, { body });
      memory.noteOwnComment(repo, number, IssueComment.safeParse(data).data);
      return { id: data.id };
    },

    /** Replaces the text of a comment. GitHub notifies nobody about an edit. */
    async updateIssueComment(repo: string, id: number, body: string): Promise<void> {
      const route = `PATCH /repos/${repo}/issues/comments/${id}` as const;
      const { data } = await requests.writeQuietly(route, z.unknown(), { body });
      const { data: comment } = IssueComment.safeParse(data);
      if (comment !== undefined) memory.comments.upsert(keyOf(repo, comment.thread), comment);
    },
  };
}
