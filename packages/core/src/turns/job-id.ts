export type JobIdentity = { turnKey: string; epoch: number };

const JOB_ID = /^t-([0-9a-f]{64})-([1-9][0-9]{0,8})$/;

/** Builds a new id for each epoch, because Redis ignores a new job if it still has a job with the same id. */
export function buildJobId({ turnKey, epoch }: JobIdentity): string {
  return `t-${turnKey}-${epoch}`;
}

export function parseJobId(id: string): JobIdentity | undefined {
  const [, turnKey, epoch] = JOB_ID.exec(id) ?? [];
  if (turnKey === undefined || epoch === undefined) return undefined;
  return { turnKey, epoch: Number(epoch) };
}
