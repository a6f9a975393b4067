/** What orders and notes know of a subject beside its rows: background, cultures, reports. Types only. */

/** A documented allergy (allergies.csv). */
export interface AllergyDraw {
  readonly key: string;
  /** The string as a note writes it. */
  readonly noteString: string;
  /** What rules call it in `allergy:tag`; null when no rule asks. */
  readonly tag: string | null;
}

/** A drug taken before the admission. */
export interface HomeDrug {
  /** Row of drugs.csv. */
  readonly drugKey: string;
  /** The long-standing diagnosis it is taken for; null where any patient may take it. */
  readonly dxKey: string | null;
  /** CONTINUATION row of drug_indications.csv that orders it again; null when none fits. */
  readonly ruleId: string | null;
}

/** What was true of the subject before the index admission. */
export interface Background {
  /** Empty: no known allergies. */
  readonly allergies: readonly AllergyDraw[];
  /** Sorted by drug key. */
  readonly home: readonly HomeDrug[];
  /** When each diagnosis that the subject has begins, in seconds; before admittime: present on admission. */
  readonly onset: ReadonlyMap<string, number>;
}

/** What grew in a culture. */
export interface Organism {
  readonly orgItemid: number | null;
  readonly orgName: string;
  /** Kind of organisms.csv: gram_positive, gram_negative, yeast, contaminant, ... */
  readonly kind: string;
  /** Readable at the final result only. */
  readonly susceptibilities: readonly {
    readonly abItemid: number;
    readonly abName: string;
    readonly interpretation: 'S' | 'I' | 'R';
  }[];
}

/** One specimen with its preliminary and final result; times in seconds. */
export interface Culture {
  readonly hadmId: number;
  readonly microSpecimenId: number;
  readonly spec: string;
  readonly testName: string;
  readonly drawnAt: number;
  /** When growth was first readable (gram stain, organism without susceptibilities). */
  readonly preliminaryAt: number;
  readonly finalAt: number;
  /** Empty: nothing grew. */
  readonly organisms: readonly Organism[];
}

/** One radiology report; times in seconds. It can be read from `storetime` on. */
export interface Report {
  readonly noteId: string;
  readonly hadmId: number;
  /** Template of radiology_templates.csv; `*` is the normal film. */
  readonly dxKey: string;
  readonly examName: string;
  readonly charttime: number;
  readonly storetime: number;
  /** The text shows fluid in the lungs (`rad:pulmonary_edema`). */
  readonly showsPulmonaryEdema: boolean;
}
