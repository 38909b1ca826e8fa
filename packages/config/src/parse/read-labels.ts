import type { LabelKey, Labels } from '@mergexo/core/flows';
import type { RepoDraft } from './read-draft.js';

/** Each label of a repository is set by the key of the same name, such as `bugfix_label`. */
type LabelTable = Pick<RepoDraft['table'], `${LabelKey}Label`>;

export function readLabels(table: LabelTable): Labels {
  return {
    design: table.designLabel,
    bugfix: table.bugfixLabel,
    smallJob: table.smallJobLabel,
    ignore: table.ignoreLabel,
  };
}
