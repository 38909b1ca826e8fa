/** As `mergexo doctor` shows it; the same shape as its own checks. */
export type Finding = { name: string; status: 'ok' | 'warning' | 'failure'; detail: string; fix?: string };

export function finding(name: string, status: Finding['status'], detail: string, fix?: string): Finding {
  return { name, status, detail, ...(fix !== undefined && { fix }) };
}
