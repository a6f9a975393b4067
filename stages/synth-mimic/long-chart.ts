/** Rows of the long chartevents: made as bytes, since an object per row would take twenty times as long. */
import type { Stay } from './context.js';
import type { LongItem } from './long-items.js';
import type { Stream } from './rng.js';
import { HOUR, MINUTE, timeText } from './time.js';

/** Bytes handed on at once; part of what fixes the bytes of the file. */
const BUFFER = 1 << 18;
/** No row is longer. */
const ROW_ROOM = 512;
/** Charted times within an hour, in minutes; items are dealt to them by turns. */
const MINUTES = [0, 30];

/** What the rows of one stay begin with, and how many there are. */
export interface LongStay extends Pick<Stay, 'subject_id' | 'hadm_id' | 'stay_id' | 't0'> {
  readonly caregiver_id: number;
  readonly rows: number;
}

/** An item of one stay: the hour of its first row is `phase`. */
interface Course {
  readonly item: LongItem;
  readonly phase: number;
}

/** Writes rows of csv to `write`, in blocks; one writer serves one file. */
export class LongChartWriter {
  private readonly buffer = new Uint8Array(BUFFER);
  private at = 0;
  private pending = 0;
  private bits = 0;
  private left = 0;
  private readonly items: readonly LongItem[];
  private readonly write: (bytes: Uint8Array, rows: number) => void;

  constructor(items: readonly LongItem[], write: (bytes: Uint8Array, rows: number) => void) {
    this.items = items;
    this.write = write;
  }

  /** Writes exactly `stay.rows` rows in order of charttime and itemid; returns the last charttime. */
  stay(stay: LongStay, r: Stream): number {
    const turns = this.turns(r);
    let left = stay.rows;
    let time = stay.t0;
    for (let hour = 0; left > 0; hour++) {
      for (const [k, minute] of MINUTES.entries()) {
        const due = turns[k]!.filter((c) => hour % c.item.period === c.phase).slice(0, left);
        if (due.length === 0) continue;
        time = stay.t0 + hour * HOUR + minute * MINUTE;
        this.group(head(stay, time, r), due, r);
        left -= due.length;
      }
    }
    return time;
  }

  /** Hands on what is left in the buffer. */
  flush(): void {
    if (this.at === 0) return;
    this.write(this.buffer.subarray(0, this.at), this.pending);
    this.at = 0;
    this.pending = 0;
  }

  /** The items that a stay has, by the time within the hour; heart rate is always there, so that every stay gets on. */
  private turns(r: Stream): Course[][] {
    const courses = this.items
      .filter((item) => r.chance(item.share))
      .map((item) => ({ item, phase: r.int(0, item.period - 1) }));
    return MINUTES.map((_, k) => courses.filter((_c, i) => i % MINUTES.length === k));
  }

  private group(start: Uint8Array, due: readonly Course[], r: Stream): void {
    for (const { item } of due) {
      if (this.at + ROW_ROOM > BUFFER) this.flush();
      this.buffer.set(start, this.at);
      const tail = item.tails[this.choose(r)]!;
      this.buffer.set(tail, this.at + start.length);
      this.at += start.length + tail.length;
      this.pending++;
    }
  }

  /** Six random bits. */
  private choose(r: Stream): number {
    if (this.left === 0) {
      this.bits = r.u32();
      this.left = 5;
    }
    this.left--;
    const chosen = this.bits & 63;
    this.bits >>>= 6;
    return chosen;
  }
}

const encoder = new TextEncoder();

/** The columns from subject_id to storetime. */
function head(stay: LongStay, time: number, r: Stream): Uint8Array {
  const stored = time + r.int(1, 55) * MINUTE;
  const ids = `${stay.subject_id},${stay.hadm_id},${stay.stay_id},${stay.caregiver_id}`;
  return encoder.encode(`${ids},${timeText(time)},${timeText(stored)}`);
}
