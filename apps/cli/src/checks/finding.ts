export type Finding = {
  name: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  fix?: string;
};
