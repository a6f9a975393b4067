/** The notes of the sample, read by the parser: pieces of allowed sections, and what the leak check took out. */
import type { StageContext } from '../contract.js';
import { foldWords } from '../lib/note-text.js';
import type { Config } from './config.js';
import { DRUG_WORDS_FILE, DrugWords, PLAIN_WORDS_FILE } from './drug-words.js';
import { LEAK_PHRASES_FILE, LeakCheck, readPhrases } from './leaks.js';
import { type NotePart, type NoteProfile, profileOfNote } from './note.js';
import { blocksOf, sentencesOf, wrapWidth } from './units.js';

/** What the notes say, by admission. */
export async function readNotes(ctx: StageContext, config: Config): Promise<Map<number, NoteProfile>> {
  const parts = await byAdmission<NotePart>(
    ctx,
    `select p.hadm_id, p.note_id, p.section, p.part_n, p.text, p.start_n
     from note_sections p join sampled_admissions using (hadm_id) order by p.hadm_id, p.note_id, p.part_n`,
  );
  const ordered = await byAdmission<{ hadm_id: number; drug: string; drug_fold: string }>(
    ctx,
    `select distinct hadm_id, drug, drug_fold from orders
     where coalesce(non_decision_reason, '') not in ('flush', 'diluent') order by hadm_id, drug_fold, drug`,
  );
  const words = new DrugWords(ctx.file(DRUG_WORDS_FILE), ctx.file(PLAIN_WORDS_FILE));
  const phrases = readPhrases(ctx.file(LEAK_PHRASES_FILE));
  return new Map(
    [...parts].map(([hadm_id, own]) => {
      const check = new LeakCheck({
        phrases,
        drugs: drugsOfStay(ordered.get(hadm_id) ?? [], textOf(own, 'meds_admission'), words),
        course: sentencesIn(textOf(own, 'course')).slice(1),
        diagnoses: textOf(own, 'diagnosis').split(/[\r\n]+/),
        past: textOf(own, 'pmh'),
      });
      return [hadm_id, profileOfNote(own, { hpi: config.hpi, check })];
    }),
  );
}

const textOf = (parts: readonly NotePart[], section: string): string =>
  parts
    .filter((p) => p.section === section)
    .map((p) => p.text)
    .join('\n\n');

const sentencesIn = (text: string): string[] =>
  blocksOf(text, wrapWidth([text]))
    .flatMap((block) => sentencesOf(text, block))
    .map((u) => text.slice(u.start, u.end));

/** Names to look for of the drugs that were ordered in the stay, without those that the home list names in any way. */
function drugsOfStay(
  ordered: readonly { drug: string; drug_fold: string }[],
  homeList: string,
  words: DrugWords,
): Map<string, string> {
  const home = foldWords(homeList);
  const names = new Map<string, string>();
  for (const { drug, drug_fold } of ordered) {
    const own = words.namesOf(drug);
    if (own.some((n) => home.includes(n))) continue;
    for (const name of own) if (!names.has(name)) names.set(name, drug_fold);
  }
  return names;
}

/** Rows of a query by their hadm_id, in the order of the query. */
export async function byAdmission<R extends { hadm_id: number }>(
  ctx: StageContext,
  sql: string,
): Promise<Map<number, R[]>> {
  const rows = new Map<number, R[]>();
  for await (const chunk of ctx.sql.stream<R>(sql))
    for (const row of chunk) {
      const own = rows.get(row.hadm_id);
      if (own) own.push(row);
      else rows.set(row.hadm_id, [row]);
    }
  return rows;
}
