export type JobIdentity = { turnKey: string; epoch: number };

const JOB_ID = /^t-([0-9a-f]{64})-([1-9][0-9]{0,8})$/;

/** A new epoch is a new id: a job that Redis still remembers never swallows a re-added turn. */
export function buildJobId({ turnKey, epoch }: JobIdentity): string {
  return `t-${turnKey}-${epoch}`;
}

export function parseJobId(id: string): JobIdentity | undefined {
  const [, turnKey, epoch] = JOB_ID.exec(id) ?? [];
  if (turnKey === undefined || epoch === undefined) return undefined;
  return { turnKey, epoch: Number(epoch) };
}
