import { guidelineDocuments } from '../../schemas/guideline.js';
import { labelDocuments, labelSections } from '../../schemas/labels.js';
import { passagePlaces, passages } from '../../schemas/passage.js';
import { guidelineCellParts, guidelineCells, pdfDocuments } from '../../schemas/pdf.js';
import { rules } from '../../schemas/rule.js';
import { defineStage } from '../contract.js';
import { type Config, config } from './config.js';
import { CITED, run } from './run.js';

export const placePassages = defineStage<Config>({
  name: 'place-passages',
  version: 1,
  summary: 'where the prose that rules quote is printed, and how much of its documents there is',
  inputs: {
    passages,
    rules,
    /** Documents of the tables of ours; they come out again beside those of prose. */
    earlier_documents: guidelineDocuments,
    pdf_documents: pdfDocuments,
    guideline_cells: guidelineCells,
    guideline_cell_parts: guidelineCellParts,
    label_documents: labelDocuments,
    label_sections: labelSections,
  },
  optional: ['pdf_documents', 'guideline_cells', 'guideline_cell_parts', 'label_documents', 'label_sections'],
  outputs: { passage_places: passagePlaces, guideline_documents: guidelineDocuments },
  config,
  conserve: [{ input: CITED, output: 'passage_places' }],
  audits: [
    {
      name: 'every place that a model quotes has its row',
      sql: `with spans as (select distinct json_extract_string(s, '$.ref') as ref from
          (select unnest(from_json(spans, '["JSON"]')) as s from rules where author = 'model'))
        select ref from spans anti join passage_places using (ref) where ref not like 'definition:%'`,
    },
    {
      name: 'a cell has a page and a box, a section has neither',
      sql: `select ref from passage_places where (table_n is null) <> (page is null) or (page is null) <> (x0 is null)
        or (ref like 'pdf:%') <> (page is not null)`,
    },
  ],
  run,
});
