/** Declaration of load-guidelines. */
import { guidelineDocuments } from '../../schemas/guideline.js';
import { LOCK_FILE } from '../../schemas/lock.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { run } from './run.js';
import { SHAPES } from './shapes.js';

export const loadGuidelines = defineStage<Config>({
  name: 'load-guidelines',
  version: 1,
  summary: 'reads guideline tables, strictly, with edition, coverage and the place of every row',
  inputs: { guidelines: { kind: 'folder', doc: 'tables of raw/guidelines, known by their hash' } },
  outputs: {
    ...Object.fromEntries(SHAPES.map((s) => [s.table.name, s.table])),
    guideline_documents: guidelineDocuments,
  },
  config,
  files: [LOCK_FILE],
  conserve: SHAPES.map((s) => ({ input: s.input, output: s.table.name })),
  audits: [
    {
      name: 'class words name known classes',
      sql: `select word, key from (select word, unnest(string_split(class_key, ';')) as key from class_words)
            where key not in (select class_key from drug_classes)`,
    },
    {
      name: 'class members and neutral drugs are known ingredients',
      sql: `select member_rxnorm_style_name as name from drug_classes
            where lower(member_rxnorm_style_name) not in (select lower(synonym) from drug_names)
            union all select ingredient from neutral_drugs
            where lower(ingredient) not in (select lower(synonym) from drug_names)`,
    },
    {
      name: 'one name stands for one ingredient',
      sql: 'select lower(synonym) as name from drug_names group by all having count(distinct ingredient) > 1',
    },
    {
      name: 'superseded, held and unsure rows are not usable',
      sql: ['beers_rows', 'kids_rows', 'tga_rows', 'label_rows']
        .map(
          (t) => `select row_id from ${t} where is_usable and
            (not is_current or use = 'hold' or confidence_lowest in ('low', 'recall'))`,
        )
        .join(' union all '),
    },
  ],
  // The limit is configurable and holds before the rows are written (max_reject_share).
  rejectLimit: 1,
  run,
});
