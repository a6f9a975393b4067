/** All drug words of the guideline tables of the project. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUIDELINE_FILES, TEST_FILES } from '../../stages/load-guidelines/shapes.js';
import { loadGuidelines } from '../../stages/load-guidelines/stage.js';
import { resolveDrugs } from '../../stages/resolve-drugs/stage.js';
import { runStageOn, temporaryFolder } from '../support/stage.js';

describe('resolve-drugs', () => {
  it('resolves every name of the four sources, of the 2020 list and of the unchecked labels', async () => {
    const dir = temporaryFolder();
    for (const f of [...GUIDELINE_FILES, ...TEST_FILES])
      cpSync(f, join(dir, f.slice(f.lastIndexOf('/') + 1)));
    const loaded = await runStageOn(loadGuidelines, { inputs: { guidelines: { folder: dir } } });
    const inputs = Object.fromEntries(
      Object.keys(resolveDrugs.inputs).map((name) => [
        name,
        { parquet: join(loaded.dir, `${name}.parquet`) },
      ]),
    );
    const run = await runStageOn(resolveDrugs, { inputs });
    expect(run.result.rejected).toEqual({});
    expect(run.result.rows_in.names).toBe(837);
    expect(run.result.counts).toEqual({
      'drug.beers2023': 332,
      'class.beers2023': 49,
      'open.beers2023': 1,
      'ingredients.beers2023': 173,
      'drug.kids2025': 10,
      'class.kids2025': 0,
      'open.kids2025': 0,
      'ingredients.kids2025': 6,
      'drug.kids2020-superseded': 23,
      'class.kids2020-superseded': 0,
      'open.kids2020-superseded': 0,
      'ingredients.kids2020-superseded': 23,
      'drug.tga-pregnancy': 227,
      'class.tga-pregnancy': 0,
      'open.tga-pregnancy': 0,
      'ingredients.tga-pregnancy': 223,
      'drug.fda-labels': 158,
      'class.fda-labels': 7,
      'open.fda-labels': 0,
      'ingredients.fda-labels': 81,
      'drug.fda-labels-unchecked': 30,
      'class.fda-labels-unchecked': 0,
      'open.fda-labels-unchecked': 0,
      'ingredients.fda-labels-unchecked': 24,
    });
  });
});
