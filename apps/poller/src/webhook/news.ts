/** The lists that each poll reads. Other responses can be new because of MergeXO's own work. */
const FEED =
  /^\/repos\/([^/]+\/[^/]+)\/(?:issues|issues\/comments|pulls|pulls\/comments|actions\/runs)(?:\?|$)/;

export type News = {
  /** Call this with the path of each response that was not a 304. */
  hear(path: string): void;
  /** Counts the changed lists of a repository since the start. */
  countOf(fullName: string): number;
};

/** Counts changed lists per repository, to detect a delivery that arrived before the lists changed. */
export function createNews(): News {
  const counts = new Map<string, number>();
  return {
    hear(path) {
      const name = FEED.exec(path)?.[1]?.toLowerCase();
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    countOf: (fullName) => counts.get(fullName.toLowerCase()) ?? 0,
  };
}
