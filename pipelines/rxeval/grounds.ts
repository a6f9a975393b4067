/** Looks up what a citation points to, in the released tables and nowhere else. Plain code: shared by trace and verify. */
import type { Cite } from '../../schemas/rxeval.js';
import type { OpenRelease } from './open.js';

interface EventRow {
  readonly event_id: string;
  readonly hadm_id: number;
  readonly kind: string;
  readonly available_at: string;
  readonly text: string;
  readonly order_id: string | null;
  readonly is_shown: boolean;
  readonly source_table: string;
  readonly source_keys: string;
}
interface ItemRow {
  readonly event_id: string;
  readonly label: string;
  readonly value: string;
  readonly unit: string | null;
  readonly is_shown: boolean;
  readonly source_key: string;
}
interface OrderRow {
  readonly timepoint_id: string;
  readonly order_id: string;
  readonly drug: string;
  readonly source_rows: string;
}
interface SpanRow {
  readonly span_id: string;
  readonly hadm_id: number;
  readonly section: string;
  readonly text: string;
  readonly source_table: string;
  readonly source_key: string;
}

/** Place of another order of the same moment. */
export const PARTNER = 'order of the same moment';

/** What a citation rests on. */
export interface Ground {
  /** Empty when the citation is sound. */
  readonly problems: readonly string[];
  /** Where it stands, in words. */
  readonly place: string;
  /** `YYYY-MM-DD HH:MM:SS`; null for the profile. */
  readonly available_at: string | null;
  readonly text: string;
  readonly order_id: string | null;
  /** Rows of MIMIC-IV, narrowed to the cited value where the item says which row it is. */
  readonly source_table: string;
  readonly source_keys: readonly string[];
}

/** A moment with its admission and cut. */
export interface Scene {
  readonly timepoint_id: string;
  readonly hadm_id: number;
  readonly cut_at: string;
}

export class Grounds {
  readonly #events = new Map<string, EventRow>();
  readonly #items = new Map<string, ItemRow[]>();
  readonly #spans = new Map<string, SpanRow>();
  readonly #partners = new Map<string, OrderRow>();

  /** Reads the released events, values and pieces of the profile. */
  static async open({ session }: OpenRelease): Promise<Grounds> {
    const grounds = new Grounds();
    for (const e of await session.rows<EventRow>('select * from events')) grounds.#events.set(e.event_id, e);
    for (const s of await session.rows<SpanRow>('select * from profile_spans'))
      grounds.#spans.set(s.span_id, s);
    const partners = await session.rows<OrderRow>(
      'select t.timepoint_id, t.order_id, t.drug, o.source_rows from timepoint_orders t join orders o using (order_id)',
    );
    for (const o of partners) grounds.#partners.set(`${o.timepoint_id} ${o.order_id}`, o);
    for (const i of await session.rows<ItemRow>('select * from event_items order by event_id, item_n')) {
      const known = grounds.#items.get(i.event_id);
      if (known) known.push(i);
      else grounds.#items.set(i.event_id, [i]);
    }
    return grounds;
  }

  /** Finds a citation of a moment. */
  find(cite: Cite, scene: Scene): Ground {
    const event = this.#events.get(cite.ref);
    if (event) return this.#eventGround(event, cite, scene);
    const span = this.#spans.get(cite.ref);
    const partner = this.#partners.get(`${scene.timepoint_id} ${cite.ref}`);
    if (partner) return partnerGround(partner, cite);
    if (!span) return { ...NOWHERE, problems: [`${cite.ref} is no event and no piece of a profile`] };
    return {
      problems: [
        ...(span.hadm_id === scene.hadm_id ? [] : [`${cite.ref} is of another admission`]),
        ...quoteProblems(cite, span.text),
      ],
      place: `profile, ${span.section}`,
      available_at: null,
      text: span.text,
      order_id: null,
      source_table: span.source_table,
      source_keys: [span.source_key],
    };
  }

  #eventGround(event: EventRow, cite: Cite, scene: Scene): Ground {
    const items = (this.#items.get(event.event_id) ?? []).filter(
      (i) => i.is_shown && fold(i.label) === fold(cite.item ?? ''),
    );
    const item = items.find((i) => isSameValue(i, cite));
    const problems = [
      ...(event.hadm_id === scene.hadm_id ? [] : [`${cite.ref} is of another admission`]),
      ...(event.available_at < scene.cut_at ? [] : [`${cite.ref} was not available before the cut`]),
      ...(event.is_shown ? [] : [`${cite.ref} is not shown`]),
      ...(cite.item !== null && items.length === 0 ? [`${cite.ref} has no ${cite.item}`] : []),
      ...(cite.item !== null && items.length > 0 && !item ? [`${cite.ref} has another ${cite.item}`] : []),
      ...quoteProblems(cite, event.text),
    ];
    return {
      problems,
      place: event.kind,
      available_at: event.available_at,
      text: event.text,
      order_id: event.order_id,
      source_table: event.source_table,
      source_keys: item ? [item.source_key] : (JSON.parse(event.source_keys) as string[]),
    };
  }
}

/** Another order of the same moment: what a routine drug may go along with. */
function partnerGround(partner: OrderRow, cite: Cite): Ground {
  const rows = (JSON.parse(partner.source_rows) as string[]).map(
    (r) => r.split(/:(.*)/s) as [string, string],
  );
  return {
    ...NOWHERE,
    problems: quoteProblems(cite, partner.drug),
    place: PARTNER,
    text: partner.drug,
    order_id: partner.order_id,
    source_table: rows[0]?.[0] ?? '',
    source_keys: rows.filter(([table]) => table === rows[0]?.[0]).map(([, key]) => key),
  };
}

const NOWHERE: Ground = {
  problems: [],
  place: 'nowhere',
  available_at: null,
  text: '',
  order_id: null,
  source_table: '',
  source_keys: [],
};

/** A value is the same as text, or as a number written in another way (3.10 and 3.1); its unit is the same text. */
function isSameValue(item: ItemRow, cite: Cite): boolean {
  const a = item.value.trim();
  const b = cite.value?.trim() ?? null;
  const is_value = b === null || a === b || (a !== '' && b !== '' && Number(a) === Number(b));
  return is_value && (item.unit ?? '').trim() === (cite.unit ?? '').trim();
}

const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();

function quoteProblems(cite: Cite, text: string): string[] {
  const words = [
    cite.quote,
    cite.item === null && cite.value !== null ? [cite.value, cite.unit].filter(Boolean).join(' ') : null,
  ];
  return words.flatMap((w) =>
    w === null || (fold(w) !== '' && fold(text).includes(fold(w)))
      ? []
      : [`the words cited of ${cite.ref} do not stand there`],
  );
}
