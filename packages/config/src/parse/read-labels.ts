import type { LabelKey, Labels } from '@mergexo/core/flows';
import type { RepoDraft } from './read-draft.js';

/** The config key of each label is the label's name plus `_label`, such as `bugfix_label`. */
type LabelTable = Pick<RepoDraft['table'], `${LabelKey}Label`>;

export function readLabels(table: LabelTable): Labels {
  return {
    design: table.designLabel,
    bugfix: table.bugfixLabel,
    smallJob: table.smallJobLabel,
    ignore: table.ignoreLabel,
  };
}
