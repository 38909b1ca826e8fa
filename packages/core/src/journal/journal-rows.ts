/** What an installation recorded, as the database stores it. Times are in milliseconds since 1970. */
export type JournalRows = {
  repositories: readonly { id: number; owner: string; name: string }[];
  runs: readonly {
    id: number;
    repoId: number;
    issueNumber: number;
    flow: string;
    ordinal: number;
    status: string;
    hold: string | null;
    end: string | null;
    title: string;
    prNumber: number | null;
    createdAt: number;
  }[];
  /** One row per version of a comment, review or failed check. */
  remarks: readonly {
    repoId: number;
    eventKey: string;
    thread: number;
    kind: string;
    commentId: number;
    updatedAt: string;
    createdAt: string;
    author: string | null;
    body: string | null;
    inReplyToId: number | null;
    reviewId: number | null;
    reviewState: string | null;
    turnKey: string | null;
    skip: string | null;
    seenAt: number;
    processedAt: number | null;
  }[];
  turns: readonly {
    turnKey: string;
    repoId: number;
    runId: number | null;
    kind: string;
    issueNumber: number | null;
    prNumber: number | null;
    state: string;
    reason: string | null;
    attempts: number;
    crashes: number;
    agentFailures: number;
    infrastructureFailures: number;
    openedAt: number;
    endedAt: number | null;
  }[];
  actions: readonly {
    repoId: number;
    turnKey: string | null;
    thread: number;
    kind: string;
    state: string;
    sends: number;
    end: string | null;
    createdAt: number;
    updatedAt: number;
  }[];
  events: readonly {
    type: string;
    repoId: number | null;
    issueNumber: number | null;
    prNumber: number | null;
    turnKey: string | null;
    eventKey: string | null;
    payload: string;
    createdAt: number;
  }[];
};
