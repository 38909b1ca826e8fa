/** One line in the output of `mergexo doctor`. The other doctor checks use the same shape. */
export type Finding = { name: string; status: 'ok' | 'warning' | 'failure'; detail: string; fix?: string };

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail });

const complain =
  (status: 'warning' | 'failure') =>
  (name: string, detail: string, fix: string): Finding => ({ name, status, detail, fix });

export const warning = complain('warning');
export const failure = complain('failure');
